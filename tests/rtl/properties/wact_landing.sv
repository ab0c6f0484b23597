  // The router reads each beat as it came, until it frees it; the planner gets each frame's length once, in order.
  (* anyconst *) wire [15:0] n;  // a beat
  (* anyconst *) wire [15:0] f;  // a frame
  logic [15:0] puts, gots, frames_came, frames_left;
  logic [63:0] kept;
  logic [15:0] counted;       // beats of the frame that comes in
  logic [15:0] frame_length;  // of frame f
  logic started;
  initial started = 1'b0;
  wire stores = takes && !full;
  wire [15:0] held = puts - gots;
  wire [15:0] waiting = frames_came - frames_left;
  always @(posedge clk) begin
    started <= 1'b1;
    if (stores && puts == n) kept <= l_tdata;
    if (takes && l_tlast && frames_came == f) frame_length <= counted + 16'd1;
    puts <= puts + 16'(stores);
    gots <= gots + (freed ? 16'(freed_length) : 16'd0);
    frames_came <= frames_came + 16'(takes && l_tlast);
    frames_left <= frames_left + 16'(taken);
    counted <= !takes ? counted : l_tlast ? 16'd0 : counted + 16'd1;
    if (rst) {puts, gots, frames_came, frames_left, counted} <= 80'd0;
  end
  // Planner, router and driver keep to this. A frame that is longer than 1000 beats is no other case than one of 1000.
  always @* begin
    if (!started) assume (rst);
    if (taken) assume (whole);
    if (freed) assume (16'(freed_length) + 16'(filling) <= held);
    assume (counted < 16'd1000);
  end

  always @* if (started) begin
    assert (whole == (waiting != 16'd0));
    if (whole && frames_left == f) begin
      assert (16'(length) == (frame_length > 16'(ROUTES) ? 16'(ROUTES) : frame_length));
      assert (longer == (frame_length > 16'(ROUTES)));
    end
  end
  always @(posedge clk)
    if (started && !rst && !$past(rst) && $past(n - gots < held && n - gots < 16'(ROUTES)) && $past(16'(index) == n - gots)) assert (landing == kept);
  // For the induction.
  always @* if (started) begin
    assert (held <= 16'(2 * ROUTES - 1) && put == puts[RW:0] && got == gots[RW:0]);
    assert (16'(filling) <= held && 16'(filling) == (counted > 16'(ROUTES) ? 16'(ROUTES) : counted));
    assert (overflows == (counted > 16'(ROUTES)));
    assert (waiting <= 16'(FRAMES) && frames_put == frames_came[2:0] && frames_got == frames_left[2:0]);
    if (n - gots < held) assert (beats[n[RW:0]] == kept);
    if (f - frames_left < waiting)
      assert (lengths[f[1:0]] == {frame_length > 16'(ROUTES), (RW + 1)'(frame_length > 16'(ROUTES) ? 16'(ROUTES) : frame_length)});
  end
