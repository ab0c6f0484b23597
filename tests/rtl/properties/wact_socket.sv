  // A core keeps its shape and parameters from its start to the next one, takes its input from one place, and its output is held
  // until it is taken (wact_slice has its own proof). It is busy from the commit of the plan that took it until it has run.
  logic started;
  initial started = 1'b0;
  logic begun;                   // a plan has taken the core since the reset
  logic taken, works;            // by the plan in hand; payload will come, or does
  logic joined;                  // the input is core `from`'s output
  logic [$clog2(COUNT)-1:0] from;
  logic [223:0] kept;
  logic [15:0] made, gone;       // beats of the output
  wire clears = rst || core_start;
  always @(posedge clk) begin
    started <= 1'b1;
    begun <= begun || start;
    taken <= start || (taken && !fresh);
    works <= !done && ((taken && commit) || works);
    if (start) {kept, joined, from} <= {dims, bytes, params, linked_in, previous};
    else if (unlinks && other == from) joined <= 1'b0;
    made <= clears ? 16'd0 : made + {15'd0, core_out_valid && core_out_ready};
    gone <= clears ? 16'd0 : gone + {15'd0, held_valid && held_ready};
    if (rst) {begun, taken, works, joined} <= 4'd0;
  end
  always @* if (!started) assume (rst);

  always @* if (started) begin
    if (begun) assert ({core_dims, core_in_bytes, core_params} == kept);
    assert (planned_for == taken && busy == works);
    assert (core_in_valid == (joined ? others_valid[from] : feed_valid));
    assert (core_in_data == (joined ? others_data[64*from+:64] : feed_data));
    assert (follows == (joined ? COUNT'(1) << from : '0));
    assert (held_valid == (made != gone));
    // For the induction.
    assert (linked == joined && (!linked || source == from) && (made - gone == 16'd0 || made - gone == 16'd1 || made - gone == 16'd2));
    assert (core_out_ready == (made - gone != 16'd2));
  end
  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(held_valid && !held_ready && !core_start)) assert (held_valid && $stable(held_data));
    assert (core_start == $past(start));
  end
