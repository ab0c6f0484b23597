  // A completion stands until it is taken; each end of a packet is told once.
  logic started;
  initial started = 1'b0;
  logic [15:0] ended, tolds;  // packets that ended and whose last completion was taken
  always @(posedge clk) begin
    started <= 1'b1;
    if (rst) {ended, tolds} <= 32'd0;
    else {ended, tolds} <= {ended + 16'(ends), tolds + 16'(told)};
  end
  // The router, the queue of results and the driver keep to this.
  always @* begin
    if (!started) assume (rst);
    assume (!table_write);
    if (ends) assume (ends_ready);
    if (final_left) assume (busy && sent_now && left == 2'd0);
  end
  always @(posedge clk)
    if (started && $past(run_valid && !run_ready) && !$past(rst)) assume (run_valid && $stable(run_cycles));

  always @(posedge clk)
    if (started && !$past(rst) && $past(c_tvalid && !c_tready)) assert (c_tvalid && $stable(c_tdata) && $stable(c_tlast));
  always @* if (started) begin
    assert (ended - tolds == 16'(busy));
    if (told) assert (ended != tolds);
    if (c_tvalid && sent_now) assert (left != 2'd0);  // nothing is told before the packet has left
    assert (run_ready == (ran_now && c_tvalid && c_tready));
  end
  // For the induction.
  always @* if (started) begin
    assert (left <= 2'd1 && (left == 2'd0 || (busy && sent_now)));
    if (busy && read) assert (next == nexts[entry]);
  end
