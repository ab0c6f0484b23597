  // A run ends once: after its directory, if it has a place, has been given as one piece of eight words, whose writes were
  // answered as all writes of the run before were. Offers stand until they are taken.
  logic started;
  initial started = 1'b0;
  logic began;         // the run's piece has been taken
  logic [3:0] gone;    // words of it
  logic [63:0] shown;  // the word that stands
  always @(posedge clk) begin
    started <= 1'b1;
    shown <= word;
    if (piece_valid && piece_ready) {began, gone} <= {1'b1, 4'd0};
    if (word_valid && word_ready) gone <= gone + 4'd1;
    if (rst || (ended && told)) {began, gone} <= 5'd0;
  end
  always @* if (!started) assume (rst);
  // The kernel keeps to this: a run's writes are answered, and then it writes no more than its directory.
  always @(posedge clk) if (started && !$past(rst) && $past(run_valid && !(ended && told)))
    assume (run_valid && $stable(silent) && $stable(result_address) && $stable(fields) && $stable(cycles_high) &&
            (!$past(settled) || settled || $past(word_valid)));
  always @* if (told) assume (ended);

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(piece_valid && !piece_ready)) assert (piece_valid && $stable(piece_address) && $stable(piece_bytes));
    if ($past(word_valid && !word_ready)) assert (word_valid && word == shown);
    if ($past(ended && !told)) assert (ended);
  end
  always @(posedge clk) if (started && !rst) begin
    if (piece_valid) assert (run_valid && settled && !silent && !began && piece_bytes == 32'd64);
    if (word_valid) assert (began && gone < 4'd8 && word == line[64*gone[2:0]+:64]);
    if (ended) assert (run_valid && settled && (silent ? !began : began && gone == 4'd8));
    // For the induction.
    if (state == WAIT || state == PIECE) assert (!began && gone == 4'd0);
    if (state == WORDS) assert (began && !silent && gone == {1'b0, number});
    if (state == END) assert (silent ? !began : began && gone == 4'd8);
    if (state != WAIT) assert (run_valid);
    if (state == PIECE) assert (settled && !silent && number == 3'd0);
  end
