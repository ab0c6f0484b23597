  // A run's words are taken up to its last one, whatever its command says, and no further. A fire gives the node 8 words of
  // header, the landings that it counts and its input, each ended by TLAST. Tables are written while the node rests. Each run is
  // known once and taken once.
  logic started;
  initial started = 1'b0;
  logic [31:0] gone, fed;     // words of its command and of its input
  logic [3:0] headed;         // words of its header that the node has
  logic [31:0] landed;        // landings that the node has
  logic was_known, wrong;     // the run is known, and was found to be bad
  wire [31:0] inputs = wact_pkg::beats(in_bytes);
  wire [31:0] commands = {3'd0, command_words};
  wire of_command = gone != commands;  // the next word
  wire s_moves = s_tvalid && s_tready, l_moves = l_tvalid && l_tready;
  wire knows = known && !was_known;
  always @(posedge clk) begin
    started <= 1'b1;
    gone <= gone + {31'd0, takes && of_command};
    fed <= fed + {31'd0, takes && !of_command};
    headed <= headed + {3'd0, s_moves && of_command};
    landed <= landed + {31'd0, l_moves};
    was_known <= was_known || known;
    if (known) wrong <= bad;
    if (rst || run_taken) {gone, fed, headed, landed, was_known} <= 101'd0;
  end
  // Kernel, fetch and node keep to this. Once a run waits alone, no other run and no packet joins it.
  always @* if (!started) assume (rst);
  always @* if (run_valid && !run_skip) assume (command_words != 29'd0 && command_words[2:0] == 3'd0);
  always @(posedge clk) if (started && !$past(rst)) begin
    if ($past(run_valid && !run_taken))
      assume (run_valid && $stable(run_skip) && $stable(command_words) && $stable(in_bytes));
    if ($past(word_valid && !word_ready)) assume (word_valid && $stable(word) && $stable(word_error));
    if ($past(alone && state != CLEAR)) assume (alone);
  end

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(s_tvalid && !s_tready)) assert (s_tvalid && $stable(s_tdata) && $stable(s_tlast));
    if ($past(l_tvalid && !l_tready)) assert (l_tvalid && $stable(l_tdata) && $stable(l_tlast));
  end
  always @(posedge clk) if (started && !rst) begin
    if (takes) assert (run_valid && !run_skip && (of_command || fed != inputs));
    if (takes) assert (word_last == (of_command ? gone == commands - 32'd1 : fed == inputs - 32'd1));
    if (known) assert (run_valid && !was_known);
    if (run_taken) begin
      assert (run_valid && (was_known || known));
      if (run_skip) assert (gone == 32'd0);
      else assert (gone + {31'd0, takes && of_command} == commands && fed + {31'd0, takes && !of_command} == inputs);
      if (headed != 4'd0) assert (headed == 4'd8 && landed + {31'd0, l_moves} == count);
      else assert (landed == 32'd0);
    end
    if (s_moves) begin
      assert (was_known && !wrong && s_tlast == (of_command ? headed == 4'd7 && inputs == 32'd0 : fed == inputs - 32'd1));
      assert (of_command ? headed < 4'd8 && landed == 32'd0 : headed == 4'd8 && landed == count);
    end
    if (l_moves) assert (was_known && !wrong && (l_tlast == (landed == count - 32'd1)) && landed != count && headed == 4'd8 && of_command);
    if (takes && s_tvalid) assert (s_moves);
    if (takes && l_tvalid) assert (l_moves);
    if (r_write) assert (alone && (state == CLEAR || state == STAGE_COUNT || (word_valid && of_command)));
  end
  // For the induction.
  wire fire = state == HEAD || state == LAND || state == PAD || state == BODY;
  always @(posedge clk) if (started && !rst) begin
    assert (state <= SWALLOW);
    if (state == REST) assert (gone == 32'd0 && fed == 32'd0 && headed == 4'd0 && landed == 32'd0 && !was_known);
    else assert (run_valid && !run_skip && left <= commands && body_left <= inputs && gone + left == commands && fed + body_left == inputs && (left == 32'd0 || fed == 32'd0));
    if (state == LINE) assert (gone == done && done < 32'd8);
    if (state == CHECK || state == WAIT) assert (gone == 32'd8);
    if (state == LINE || state == CHECK || state == WAIT || state == TABLE || state == STAGE_COUNT || state == CLEAR || state == SETTLE)
      assert (!was_known);
    if (fire || state == ANSWER) assert (was_known && !wrong);
    if (state == SWALLOW) assert (was_known && wrong);
    if (!fire) assert (headed == 4'd0 && landed == 32'd0);
    if (fire) assert (count != 32'd0 && count <= 32'(ROUTES) && commands == 32'd16 + ((count + 32'd7) & ~32'd7));
    if (state == HEAD) assert (gone == 32'd8 + done && done < 32'd8 && headed == done[3:0] && landed == 32'd0);
    if (state == LAND) assert (gone == 32'd16 + done && done < count && headed == 4'd8 && landed == done);
    if (state == PAD) assert (left != 32'd0 && headed == 4'd8 && landed == count);
    if (state == BODY) assert (left == 32'd0 && body_left != 32'd0 && headed == 4'd8 && landed == count);
    if (state == WAIT || state == TABLE || state == STAGE_COUNT || state == CLEAR || state == SETTLE || state == ANSWER)
      assert (in_bytes == 32'd0);
    if (state == TABLE) assert (alone && left != 32'd0);
    if (state == STAGE_COUNT || state == CLEAR) assert (alone);
    if (state == STAGE_COUNT || state == CLEAR || state == SETTLE || state == ANSWER) assert (left == 32'd0);
    if (state == ANSWER || (state == WAIT && describes)) assert (commands == 32'd8);
    if (state != TABLE) assert (!high);
  end
