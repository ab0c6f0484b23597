  // AXI4-Lite: an answer for each access, which stands until it is taken. A start is taken once, an end is shown until
  // `continue`, and no event of an interrupt is lost.
  logic started;
  initial started = 1'b0;
  logic [15:0] writes_came, writes_left, reads_came, reads_left;
  logic [15:0] starts, takes, tells, continues;
  logic readied;      // a run was taken, and nobody has read so since
  logic [1:0] owed;   // interrupts that were not cleared
  (* anyconst *) wire [4:0] number;  // of an argument
  logic [31:0] kept;
  wire wrote = awvalid && awready;
  wire at_control = wrote && wstrb[0] && awaddr[6:2] == 5'd0;
  wire reads_control = arvalid && arready && araddr[6:2] == 5'd0;
  wire waits = run_valid && !run_ready;  // a further start is this one
  wire takes_run = run_valid && run_ready;
  wire clears = wrote && wstrb[0] && awaddr[6:2] == 5'd3;
  integer byte_of;
  always @(posedge clk) begin
    started <= 1'b1;
    writes_came <= writes_came + 16'(wrote);
    writes_left <= writes_left + 16'(bvalid && bready);
    reads_came <= reads_came + 16'(arvalid && arready);
    reads_left <= reads_left + 16'(rvalid && rready);
    starts <= starts + 16'(at_control && wdata[0] && !waits);
    takes <= takes + 16'(takes_run);
    tells <= tells + 16'(told);
    continues <= continues + 16'(at_control && wdata[4] && done);
    readied <= takes_run || (readied && !reads_control);
    owed <= (owed & ~(clears ? wdata[1:0] : 2'b00)) | (wanted & {takes_run, told});
    for (byte_of = 0; byte_of < 4; byte_of = byte_of + 1)
      if (wrote && awaddr[6:2] == number && wstrb[byte_of]) kept[8*byte_of+:8] <= wdata[8*byte_of+:8];
    if (rst) {writes_came, writes_left, reads_came, reads_left, starts, takes, tells, continues, readied, owed} <= 131'd0;
  end
  // The host writes an argument before the start. An end waits until it is told.
  always @* begin
    if (!started) assume (rst && kept == words[number]);
    assume (number >= 5'd4 && number < 5'd24);
    if (wrote && run_valid) assume (awaddr[6:2] < 5'd4);
  end
  always @(posedge clk) if (started && !$past(rst) && $past(ended && !told)) assume (ended);

  always @* if (started) begin
    assert (awready == wready && (!awready || (awvalid && wvalid)));
    assert (writes_came - writes_left == 16'(bvalid) && reads_came - reads_left == 16'(rvalid));
    assert (starts - takes == 16'(run_valid));
    assert (tells - continues == 16'(done));
    assert (ready == readied && raised == owed && interrupt == (enabled && owed != 2'b00));
    if (told) assert (ended);
    assert (words[number] == kept);
  end
  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(bvalid && !bready)) assert (bvalid);
    if ($past(rvalid && !rready)) assert (rvalid && $stable(rdata));
    if ($past(run_valid && !run_ready)) assert (run_valid && $stable(arguments));
    if ($past(reads_control)) assert (rdata == {28'd0, $past(ready), $past(!busy && !run_valid), $past(done), $past(start)});
    if ($past(arvalid && arready && araddr[6:2] == number)) assert (rdata == $past(kept));
  end
