// Takes packets off the stream: eight beats of header, checked while they come in, then the payload into its queue.
//
// Every packet gets a check, whole or not. Its payload ends in the queue with one beat marked `last`, and `bad` where TLAST and
// payload_bytes disagree; the queue gets nothing of a packet that ends with its header.
module wact_header (
    input  logic        clk,
    input  logic        rst,
    input  logic        hold,      // take no packet now
    output logic        rests,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic [63:0] in_data,
    input  logic        in_tail,   // TLAST came with this word
    input  logic        in_end,    // it is the last word of its beat
    output logic        in_done,   // the packet ends with this word: what follows of its beat is padding
    // The header's words as they come; they are kept until the packet has left.
    output logic        word_valid,
    output logic [ 2:0] word,
    // A header that is complete, or broken off; it holds still until taken.
    output logic        check,
    input  logic        taken,
    output logic [ 4:0] rejection,
    output logic        is_poison,
    output logic        ended,     // no payload came with it
    output logic [31:0] stage,
    output logic        port,      // input 0 or 1
    output logic [63:0] instance_of,
    output logic [31:0] payload_bytes,
    output logic        put_valid,
    input  logic        put_ready,
    output logic        put_last,
    output logic        put_bad
);
  localparam logic [1:0] HEAD = 2'd0, BODY = 2'd1, DROP = 2'd2;
  localparam logic [7:0] REFUSED_FLAGS = woa_packet_pkg::WOA_FLAG_ABSENT | woa_packet_pkg::WOA_FLAG_PAYLOAD_CRC;
  // A CRC over data and their own CRC leaves this.
  localparam logic [31:0] CRC_GOOD = woa_packet_pkg::woa_crc32c_half(~32'd0, 32'd0);
  logic [1:0] state;
  logic [511:0] head;
  logic [31:0] crc;
  logic runt;
  logic [28:0] left;  // beats of payload still to come
  wire takes = in_valid && in_ready;
  wire final_word = left <= 29'd1;
  wire cut = in_tail && in_end && !final_word;

  assign rests = state == HEAD && word == 3'd0 && !check;
  assign in_ready = state == HEAD ? !check && !hold : state == DROP || put_ready;
  assign word_valid = state == HEAD && takes;
  assign put_valid = state == BODY && in_valid;
  assign put_last = final_word || cut;
  assign put_bad = put_last && (cut || !in_tail || left == 29'd0);
  assign in_done = state == HEAD ? word == 3'd7 && in_tail : state == BODY ? put_last && in_tail : in_tail;

  always_ff @(posedge clk) begin
    if (taken) {check, runt} <= 2'b00;
    if (takes)
      case (state)
        HEAD: begin
          head <= {in_data, head[511:64]};
          crc <= woa_packet_pkg::woa_crc32c_beat(word == 3'd0 ? ~32'd0 : crc, in_data);
          word <= word + 3'd1;
          left <= 29'(wact_pkg::beats(head[479:448]));  // payload_bytes, when the last beat comes
          ended <= in_tail;
          if (word == 3'd7) begin
            check <= 1'b1;
            if (!in_tail) state <= BODY;
          end else if (in_tail && in_end) begin
            {check, runt} <= 2'b11;
            word <= 3'd0;
          end
        end
        BODY: begin
          left <= left - 29'd1;
          if (put_last) state <= in_tail ? HEAD : DROP;
        end
        default: if (in_tail) state <= HEAD;
      endcase
    if (rst) begin
      state <= HEAD;
      word <= 3'd0;
      {check, runt} <= 2'b00;
    end
  end

  wire [7:0] kind = head[woa_packet_pkg::WOA_KIND_LSB+:8];
  wire [31:0] beyond = head[woa_packet_pkg::WOA_PAYLOAD_BYTES_LSB+32+:32];
  wire [31:0] told_crc = head[woa_packet_pkg::WOA_CRC32C_LSB+:32];
  wire [7:0] broken_rule = woa_packet_pkg::woa_packet_rejection(head, crc == CRC_GOOD ? told_crc : ~told_crc);
  assign is_poison = kind == woa_packet_pkg::WOA_KIND_POISON;
  assign payload_bytes = head[woa_packet_pkg::WOA_PAYLOAD_BYTES_LSB+:32];
  assign stage = head[woa_packet_pkg::WOA_STAGE_LSB+:32];
  assign port = head[woa_packet_pkg::WOA_PORT_LSB];
  assign instance_of = head[woa_packet_pkg::WOA_INSTANCE_LSB+:64];
  always_comb begin
    if (runt) rejection = wact_interface_pkg::REJECT_LENGTH;
    else if (broken_rule != woa_packet_pkg::WOA_REJECT_NONE) rejection = broken_rule[4:0];
    else if ((kind != woa_packet_pkg::WOA_KIND_ACTIVATE && !is_poison) || beyond != 32'd0 || payload_bytes[31] ||
             (head[woa_packet_pkg::WOA_FLAGS_LSB+:8] & REFUSED_FLAGS) != 8'd0 || head[woa_packet_pkg::WOA_PORT_LSB+1+:15] != 15'd0)
      rejection = wact_interface_pkg::REJECT_USE;
    else if ((payload_bytes == 32'd0) != ended) rejection = wact_interface_pkg::REJECT_LENGTH;
    else rejection = 5'd0;
  end
endmodule
