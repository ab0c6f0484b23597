    // The payload passes beat by beat: the queue's as it comes, and of a place what was stored there, once and in order.
    (* anyconst *) wire [PW-1:0] p_of;
    (* anyconst *) wire [AW-1:0] n;
    (* anyconst *) wire [KW-1:0] k_of;
    logic [63:0] stored;                 // beat n of place p_of
    logic [AW:0] count, given, to_give;  // beats stored since `look`; of a place, given and to be given
    logic kept, kept_port;               // a packet with key k_of waits
    logic [1:0] settled;                 // cycles since `look`
    logic decided;                       // the plan has kept its packet or completed a match
    logic [$clog2(STAGES)-1:0] entry_was;
    logic forgot;                        // the packets that waited, since `look`
    logic started;
    initial started = 1'b0;
    wire ours = key == k_of;
    wire takes = in_valid && in_ready;
    always @(posedge clk) begin
      started <= 1'b1;
      entry_was <= entry;
      if (stores && place == p_of && put == n) stored <= in_data;
      count <= look ? '0 : count + (AW + 1)'(stores);
      settled <= look ? 2'd0 : settled == 2'd2 ? 2'd2 : settled + 2'd1;
      decided <= !look && (decided || keeps || meets);
      if (turn && passes) given <= given + 1'b1;
      if (merges) {given, to_give} <= {(AW + 1)'(0), (AW + 1)'(wact_pkg::beats(held_bytes))};
      if (forgets && ours) kept <= 1'b0;
      if (meets && ours) kept <= 1'b0;
      if (keeps && ours) {kept, kept_port} <= {1'b1, port};
      if (clears) kept <= 1'b0;
      if (rst) {kept, settled, count, given, to_give} <= '0;
      if (rst) decided <= 1'b1;
    end
    // Planner and queue keep to this.
    wire ready_to_decide = settled == 2'd2 && !decided && !forgot && !busy && !look;
    always @* begin
      if (!started) assume (rst && stored == beats[{p_of, n}]);
      if (!looked) assume (entry == entry_was);
      if (clears) assume (!look && !stores && !keeps && !meets && !merges && !forgets && !busy && settled == 2'd2);
      if (stores) assume (ready_to_decide && takes && !other && !same && !full && count != (AW + 1)'(PLACE_BYTES / 8));
      if (keeps) assume (ready_to_decide && !stores && !other && !same && !full);
      if (meets) assume (ready_to_decide && other && !stores && !keeps);
      if (forgets) assume (settled != 2'd0 || looked);
      if (forgets) assume (!keeps && !meets && !look);
      if (merges) assume (!busy && decided && !look && !stores && held_bytes <= PLACE_BYTES && (!ended || held_bytes != 32'd0));
    end
    always @(posedge clk) if (started && $past(started)) begin
      if ($past(in_valid && !in_ready)) assume (in_valid && $stable({in_data, in_last, in_bad}));
    end

    always @* if (started) begin
      assert (!takes || (out_valid && out_ready && !turn));
      assert (!(passes && !turn) || takes);
      if (!turn) assert ({out_data, out_bad} == {in_data, in_bad} && out_valid == in_valid);
      if (turn) assert (!takes && !out_bad);
      if (turn && out_valid && from == p_of && given == {1'b0, n}) assert (out_data == stored);
      // Input 0 is first, and the end comes when all of both has passed.
      if (busy && takes && held_first) assert (given == to_give);
      if (turn && !held_first) assert (came);
      if (busy && passes && out_last && !out_bad) assert ((came || takes) && given + (AW + 1)'(turn) == to_give);
      if (busy && passes && !out_last) assert (given + (AW + 1)'(turn) != to_give || !came);
    end
    always @(posedge clk) if (started && $past(started) && !$past(rst)) begin
      if ($past(out_valid && !out_ready && !merges)) assert (out_valid && $stable({out_data, out_last, out_bad}));
      if ($past(busy) && busy) assert (held_valid);
    end
    // The table: a packet is found by its key, until it is met or forgotten.
    always @* if (started && settled != 2'd0 && !decided && !forgot) begin
      if (ours) assert (other == (kept && kept_port != port) && same == (kept && kept_port == port));
    end
    always @(posedge clk) forgot <= !rst && !look && (forgot || forgets || clears);
    // For the induction.
    wire [PLACES-1:0] mine = {waits[1] && keys[KW+:KW] == k_of, waits[0] && keys[0+:KW] == k_of};
    always @* if (started) begin
      assert (kept == |mine && mine != 2'b11);
      if (kept) assert (kept_port == |(mine & ports));
      if (looked) assert (settled == 2'd0);
      if (!decided) assert (count == (AW + 1)'(PLACE_BYTES / 8) || put == count[AW-1:0]);
      assert (count <= (AW + 1)'(PLACE_BYTES / 8));
      if (settled != 2'd0 && !decided && !forgot) begin
        if (other || same) assert (waits[place] && keys[KW*place+:KW] == key);
        else assert (full || !waits[place]);
      end
      if (forgot && !decided && ours) assert (!kept);
      if (busy) begin
        assert (given <= to_give && left == to_give - given && to_give <= (AW + 1)'(PLACE_BYTES / 8));
        assert (given == (AW + 1)'(PLACE_BYTES / 8) || got == given[AW-1:0]);
        if (held_valid) assert (held == beats[{from, got}]);
        assert (!came || left != '0);
        if (!held_first && !came) assert (given == '0);
      end
      assert (beats[{p_of, n}] == stored);
    end
