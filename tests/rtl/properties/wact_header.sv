  // Every packet gives one check, which holds still until it is taken, and one beat marked `last` for its payload, unless it ends
  // with its header. Each word that comes is the header's, the payload's or dropped.
  logic started;
  initial started = 1'b0;
  logic inside;               // words of a packet have come, its last one has not
  logic [3:0] words;          // of its header, that have come
  logic [15:0] packets;       // that have begun
  logic [15:0] checks;        // that were taken
  logic [15:0] bodies, ends;  // packets that gave the queue a beat; that gave it a last one
  logic in_body;              // the queue waits for this packet's last beat
  wire moves = in_valid && in_ready;
  wire puts = put_valid && put_ready;
  wire ends_now = in_tail && (in_done || in_end);  // the next word is another packet's
  always @(posedge clk) begin
    started <= 1'b1;
    if (moves) begin
      inside <= !ends_now;
      words <= ends_now ? 4'd0 : words == 4'd8 ? words : words + 4'd1;
    end
    packets <= packets + {15'd0, moves && !inside};
    checks <= checks + {15'd0, check && taken};
    if (puts) in_body <= !put_last;
    bodies <= bodies + {15'd0, puts && !in_body};
    ends <= ends + {15'd0, puts && put_last};
    if (rst) {inside, words, packets, checks, bodies, ends, in_body} <= 70'd0;
  end
  // wact_narrow and wact_plan keep to this.
  always @* begin
    if (!started) assume (rst);
    if (taken) assume (check);
  end

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(check && !taken))
      assert (check && $stable(rejection) && $stable(is_poison) && $stable(ended) && $stable(stage) && $stable(payload_bytes));
  end
  always @* if (started) begin
    assert (word_valid == (moves && words != 4'd8) && (!word_valid || {1'b0, word} == words));
    assert (put_valid == (in_valid && state == BODY) && (!puts || (moves && words == 4'd8)));
    if (in_done) assert (in_tail);
    assert (bodies - ends == {15'd0, in_body});
    // A header that is complete, or broken off, is the only one that waits.
    assert (packets - checks == {15'd0, check || (inside && words != 4'd8)});
    // For the induction.
    assert (state != 2'd3 && inside == (words != 4'd0));
    assert (state == HEAD ? words == {1'b0, word} : words == 4'd8 && word == 3'd0);
    assert (!in_body || state == BODY);
    if (state == HEAD && word != 3'd0) assert (!check);
  end
