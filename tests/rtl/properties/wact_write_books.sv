  // The books of bursts that wait for their answers. At most 16 wait; an answer counts for the run that its burst was written
  // for; a run is settled when it had an answer for every burst.
  logic started;
  initial started = 1'b0;
  (* anyconst *) wire [15:0] b;  // a burst
  (* anyconst *) wire [1:0] r;   // a run
  logic [15:0] asked, whole, told;  // bursts that were begun; whose data left; that were answered
  logic [15:0] asked_r, told_r;     // of run r
  logic [1:0] run_of_b;
  wire [15:0] pending = asked - told;
  wire begins_one = awvalid && awready, answers_one = bvalid && bready;
  always @(posedge clk) begin
    started <= 1'b1;
    if (begins_one && asked == b) run_of_b <= run;
    asked <= asked + {15'd0, begins_one};
    whole <= whole + {15'd0, wvalid && wready && wlast};
    told <= told + {15'd0, answers_one};
    asked_r <= asked_r + {15'd0, begins_one && run == r};
    told_r <= told_r + {15'd0, answers_one && failed_run == r};
    if (rst) {asked, whole, told, asked_r, told_r} <= 80'd0;
  end
  // The memory keeps to this: an answer comes behind its data.
  always @* begin
    if (!started) assume (rst);
    if (bvalid) assume (told != whole);
  end

  wire [4:0] open_r = open[5*r+:5];
  always @* if (started) begin
    assert (pending <= 16'd16 && whole - told <= pending);
    if (awvalid) assert (pending < 16'd16);
    if (answers_one && told == b) assert (failed_run == run_of_b);
    assert (open_r == asked_r[4:0] - told_r[4:0] && settled[r] == (open_r == 5'd0));
    // For the induction.
    assert (!(asking && flows) && (!full || flows) && (writing || !(asking || flows)) && asked - whole == {15'd0, flows});
    assert (begun == asked[4:0] && answered == told[4:0]);
    if (b - told < pending) assert (runs[b[3:0]] == run_of_b);
  end
