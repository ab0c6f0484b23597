  // The number of beats that leave is that of those that came in, and an offer stands until it is taken. Contents are the tests' matter.
  logic started;
  initial started = 1'b0;
  logic [29:0] total, puts, gots;  // beats of the picture; that came; that left
  wire comes = in_valid && in_ready, leaves = out_valid && out_ready;
  always @(posedge clk) begin
    started <= 1'b1;
    if (rst || start) {puts, gots} <= 60'd0;
    else {puts, gots} <= {puts + 30'(comes), gots + 30'(leaves)};
    if (rst) total <= 30'd0;
    else if (start) total <= 30'(wact_pkg::beats(in_bytes));
  end
  always @* if (!started) assume (rst);

  always @* if (started) begin
    if (out_valid) assert (gots != total);
    if (comes) assert (puts != total);
    if (out_valid && gots + 30'd1 == total) assert (puts == total);  // the last one behind the input's last
    if (puts == total && gots != total && out_ready) assert (steps || out_valid || window_valid);  // it never stops halfway
    // For the induction.
    assert (in_left[31:30] == 2'd0 && puts + in_left[29:0] == total && puts <= total);
    assert (out_left[31:30] == 2'd0 && gots + 30'(out_valid) + 30'(window_valid) + out_left[29:0] == total && gots <= total);
    assert (in_left <= out_left && out_left[29:0] <= total && total <= 30'h20000000);
  end
  always @(posedge clk)
    if (started && !$past(rst || start) && $past(out_valid && !out_ready)) assert (out_valid && $stable(out_data));
