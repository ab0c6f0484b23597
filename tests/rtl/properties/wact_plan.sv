  // Every header is planned once: one plan goes to the router, with one landing frame, and its payload goes to the body or ends
  // here. A match feeds the body too where only the other packet has payload left. A payload that goes to the body has lost its
  // prefix and nothing else. Offers stand until they are taken. Shape and fit say anything here.
  logic started;
  initial started = 1'b0;
  logic any;                // a header has come since the reset
  logic told, fed_it, all;  // its plan went to the router; its payload went to the body; or has ended here
  logic [3:0] eaten;        // beats that ended here, up to 15
  logic prefixed;           // its payload begins with a prefix
  wire ends_here = takes && beat_last;
  always @(posedge clk) begin
    started <= 1'b1;
    if (takes && eaten != 4'd15) eaten <= eaten + 4'd1;
    told <= told || (sends && sends_ready);
    fed_it <= fed_it || (feeds && feeds_ready);
    all <= all || ends_here;
    if (check_taken) begin
      any <= 1'b1;
      {told, fed_it, all, eaten} <= {2'b00, check_ended, 4'd0};
      prefixed <= !check_poison && !check_port && in_variable != 4'd0;
    end
    if (rst) any <= 1'b0;
  end
  // Header, lookup and landings keep to this.
  always @* begin
    if (!started) assume (rst);
    if (beat_valid && beat_bad) assume (beat_last);
    if (!any) assume (!beat_valid);  // a payload comes behind its header
  end
  always @(posedge clk) if (started && !$past(rst)) begin
    if ($past(frame_whole && !frame_taken)) assume (frame_whole && $stable(frame_length) && $stable(frame_longer));
    if ($past(state == SEND) && state == SEND) assume ($stable(line) && $stable(held_bytes));  // of the same entry and place
  end

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(sends && !sends_ready))
      assert (sends && $stable(rejection) && $stable(fault) && $stable(is_poison) && $stable(origin) && $stable(bytes) &&
              $stable(has_prefix) && $stable(prefix) && $stable(first_route) && $stable(first_entry) && $stable(failed));
    if ($past(feeds && !feeds_ready)) assert (feeds && $stable(first_core) && $stable(core) && $stable(is_poison) && $stable(bytes));
  end
  always @(posedge clk) if (started && !rst) begin
    if (sends) assert (any && !told);
    assert (frame_taken == (sends && sends_ready) && (!frame_taken || frame_whole));
    if (feeds) assert (any && !fed_it && (!all || matched) && rejection == 5'd0 && fault == wact_pkg::FAULT_NONE);
    if (feeds && !all) assert (eaten == (prefixed ? 4'd8 : 4'd0));
    if (takes) assert (any && !fed_it && !all);
    if (check_taken && any) assert (told && (fed_it || all));
    if (core_start) assert (any && rejection == 5'd0 && !fed_it);
    if (rests && any) assert (told && (fed_it || all));
  end
  // For the induction.
  wire busy = state != READ && state != REST;
  always @(posedge clk) if (started && !rst) begin
    assert (state <= MATCH);
    if (any) assert (ended == all && fed == fed_it && sent == told);
    if (busy) assert (any && !(told && state != SEND) && !(fed_it && state != SEND));
    if (!busy && any) assert (told && (fed_it || all));
    if (any && prefix_left != 4'd0) assert (!is_poison && prefixed && prefix_left <= 4'd8 && (ended || eaten + prefix_left == 4'd8));
    if (any && state != PREFIX && state != SHAPE && state != START && state != MATCH) assert (prefix_left == 4'd0 || ended);
    if (busy && rejection != 5'd0) assert (ended || state == DRAIN);
    if (any) assert (!(fed_it && all) || matched);
    if (state == SEND && fed) assert (good);
    if (state == DRAIN) assert (holds || rejection != 5'd0 || fault != wact_pkg::FAULT_NONE);
    if (any) assert (!is_poison || !prefixed);
    if (busy && is_poison) assert (state == NEXT || state == FETCH || state == SEND || state == DRAIN);
    if (busy && fault != wact_pkg::FAULT_NONE)
      assert (!is_poison && ((state == SEND && ended) || state == DRAIN || state == FETCH || state == NEXT ||
                             (pairs && (state == SHAPE || state == MATCH))));
    if (busy && holds) assert (state == DRAIN || (state == SEND && rejection != 5'd0 && ended));
    if (state == MATCH) assert (pairs);
    if (busy && !holds && fault == wact_pkg::FAULT_NONE && rejection == 5'd0 && prefix_left == 4'd0 && !ended)
      assert (eaten == (prefixed ? 4'd8 : 4'd0));
  end
