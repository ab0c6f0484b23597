  // A core that makes a beat of every beat. INVERTS: of its complement. Numbers of beats wrap long after a beat has left.
  (* anyconst *) wire [15:0] n;
  logic [15:0] puts, gots;
  logic [63:0] kept;  // what beat n must be
  logic started;
  initial started = 1'b0;
  wire comes = in_valid && in_ready, leaves = out_valid && out_ready;
  wire [15:0] held = puts - gots;
  always @(posedge clk) begin
    started <= 1'b1;
    if (rst || start) {puts, gots} <= 32'd0;
    else {puts, gots} <= {puts + 16'(comes), gots + 16'(leaves)};
    if (comes && puts == n) kept <= `INVERTS ? ~in_data : in_data;
  end
  always @* if (!started) assume (rst);

  always @* if (started) begin
    assert (held == 16'(out_valid));
    if (out_valid && gots == n) assert (out_data == kept);
    assert (planned && fault == 4'd0 && out_dims == dims && out_bytes == in_bytes);
  end
  always @(posedge clk)
    if (started && !$past(rst || start) && $past(out_valid && !out_ready)) assert (out_valid && $stable(out_data));
