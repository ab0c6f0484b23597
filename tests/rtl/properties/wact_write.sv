  // A piece is written by bursts within 4 KiB, one behind the other, which together have all its beats. WLAST is at their ends,
  // data follow their address, and offers stand until they are taken.
  logic started;
  initial started = 1'b0;
  logic [63:0] next;     // where the next burst of the piece in hand goes
  logic [31:0] owed;     // its beats that have not been announced
  logic [8:0] of_burst;  // beats of the burst that have not left
  wire [8:0] length = {1'b0, awlen} + 9'd1;
  always @(posedge clk) begin
    started <= 1'b1;
    if (piece_valid && piece_ready) {next, owed} <= {piece_address, beats};
    if (awvalid && awready) begin
      next <= awaddr + ({55'd0, length} << SHIFT);
      owed <= owed - {23'd0, length};
      of_burst <= length;
    end
    if (wvalid && wready) of_burst <= of_burst - 9'd1;
    if (rst) {of_burst, owed} <= 41'd0;
  end
  // Collect and directory keep to this.
  always @* begin
    if (!started) assume (rst);
    if (piece_valid) assume (piece_address[5:0] == 6'd0 && piece_bytes != 32'd0);
  end

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(awvalid && !awready)) assert (awvalid && $stable(awaddr) && $stable(awlen));
    if ($past(wvalid && !wready)) assert (wvalid && $stable(wdata) && $stable(wstrb) && $stable(wlast));
  end
  always @* if (started) begin
    if (awvalid) begin
      assert (awaddr == next && awaddr[SHIFT-1:0] == '0 && of_burst == 9'd0 && {23'd0, length} <= owed);
      assert ({1'b0, awaddr[11:0]} + ({4'd0, length} << SHIFT) <= 13'd4096);
    end
    if (wvalid) assert (of_burst != 9'd0 && wlast == (of_burst == 9'd1));
    if (piece_ready) assert (owed == 32'd0 && of_burst == 9'd0);
  end
  // For the induction.
  wire [10:0] at_beat = {1'b0, at[9:0]} >> SHIFT;
  always @* if (started) begin
    assert (writing || !(asking || flows || full));
    assert (!(asking && flows) && (!full || flows));
    assert (of_burst == (flows ? {1'b0, burst_left} + 9'd1 : 9'd0));
    assert (owed == (writing ? beats_left + (asking ? {23'd0, length} : 32'd0) : 32'd0));
    if (writing && owed != 32'd0) assert (at == next && at[SHIFT-1:0] == '0);
    if (asking) assert (at_beat + {2'd0, length} <= 11'(MOST) && (beats_left == 32'd0 || at_beat + {2'd0, length} == 11'(MOST)));
  end
