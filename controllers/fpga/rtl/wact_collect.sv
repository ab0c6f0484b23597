// Gathers what the node answers to one run, and says where it lies: payloads at the run's output, headers, messages of poison
// and completions in the lines of its result behind the directory. It answers `describe` from the registers.
module wact_collect (
    input  logic        clk,
    input  logic        rst,
    // The next run to be answered. These hold until `collected`.
    input  logic        run_valid,
    input  logic        fires,
    input  logic        describes,
    input  logic [31:0] routes,         // of its stage: a packet for each, unless it is rejected
    input  logic        dispatched,     // the run's last word has gone to the node
    input  logic [63:0] output_address,
    input  logic [63:0] result_address,
    input  logic [31:0] output_bytes,
    input  logic [31:0] result_bytes,
    output logic        answered,       // all is written, or will be
    output logic        collected,      // one cycle: the next five are final
    output logic        no_room,
    output logic [31:0] packets,
    output logic [31:0] packet_lines,
    output logic [31:0] completions,
    output logic [31:0] written,        // bytes at the output
    output logic        r_read,
    output logic [15:0] r_address,
    input  logic [31:0] r_rdata,
    input  logic [63:0] m_tdata,
    input  logic        m_tvalid,
    output logic        m_tready,
    input  logic        m_tlast,
    input  logic        m_void,
    input  logic [63:0] c_tdata,
    input  logic        c_tvalid,
    output logic        c_tready,
    input  logic        c_tlast,
    // To wact_write.
    output logic        piece_valid,
    input  logic        piece_ready,
    output logic [63:0] piece_address,
    output logic [31:0] piece_bytes,
    output logic        word_valid,
    input  logic        word_ready,
    output logic [63:0] word,
    output logic        keep
);
  localparam logic [3:0] REST = 4'd0, NEXT = 4'd1, PIECE = 4'd2, HEAD = 4'd3, BODY = 4'd4, TOLD = 4'd5, FILL = 4'd6, LOW = 4'd7,
                         HIGH = 4'd8, REGISTERS = 4'd9, DONE = 4'd10;
  logic [3:0] state, then_state;  // then_state: behind PIECE, or behind FILL
  logic [31:0] line;              // of the result, behind the directory: the next one that is free
  logic [31:0] left;              // words of the piece in hand
  logic drop;                     // it has no room: its words are taken and forgotten
  logic is_poison, void_packet;
  logic [31:0] payload_bytes;
  logic [15:0] register, registers;
  logic [31:0] low;
  wire [31:0] payload_lines = is_poison ? {6'd0, payload_bytes[31:6]} + {31'd0, payload_bytes[5:0] != 6'd0} : 32'd0;
  wire body_piece = state == PIECE && then_state == BODY;
  wire to_output = body_piece && !is_poison;
  wire [31:0] body_line = line + 32'd1;  // a message lies behind its header
  wire [31:0] at_line = body_piece ? body_line : line;
  wire [31:0] lines = body_piece ? payload_lines : 32'd1;
  wire [63:0] result_end = {26'd0, {6'd0, at_line} + {6'd0, lines} + 38'd1} << 6;
  wire fits = to_output ? payload_bytes <= output_bytes : result_end <= {32'd0, result_bytes};
  assign piece_valid = state == PIECE && fits;
  assign piece_bytes = body_piece ? payload_bytes : 32'd64;
  assign piece_address = to_output ? output_address : result_address + {26'd0, at_line + 32'd1, 6'd0};

  wire from_m = state == HEAD || state == BODY;
  wire offers = from_m ? m_tvalid : state == TOLD ? c_tvalid : state == FILL || state == REGISTERS;
  wire takes = offers && (drop || word_ready);
  assign word_valid = offers && !drop;
  assign keep = state != FILL;
  assign word = from_m ? m_tdata : state == TOLD ? c_tdata : {r_rdata, low};
  assign m_tready = from_m && (drop || word_ready);
  assign c_tready = state == TOLD && (drop || word_ready);
  assign r_read = state == LOW || state == HIGH;
  assign r_address = register;
  assign answered = state == DONE;
  assign collected = state == DONE && dispatched;
  wire packet_ends = from_m && takes && m_tlast;
  wire ends_void = m_void || left != 32'd1;

  task automatic write_piece(input logic [3:0] words);
    state <= PIECE;
    then_state <= words;
  endtask

  always_ff @(posedge clk) begin
    if (takes) left <= left - 32'd1;
    case (state)
      REST: begin
        {line, packets, packet_lines, completions, written} <= 160'd0;
        {no_room, void_packet} <= 2'b00;
        {register, registers} <= {16'd0, 16'd64};
        if (run_valid) begin
          if (describes) write_piece(LOW);
          else state <= fires ? NEXT : DONE;
        end
      end
      NEXT:  // a rejection's completion comes before the first beat of the next packet
      if (c_tvalid) write_piece(TOLD);
      else if (m_tvalid && !void_packet && packets != routes) write_piece(HEAD);
      PIECE: begin
        drop <= !fits;
        no_room <= no_room || !fits;
        left <= (piece_bytes >> 3) + {31'd0, piece_bytes[2:0] != 3'd0};
        if (!fits || piece_ready) state <= then_state;
      end
      HEAD:
      if (takes) begin
        if (left == 32'd8) is_poison <= m_tdata[woa_packet_pkg::WOA_KIND_LSB+:8] == woa_packet_pkg::WOA_KIND_POISON;
        if (left == 32'd2) payload_bytes <= m_tdata[31:0];
        if (left == 32'd1 && !m_tlast) write_piece(BODY);
      end
      TOLD:
      if (takes) begin
        completions <= completions + 32'd1;
        if (left == 32'd1 || c_tlast) begin
          line <= line + 32'd1;
          then_state <= c_tlast ? DONE : NEXT;
          state <= left != 32'd1 ? FILL : c_tlast ? DONE : NEXT;
        end
      end
      BODY: ;  // ends with its packet, below
      FILL: if (takes && left == 32'd1) state <= then_state;
      LOW: begin
        register <= register + 16'd1;
        state <= HIGH;
      end
      HIGH: begin
        low <= r_rdata;
        register <= register + 16'd1;
        state <= REGISTERS;
      end
      REGISTERS: begin  // register 1 says how many cores there are: a line for every four
        if (register == 16'd2) registers <= 16'd64 + {5'd0, {1'b0, r_rdata[7:2]} + 7'(r_rdata[1:0] != 2'd0), 4'd0};
        if (takes) begin
          if (left != 32'd1) state <= LOW;
          else begin
            line <= line + 32'd1;
            packet_lines <= line + 32'd1;
            if (register != registers) write_piece(LOW);
            else state <= DONE;
          end
        end
      end
      DONE: if (dispatched) state <= REST;
      default: state <= REST;
    endcase
    if (packet_ends) begin
      state <= left != 32'd1 ? FILL : NEXT;
      then_state <= NEXT;
      if (ends_void) begin
        void_packet <= 1'b1;
        written <= 32'd0;
      end else begin
        packets <= packets + 32'd1;
        line <= line + 32'd1 + (state == BODY ? payload_lines : 32'd0);
        packet_lines <= line + 32'd1 + (state == BODY ? payload_lines : 32'd0);
        if (state == BODY && !is_poison && !drop) written <= payload_bytes;
      end
    end
    if (rst) state <= REST;
  end
endmodule
