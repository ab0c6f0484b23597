  // Two places: what comes in leaves once, unchanged, in order. Numbers of beats wrap long after a beat has left.
  (* anyconst *) wire [15:0] n;
  logic [15:0] puts, gots;
  logic [63:0] kept;  // beat n
  logic started;
  initial started = 1'b0;
  wire comes = in_valid && in_ready, leaves = out_valid && out_ready;
  wire [15:0] held = puts - gots;
  wire [15:0] before = n - gots;
  always @(posedge clk) begin
    started <= 1'b1;
    if (clear) {puts, gots} <= 32'd0;
    else {puts, gots} <= {puts + 16'(comes), gots + 16'(leaves)};
    if (comes && puts == n) kept <= in_data;
  end
  always @* if (!started) assume (clear);

  always @* if (started) begin
    assert (out_valid == (held != 0));
    if (out_valid && before == 0) assert (out_data == kept);
  end
  always @(posedge clk) if (started && !$past(clear) && $past(out_valid && !out_ready)) assert (out_valid && $stable(out_data));
  // For the induction.
  always @* if (started) begin
    assert (held == 16'(out_valid) + 16'(spare_valid));
    if (spare_valid && before == 16'd1) assert (spare == kept);
  end
