// Sends the packets of one plan after the other: for each route a header, with the next sequence number of its channel, and
// behind the first header the result. A header's CRC is computed while its beats leave.
module wact_router #(
    parameter integer ROUTES = 256,
    parameter integer CHANNELS = 64,
    parameter integer NOTE = 9
) (
    input  logic                          clk,
    input  logic                          rst,
    input  logic                          clears,         // entry after entry of the sequence counters
    input  logic [  $clog2(CHANNELS)-1:0] clear_at,
    output logic                          rests,
    input  logic                          table_write,
    input  logic [  $clog2(ROUTES)+3:0]   table_address,
    input  logic [                  31:0] table_wdata,
    // The words of incoming headers: of four packets, the one that comes in and those under way.
    input  logic                          word_write,
    input  logic [                   4:0] word_at,
    input  logic [                  63:0] word_data,
    // A plan. With a rejection nothing leaves.
    input  logic                          plan,
    output logic                          plan_taken,
    input  logic [                   4:0] plan_rejection,
    input  logic [                   3:0] plan_fault,
    input  logic                          plan_poison,
    input  logic [                  31:0] plan_origin,
    input  logic [                  31:0] plan_bytes,
    input  logic                          plan_has_prefix,
    input  logic [                 127:0] plan_prefix,
    input  logic [    $clog2(ROUTES)-1:0] plan_first_route,
    input  logic [      $clog2(ROUTES):0] plan_routes,    // beats of its landing frame
    input  logic [              NOTE-1:0] plan_note,      // comes back at its end
    // The landing frame.
    output logic [    $clog2(ROUTES)-1:0] landing_index,
    input  logic [                  63:0] landing,
    // The queue of results.
    input  logic                          result_valid,
    output logic                          result_ready,
    input  logic [                   1:0] result_kind,
    input  logic [                  63:0] result_data,
    // The end of a plan, with its last beat.
    output logic                          ends,
    input  logic                          ends_ready,
    output logic [                   4:0] rejection,
    output logic [                   3:0] fault,
    output logic [              NOTE-1:0] note,
    output logic                          ran,            // the cycles of its cores stand in the queue of results
    output logic                          sent,           // it had beats
    output logic [      $clog2(ROUTES):0] routes,
    output logic                          emits,          // a packet has left whole
    output logic                          m_valid,
    input  logic                          m_ready,
    output logic [                  63:0] m_data,
    output logic                          m_last,
    output logic [                   1:0] m_user,
    output logic                          m_final         // the last beat of its plan
);
  localparam integer RW = $clog2(ROUTES), NW = $clog2(CHANNELS);
  localparam logic [2:0] REST = 3'd0, HEAD = 3'd1, PREFIX = 3'd2, BODY = 3'd3, TEXT = 3'd4, SKIP = 3'd5;
  logic [2:0] state;
  logic [2:0] beat;

  // The plan in hand.
  logic [4:0] plan_refused;
  logic is_poison, has_prefix;
  logic [31:0] origin, bytes;
  logic [127:0] prefix;
  logic [1:0] slot;
  logic [RW:0] route;
  wire poisons = is_poison || fault != wact_pkg::FAULT_NONE;
  wire first = route == '0;
  wire last_route = route + 1'b1 == routes;
  wire [31:0] payload_bytes = bytes + {25'd0, has_prefix, 6'd0};

  // Headers of packets in, lines of the route table: the answer comes a cycle after the request.
  logic [63:0] words[32];
  logic [63:0] word;
  logic [255:0] lines[ROUTES];
  /* verilator lint_off UNUSEDSIGNAL */  // some bits of it mean nothing
  logic [255:0] line;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [RW-1:0] entry, next_entry;
  logic [2:0] next_beat;
  wire [1:0] next_slot = plan_taken ? slot + 2'd1 : slot;
  wire [NW-1:0] line_channel = line[32*wact_interface_pkg::ROUTE_CHANNEL+:NW];
  logic [31:0] sequences[CHANNELS];  // each channel's last
  logic [31:0] last_sequence, sequence_now;
  logic [NW-1:0] channel;
  wire early = state == HEAD && beat < 3'd5;  // the line is that of this route
  integer k;
  always_ff @(posedge clk) begin
    word <= words[{next_slot, next_beat}];
    if (word_write) words[word_at] <= word_data;
    line <= lines[next_entry];
    for (k = 0; k < 8; k = k + 1)
      if (table_write && table_address[3:0] == 4'(k)) lines[table_address[RW+3:4]][32*k+:32] <= table_wdata;
    last_sequence <= sequences[early?line_channel : channel];
    if (clears || emits) sequences[clears?clear_at : channel] <= clears ? 32'd0 : sequence_now;
  end
  assign landing_index = route[RW-1:0];

  // One beat after the other.
  logic raw_valid, raw_head, raw_first, raw_poison, raw_last, raw_final;
  logic [63:0] raw;
  logic [1:0] raw_user;
  wire m_moves = !m_valid || m_ready;
  wire raw_moves = !raw_valid || m_moves;
  wire void_result = state == BODY && result_kind == wact_pkg::PUT_VOID;
  wire [2:0] last_text = 3'((bytes[5:0] - 6'd1) >> 3);
  logic ends_packet;
  always_comb
    case (state)
      HEAD: ends_packet = beat == 3'd7 && (!first || payload_bytes == 32'd0);
      PREFIX: ends_packet = beat == 3'd7 && bytes == 32'd0;
      BODY: ends_packet = result_kind != wact_pkg::PUT_DATA;
      TEXT: ends_packet = beat == last_text;
      default: ends_packet = 1'b0;
    endcase
  wire ends_plan = state == SKIP || (ends_packet && (last_route || void_result));
  wire has_beat = state == HEAD || state == PREFIX || state == TEXT || (state == BODY && result_valid && result_kind != wact_pkg::PUT_RUN);
  wire may = !ends_plan || ends_ready;
  wire steps = has_beat && raw_moves && may;
  assign result_ready = state == BODY && result_kind != wact_pkg::PUT_RUN && raw_moves && may;
  assign ends = ends_ready && (state == SKIP || (steps && ends_plan));
  assign rejection = void_result ? wact_interface_pkg::REJECT_LENGTH : plan_refused;
  assign ran = !poisons && bytes != 32'd0 && rejection == 5'd0;
  assign sent = state != SKIP;
  assign emits = steps && ends_packet && !void_result;
  assign plan_taken = plan && (state == REST || ends);
  assign rests = state == REST && !raw_valid && !m_valid;
  always_comb begin
    next_beat = beat;
    if (plan_taken || (steps && ends_packet)) next_beat = 3'd0;
    else if (steps && state != BODY) next_beat = beat + 3'd1;
    next_entry = plan_taken ? plan_first_route : early ? entry : entry + 1'b1;
  end

  // Beats 1 to 3 are those that came, but for the tag.
  wire [63:0] keep = beat == 3'd2 ? line[32*wact_interface_pkg::ROUTE_KEEP+:64] : ~64'd0;
  wire [63:0] step = beat == 3'd2 ? line[32*wact_interface_pkg::ROUTE_STEP+:64] : 64'd0;
  wire [7:0] flags = woa_packet_pkg::WOA_FLAG_HEADER_CRC |
                     (poisons && payload_bytes != 32'd0 ? woa_packet_pkg::WOA_FLAG_INLINE : 8'd0);
  wire [7:0] status = is_poison ? word[woa_packet_pkg::WOA_STATUS_BEAT_LSB+:8]
                                : poisons ? wact_pkg::fault_status(fault) : 8'd0;
  function automatic logic [31:0] start_of_header(input logic poison);
    start_of_header = {poison ? woa_packet_pkg::WOA_KIND_POISON : woa_packet_pkg::WOA_KIND_ACTIVATE, woa_packet_pkg::WOA_VERSION,
                       woa_packet_pkg::WOA_MAGIC};
  endfunction
  logic [63:0] head;
  always_comb
    case (beat)
      3'd0: head = {line[32*wact_interface_pkg::ROUTE_PORT+:16], status, flags, start_of_header(poisons)};
      3'd1, 3'd2, 3'd3: head = (word & keep) + step;
      3'd4: head = {is_poison ? word[woa_packet_pkg::WOA_ORIGIN_BEAT_LSB+:32] : origin,
                    line[32*wact_interface_pkg::ROUTE_STAGE+:32]};
      3'd5: head = {poisons ? 16'd0 : landing[wact_interface_pkg::LANDING_REGION+:16],
                    poisons || payload_bytes == 32'd0 ? 16'd0 : landing[wact_interface_pkg::LANDING_DEVICE+:16],
                    last_sequence + 32'd1};
      3'd6: head = {32'd0, payload_bytes};
      default: head = {32'd0, poisons ? 32'd0 : landing[wact_interface_pkg::LANDING_OFFSET+:32]};
    endcase

  always_ff @(posedge clk) begin
    beat <= next_beat;
    if (early) channel <= line_channel;
    if (state == HEAD && beat == 3'd5) sequence_now <= last_sequence + 32'd1;
    if (steps) begin
      if (ends_packet) begin
        state <= ends_plan ? REST : HEAD;
        route <= route + 1'b1;
        entry <= entry + 1'b1;
      end else if (state == HEAD && beat == 3'd7)
        state <= has_prefix ? PREFIX : fault != wact_pkg::FAULT_NONE ? TEXT : BODY;
      else if (state == PREFIX && beat == 3'd7) state <= BODY;
    end
    if (ends) state <= REST;
    if (plan_taken) begin
      {plan_refused, fault} <= {plan_rejection, plan_rejection == 5'd0 ? plan_fault : wact_pkg::FAULT_NONE};
      {is_poison, origin, bytes, note} <= {plan_poison, plan_origin, plan_bytes, plan_note};
      {has_prefix, prefix, routes, entry} <= {plan_has_prefix, plan_prefix, plan_routes, plan_first_route};
      route <= '0;
      slot <= next_slot;
      state <= plan_rejection != 5'd0 ? SKIP : HEAD;
    end
    if (raw_moves) begin
      raw_valid <= steps;
      {raw_head, raw_first, raw_poison} <= {state == HEAD, beat == 3'd0, poisons};
      {raw_last, raw_final, raw_user} <= {ends_packet, ends_plan, void_result, !first};
      case (state)
        HEAD: raw <= head;
        PREFIX: raw <= beat[2:1] != 2'd0 ? 64'd0 : prefix[64*beat[0]+:64];
        TEXT: raw <= wact_pkg::fault_text_beat(fault, beat);
        default: raw <= void_result ? 64'd0 : result_data;
      endcase
    end
    if (rst) begin
      state <= REST;
      beat <= 3'd0;
      slot <= 2'd3;
      raw_valid <= 1'b0;
    end
  end

  // The CRC runs half a beat behind: over the first half at once, which is known, then over the upper half of one beat and the
  // lower half of the next.
  logic [31:0] crc, upper;
  wire [31:0] next_crc = woa_packet_pkg::woa_crc32c_beat(crc, {raw[31:0], upper});
  logic [2:0] raw_beat;
  always_ff @(posedge clk) begin
    if (m_moves) begin
      m_valid <= raw_valid;
      m_data <= raw_head && raw_beat == 3'd7 ? {~next_crc, raw[31:0]} : raw;
      {m_last, m_user, m_final} <= {raw_last, raw_user, raw_final};
      if (raw_valid) begin
        crc <= raw_first ? woa_packet_pkg::woa_crc32c_half(~32'd0, start_of_header(raw_poison)) : next_crc;
        upper <= raw[63:32];
        raw_beat <= raw_head ? raw_beat + 3'd1 : 3'd0;
      end
    end
    if (rst) begin
      m_valid <= 1'b0;
      raw_beat <= 3'd0;
    end
  end
endmodule
