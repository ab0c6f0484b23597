  // Every word of a beat leaves once, in order, and none behind the packet's end; the next beat comes when they have left.
  logic started;
  initial started = 1'b0;
  logic has, tail;          // a beat with words left; it came with TLAST
  logic [WIDTH-1:0] words;  // those left
  logic [3:0] number;       // of the next one
  wire goes = out_valid && out_ready;
  wire finishes = goes && (number == 4'(WORDS - 1) || out_done);
  always @(posedge clk) begin
    started <= 1'b1;
    if (goes) {words, number} <= {64'd0, words[WIDTH-1:64], number + 4'd1};
    if (finishes) has <= 1'b0;
    if (in_valid && in_ready) {has, tail, words, number} <= {1'b1, in_last, in_data, 4'd0};
    if (rst) has <= 1'b0;
  end
  always @* if (!started) assume (rst);

  always @* if (started) begin
    assert (out_valid == has);
    if (in_ready) assert (!has || finishes);
    if (!has) assert (in_ready);
    if (out_valid) assert (out_data == words[63:0] && out_tail == tail && out_end == (number == 4'(WORDS - 1)));
    // For the induction.
    if (has) assert (rest == words && 4'(word) == number && number < 4'(WORDS));
  end
