  // A plan's payload goes into its first core, or past the cores, up to the beat marked `last`; its result has its number of
  // beats, the last of them marked, or is void where the payload broke off. An offer to the
  // queue of results stands until it is taken or, where the payload breaks off meanwhile, turns void.
  logic started;
  initial started = 1'b0;
  logic [15:0] plans, fed;       // taken; whose payload has been fed
  logic [15:0] results;          // that have ended
  logic [28:0] gone;             // beats of the result in hand
  logic [28:0] size;             // its beats
  wire takes = feeds && feeds_ready;
  wire feeds_last = beat_valid && beat_ready && beat_last;
  wire result_ends = puts && (put_kind == wact_pkg::PUT_LAST || put_kind == wact_pkg::PUT_VOID);
  wire loads = pending && (!collecting || ends);
  always @(posedge clk) begin
    started <= 1'b1;
    plans <= plans + {15'd0, takes};
    fed <= fed + {15'd0, feeds_last};
    results <= results + {15'd0, result_ends};
    if (loads) {gone, size} <= {29'd0, 29'(wact_pkg::beats(pending_bytes))};
    else if (puts && put_kind == wact_pkg::PUT_DATA) gone <= gone + 29'd1;
    if (rst) {plans, fed, results, gone, size} <= 106'd0;
  end
  // Planner, header and cores keep to this. A result has beats. A bad beat is a payload's last; a good last one that goes past
  // the cores is where its size says. A core's last beat comes behind the last of its input.
  always @* begin
    if (!started) assume (rst);
    if (feeds) assume (bytes != 32'd0 && !bytes[31]);
    if (beat_valid && beat_bad) assume (beat_last);
    if (feeding && fed_past && good && passes) assume (beat_last == last);
    if (from_valid && collecting && !collects_past && !tells && last) assume (fed != results);
  end
  always @(posedge clk) if (started && !$past(rst)) begin
    if ($past(beat_valid && !beat_ready)) assume (beat_valid && $stable(beat) && $stable(beat_last) && $stable(beat_bad));
    if ($past(from_valid && !put_ready && collecting && !collects_past && !tells && !voids)) assume (from_valid && $stable(from_data));
    if ($past(tells && !core_done)) assume ($stable(cycles));
  end

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(put_valid && !put_ready)) assert (put_valid && (put_kind == wact_pkg::PUT_VOID || ($stable(put_kind) && $stable(put_data))));
    if ($past(into_valid && !into_ready)) assert (into_valid && $stable(into));
  end
  always @(posedge clk) if (started && !rst) begin
    assert (plans - fed == {15'd0, feeding});
    assert (plans - results == {15'd0, pending} + {15'd0, collecting && !tells});
    if (into_valid) assert (feeding && !fed_past && beat_valid);
    if (puts && put_kind == wact_pkg::PUT_LAST) assert (gone + 29'd1 == size);
    if (puts && put_kind == wact_pkg::PUT_DATA) assert (gone + 29'd1 < size);
    if (from_valid && from_ready) assert (puts && !collects_past && (put_kind == wact_pkg::PUT_DATA || put_kind == wact_pkg::PUT_LAST));
    if (core_done) assert (collecting && !collects_past && !result_ends && (voided || (puts && put_kind == wact_pkg::PUT_RUN)));
    if (rests) assert (plans == fed && plans == results);
    // For the induction.
    if (collecting && !tells) assert (gone < size && left == size - gone);
    if (pending) assert (pending_bytes != 32'd0 && !pending_bytes[31]);
    if (tells) assert (collecting && !collects_past);
    if (feeding) assert (!broken && (pending ? fed_past == pending_past : collecting && !tells && fed_past == collects_past));
    if (pending && pending_past) assert (feeding || broken);
    if (broken && !pending) assert (collecting && !tells);
    if (collecting && collects_past) assert (!pending && (feeding || broken));
  end
