  // The node's output: an offer stands until it is taken, and no beat that was made is lost or repeated.
  (* anyconst *) wire [15:0] n;
  logic [15:0] puts, gots;
  logic [31:0] kept;  // the lower half of beat n; the upper one may become the checksum
  logic [15:0] ended, finals;  // plans that ended with beats, and last beats of plans that left
  logic came, started;
  initial started = 1'b0;
  wire [15:0] held = puts - gots;
  wire [31:0] kept_now = came && puts - 16'd1 == n ? raw[31:0] : kept;
  always @(posedge clk) begin
    started <= 1'b1;
    came <= !rst && steps;
    kept <= kept_now;
    if (rst) {ended, finals} <= 32'd0;
    else {ended, finals} <= {ended + 16'(ends && sent), finals + 16'(m_valid && m_ready && m_final)};
    if (rst) {puts, gots} <= 32'd0;
    else {puts, gots} <= {puts + 16'(steps), gots + 16'(m_valid && m_ready)};
  end
  always @* if (!started) assume (rst);

  always @(posedge clk) if (started && !$past(rst) && $past(m_valid && !m_ready))
    assert (m_valid && $stable(m_data) && $stable(m_last) && $stable(m_user) && $stable(m_final));
  always @* if (started) begin
    assert (held == 16'(raw_valid) + 16'(m_valid));
    if (m_valid && gots == n) assert (m_data[31:0] == kept_now);
    if (raw_valid && puts - 16'd1 == n) assert (raw[31:0] == kept_now);
    assert ((result_valid && result_ready) == (steps && state == BODY));  // a result that is taken is sent
    if (ends) assert (ends_ready);
    // A plan's last beat leaves once, later than the plan ends: wact_completion counts on that.
    assert (ended - finals == 16'(raw_valid && raw_final) + 16'(m_valid && m_final));
  end
