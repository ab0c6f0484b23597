  // Every word that comes leaves once, in its place of a beat; a packet begins with a beat, and zeros fill its last one.
  logic started;
  initial started = 1'b0;
  logic has, tail;          // a whole beat; it ends its packet
  logic [WIDTH-1:0] words;  // of the beat that is whole or fills
  logic [2:0] user;         // of its last word
  logic [3:0] number;       // of the next word
  wire comes = in_valid && in_ready;
  wire completes = in_last || number == 4'(WORDS - 1);
  always @(posedge clk) begin
    started <= 1'b1;
    if (out_valid && out_ready) has <= 1'b0;
    if (comes) begin
      words <= (number == 4'd0 ? '0 : words) | (WIDTH'(in_data) << {number, 6'd0});
      {has, tail, user, number} <= {completes, in_last, in_user, completes ? 4'd0 : number + 4'd1};
    end
    if (rst) {has, number} <= 5'd0;
  end
  always @* if (!started) assume (rst);

  always @* if (started) begin
    assert (out_valid == has);
    if (in_ready) assert (!has || out_ready);
    if (!has) assert (in_ready);
    if (out_valid) assert (out_data == words && out_last == tail && out_user == user);
    if (rests) assert (!has && number == 4'd0);
    // For the induction.
    assert (4'(word) == number && number < 4'(WORDS));
    if (number != 4'd0) assert (!has && out_data == words && words >> {number, 6'd0} == '0);
  end
