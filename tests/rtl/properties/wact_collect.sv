  // Every piece that is announced gets exactly its words, and lies within the room of the output or of the result. What the node
  // says is written or, where there is no room, dropped: no word is lost or repeated. Each run is collected once.
  logic started;
  initial started = 1'b0;
  logic [31:0] owed;         // words of the announced piece that have not been given
  logic [31:0] in_packet;    // words of the node's packet that have come
  logic [31:0] told_bytes;   // of its payload, by its header
  logic dropped;             // a piece of this run had no room
  wire announces = piece_valid && piece_ready;
  wire gives = word_valid && word_ready;
  wire m_moves = m_tvalid && m_tready, c_moves = c_tvalid && c_tready;
  wire [31:0] payload_words = wact_pkg::beats(told_bytes);
  wire [31:0] place = at_line + 32'd1;  // the piece's line of the result
  wire [38:0] piece_end = {1'b0, place, 6'd0} + {7'd0, piece_bytes};
  always @(posedge clk) begin
    started <= 1'b1;
    if (announces) owed <= wact_pkg::beats(piece_bytes);
    else owed <= owed - {31'd0, gives};
    if (m_moves) begin
      in_packet <= m_tlast ? 32'd0 : in_packet + 32'd1;
      if (in_packet == 32'd6) told_bytes <= m_tdata[31:0];
    end
    dropped <= !collected && (dropped || (state == PIECE && !fits));
    if (rst) {owed, in_packet, dropped} <= 65'd0;
  end
  // The kernel keeps to this: the run stands until it is collected.
  always @* if (!started) assume (rst);
  always @(posedge clk) if (started && !$past(rst)) begin
    if ($past(run_valid && !collected))
      assume (run_valid && $stable(fires) && $stable(describes) && $stable(routes) && $stable(output_address) &&
              $stable(result_address) && $stable(output_bytes) && $stable(result_bytes) && (dispatched || !$past(dispatched)));
    if ($past(m_tvalid && !m_tready)) assume (m_tvalid && $stable(m_tdata) && $stable(m_tlast) && $stable(m_void));
    if ($past(c_tvalid && !c_tready)) assume (c_tvalid && $stable(c_tdata) && $stable(c_tlast));
    if (!$past(r_read)) assume ($stable(r_rdata));
  end
  // The node keeps to this: 8 words of header, then the payload that it tells; only a void packet ends earlier. Its payload is
  // below 2 GiB.
  always @* if (m_tvalid) begin
    if (in_packet < 32'd7) assume (!m_tlast || m_void);
    if (in_packet == 32'd6) assume (!m_tdata[31]);
    if (in_packet == 32'd7) assume (m_tlast == (told_bytes == 32'd0) || (m_tlast && m_void));
    if (in_packet >= 32'd8) assume (m_tlast == (in_packet == payload_words + 32'd7) || (m_tlast && m_void));
  end

  always @(posedge clk) if (started && !rst && !$past(rst)) begin
    if ($past(piece_valid && !piece_ready)) assert (piece_valid && $stable(piece_address) && $stable(piece_bytes));
    if ($past(word_valid && !word_ready)) assert (word_valid && $stable(word) && $stable(keep));
  end
  always @(posedge clk) if (started && !rst) begin
    if (piece_valid) begin
      assert (run_valid && owed == 32'd0 && piece_bytes != 32'd0);
      if (to_output) assert (piece_address == output_address && piece_bytes <= output_bytes);
      else assert (piece_address == result_address + {26'd0, place, 6'd0} && place != 32'd0 && piece_end <= {7'd0, result_bytes});
    end
    if (word_valid) assert (owed != 32'd0);
    if (collected) assert (run_valid && dispatched && owed == 32'd0 && no_room == dropped);
    assert (!(m_moves && c_moves));
    if ((m_moves || c_moves) && !drop) assert (gives && word == (m_moves ? m_tdata : c_tdata));
    // For the induction.
    assert (state <= DONE);
    if (state != REST) assert (run_valid && no_room == dropped);
    else assert (!dropped && owed == 32'd0 && in_packet == 32'd0);
    if (state == NEXT || state == DONE) assert (owed == 32'd0 && in_packet == 32'd0);
    if (state == PIECE) assert (owed == 32'd0 && in_packet == (then_state == BODY ? 32'd8 : 32'd0));
    if (state == PIECE) assert (then_state == HEAD || then_state == TOLD || then_state == LOW || then_state == BODY);
    if (state == FILL) assert (then_state == NEXT || then_state == DONE);
    if (state == HEAD || state == BODY || state == TOLD || state == FILL || state == LOW || state == HIGH || state == REGISTERS)
      assert (left != 32'd0 && owed == (drop ? 32'd0 : left));
    if (state == FILL || state == TOLD || state == LOW || state == HIGH || state == REGISTERS) assert (in_packet == 32'd0);
    if (state == HEAD) assert (left <= 32'd8 && in_packet + left == 32'd8);
    if (state == HEAD && left == 32'd1) assert (payload_bytes == told_bytes && !told_bytes[31]);
    if (state == BODY) assert (in_packet >= 32'd8 && left <= payload_words && in_packet + left == 32'd8 + payload_words);
    if (state == BODY || (state == PIECE && then_state == BODY))
      assert (payload_bytes == told_bytes && told_bytes != 32'd0 && !told_bytes[31]);
  end
