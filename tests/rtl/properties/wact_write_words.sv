  // Every word of a piece leaves once, in order, in its place of a beat, and no other byte is written.
  logic started;
  initial started = 1'b0;
  localparam logic [31:0] LANES = WORDS;
  logic [31:0] size;  // bytes of the piece in hand
  logic [31:0] came;  // its words
  logic [31:0] went;  // those that left
  (* anyconst *) wire [31:0] n;  // a word of it
  logic [63:0] kept;
  logic [7:0] kept_strobe;
  wire [31:0] words = {3'd0, size[31:3]} + {31'd0, size[2:0] != 3'd0};
  wire [7:0] all_of_it = n == words - 32'd1 && size[2:0] != 3'd0 ? ~(8'hff << size[2:0]) : 8'hff;
  wire [31:0] behind = n - went;  // words that leave before it
  wire [31:0] in_hand = came - went;
  wire [63:0] data_n = 64'(wdata >> {behind[2:0], 6'd0});
  wire [7:0] strobe_n = 8'(wstrb >> {behind[2:0], 3'd0});
  always @(posedge clk) begin
    started <= 1'b1;
    if (piece_valid && piece_ready) {size, came, went} <= {piece_bytes, 64'd0};
    if (wvalid && wready) went <= came;
    if (takes) begin
      came <= came + 32'd1;
      if (came == n) {kept, kept_strobe} <= {word, keep ? all_of_it : 8'd0};
    end
    if (rst) {size, came, went} <= 96'd0;
  end
  always @* begin
    if (!started) assume (rst);
    if (piece_valid) assume (piece_bytes != 32'd0);
  end

  always @* if (started) begin
    if (takes) assert (came < words);
    if (wvalid) begin
      assert (in_hand != 32'd0 && (in_hand == LANES || (in_hand < LANES && came == words)));
      if (behind < in_hand) assert (data_n == kept && strobe_n == kept_strobe);
      else if (behind < LANES) assert (strobe_n == 8'd0);
    end
    // For the induction.
    assert (writing || !full);
    if (writing) begin
      assert (came <= words && bytes_left == (came < words ? size - {came[28:0], 3'd0} : 32'd0));
      assert (full ? place == '0 : in_hand == {{(32 - WW) {1'b0}}, place} && in_hand < LANES);
      assert (place == '0 || came < words);
      if (behind < in_hand) assert (data_n == kept && strobe_n == kept_strobe);
      if (in_hand != 32'd0 && behind >= in_hand && behind < LANES) assert (strobe_n == 8'd0);
    end
  end
