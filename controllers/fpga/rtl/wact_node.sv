// The FPGA packet node: activation packets in, kernels, activation packets out, over AXI4-Streams.
//
// A packet is received and checked, its stage looked up in the stage table, its payload run through a kernel core or a chain of
// them, and one packet per route of the last stage leaves with a finished header: nobody after this module changes a byte of it.
// Poison, and a kernel that cannot run, leave as poison on the same routes. A bad packet is counted by its reason and dropped.
// While one packet leaves, the next is planned and may run on other cores, and the one after comes in. They leave in order.
//
// l_: a frame for each packet in, a beat for each route: where the result goes. c_: after a packet's last beat out, a beat for each
// stage of its chain: how it went. Beats of l_ and c_ are wact.json's landing_beat and completion_beat.
// m_tuser[0]: a further route of the same firing, header only; the payload is that of the firing's first packet.
// m_tuser[1], with TLAST: the input broke off. This packet is void: forget all of it; its sequence number is used again.
module wact_node #(
    parameter integer STAGES = 64,             // these three: powers of two
    parameter integer ROUTES = 256,
    parameter integer CHANNELS = 64,
    parameter integer LINE_BYTES = 16384,
    parameter integer PLACES = 4,              // for packets that wait for another: a power of two from 2 on, or 0
    parameter integer PLACE_BYTES = 16384,     // of payload: a power of two
    parameter integer WIDTH = 64,              // of s_ and m_: 64, 128, 256 or 512
    parameter logic [31:0] CORES = ~32'd0      // bit k: core k is built in
) (
    input  logic             clk,
    input  logic             rst,
    // Registers: tables and counters. Written while idle only; a read answers in the next cycle.
    input  logic             r_write,
    input  logic             r_read,
    input  logic [     15:0] r_address,
    input  logic [     31:0] r_wdata,
    output logic [     31:0] r_rdata,
    output logic             idle,
    input  logic [WIDTH-1:0] s_tdata,
    input  logic             s_tvalid,
    output logic             s_tready,
    input  logic             s_tlast,
    input  logic [     63:0] l_tdata,
    input  logic             l_tvalid,
    output logic             l_tready,
    input  logic             l_tlast,
    output logic [WIDTH-1:0] m_tdata,
    output logic             m_tvalid,
    input  logic             m_tready,
    output logic             m_tlast,
    output logic [      1:0] m_tuser,
    output logic [     63:0] c_tdata,
    output logic             c_tvalid,
    input  logic             c_tready,
    output logic             c_tlast
);
  localparam integer SW = $clog2(STAGES), RW = $clog2(ROUTES);

  // Registers and tables.
  wire writes_stages, writes_routes, clears;
  wire [SW:0] stages;
  wire [$clog2(CHANNELS)-1:0] clear_at;
  wire emits, told, told_fault, waits, header_rests;
  wire [4:0] told_rejection;
  wire [7:0] waiting, core_count, name_of;
  wire [127:0] name;
  wire in_valid, in_ready;
  wact_registers #(.STAGES(STAGES), .ROUTES(ROUTES), .CHANNELS(CHANNELS), .PLACES(PLACES), .PLACE_BYTES(PLACE_BYTES)) registers (
      .clk, .rst, .r_write, .r_read, .r_address, .r_rdata, .r_wdata(r_wdata[SW:0]), .writes_stages, .writes_routes, .stages, .clears, .clear_at,
      .idle, .starves(!idle && (waits || (!header_rests && in_ready && !in_valid))),
      .stalls((m_tvalid && !m_tready) || (c_tvalid && !c_tready)), .emits, .told, .told_rejection, .told_fault, .waiting,
      .core_count, .name_of, .name);

  // Packets in.
  wire [63:0] in_data;
  wire in_tail, in_end, in_done;
  wact_narrow #(.WIDTH(WIDTH)) narrow (
      .clk, .rst, .in_valid(s_tvalid), .in_ready(s_tready), .in_data(s_tdata), .in_last(s_tlast), .out_valid(in_valid),
      .out_ready(in_ready), .out_data(in_data), .out_tail(in_tail), .out_end(in_end), .out_done(in_done));
  wire word_valid, check, check_taken, check_poison, check_ended, check_port;
  wire [2:0] word;
  wire [4:0] check_rejection;
  wire [31:0] check_stage, check_bytes;
  wire [63:0] check_instance;
  wire put_valid, put_ready, put_last, put_bad;
  wact_header header (
      .clk, .rst, .hold(clears), .rests(header_rests), .in_valid, .in_ready, .in_data, .in_tail, .in_end, .in_done, .word_valid, .word,
      .check, .taken(check_taken), .rejection(check_rejection), .is_poison(check_poison), .ended(check_ended), .stage(check_stage),
      .port(check_port), .instance_of(check_instance), .payload_bytes(check_bytes), .put_valid, .put_ready, .put_last, .put_bad);
  wire beat_valid, beat_last, beat_bad, plan_beat_ready, body_beat_ready, feeding;
  wire [63:0] beat;
  wire got_valid, got_ready, got_last, got_bad;
  wire [63:0] got;
  wact_fifo #(.WIDTH(66)) payload (
      .clk, .rst, .in_valid(put_valid), .in_ready(put_ready), .in_data({put_last, put_bad, in_data}), .out_valid(got_valid),
      .out_ready(got_ready), .out_data({got_last, got_bad, got}));
  wire port, other, same, full, match_busy, forgets, meets, stores, keeps, merges, plan_ended;
  wire [3:0] held_fault;
  wire [31:0] held_bytes;
  wire [127:0] held_dims, own_dims;
  wact_match #(.STAGES(STAGES), .PLACES(PLACES), .PLACE_BYTES(PLACE_BYTES)) match (
      .clk, .rst, .clears, .waiting, .look(check_taken), .check_instance, .check_port, .entry(first_entry), .port, .other, .same, .full,
      .busy(match_busy), .held_fault, .held_bytes, .held_dims, .forgets, .meets, .stores, .keeps, .fault(plan_fault), .bytes(plan_bytes),
      .dims(own_dims), .merges(feeds && feeds_ready && merges), .ended(plan_ended), .in_valid(got_valid), .in_ready(got_ready),
      .in_last(got_last), .in_bad(got_bad), .in_data(got), .out_valid(beat_valid),
      .out_ready(feeding ? body_beat_ready : plan_beat_ready), .out_last(beat_last), .out_bad(beat_bad), .out_data(beat));

  // The plan.
  wire [SW-1:0] found, line_of, first_entry;
  wire [511:0] line;
  wact_lookup #(.STAGES(STAGES)) lookup (
      .clk, .table_write(writes_stages), .table_address(r_address[SW+3:0]), .table_wdata(r_wdata),
      .look(word_valid && word == 3'(woa_packet_pkg::WOA_STAGE_BEAT)), .number(in_data[woa_packet_pkg::WOA_STAGE_BEAT_LSB+:10]), .found,
      .entry(line_of), .line);
  wire frame_whole, frame_longer, frame_taken;
  wire [RW:0] frame_length;
  wire core_start, chained, core_ready, core_twice, core_pairs, core_planned;
  wire [7:0] core, previous, first_core;
  wire [3:0] core_fault;
  wire [31:0] core_bytes, in_bytes, second_bytes;
  wire [127:0] dims, core_dims;
  wire [63:0] params;
  wire plan_rests, feeds, feeds_ready, plan, plan_taken, plan_poison, plan_has_prefix;
  wire [4:0] plan_rejection;
  wire [3:0] plan_fault;
  wire [31:0] plan_origin, plan_bytes;
  wire [127:0] plan_prefix;
  wire [RW-1:0] first_route;
  wire [2:0] plan_failed;
  wact_plan #(.STAGES(STAGES), .ROUTES(ROUTES), .PLACE_BYTES(PLACE_BYTES)) planner (
      .clk, .rst, .rests(plan_rests), .waits, .check, .check_taken, .check_rejection, .check_poison, .check_port, .check_ended, .check_stage,
      .check_bytes, .stages, .found, .line_of, .line, .beat_valid(beat_valid && !feeding), .beat_ready(plan_beat_ready), .beat,
      .beat_last, .beat_bad, .port, .other, .same, .full, .match_busy, .held_fault, .held_bytes, .held_dims, .forgets, .meets, .stores,
      .keeps, .own_dims, .merges, .ended(plan_ended), .frame_whole, .frame_length, .frame_longer, .frame_taken, .core_start, .core, .previous, .chained, .dims,
      .in_bytes, .second_bytes, .params, .core_ready, .core_twice, .core_pairs, .core_planned, .core_fault, .core_dims, .core_bytes, .feeds, .feeds_ready, .first_core,
      .sends(plan), .sends_ready(plan_taken), .rejection(plan_rejection), .fault(plan_fault), .is_poison(plan_poison),
      .origin(plan_origin), .bytes(plan_bytes), .has_prefix(plan_has_prefix), .prefix(plan_prefix), .first_route, .first_entry,
      .failed(plan_failed));

  // Payload and cores.
  wire into_valid, into_ready, from_valid, from_ready, core_done, body_rests;
  wire [7:0] into, from, at, follower;
  wire [63:0] from_data;
  wire [31:0] cycles;
  wire result_in_valid, result_in_ready;
  wire [1:0] result_in_kind;
  wire [63:0] result_in_data;
  wact_body body (
      .clk, .rst, .rests(body_rests), .feeding, .feeds, .feeds_ready, .past(plan_poison), .first_core, .last_core(core),
      .bytes(plan_bytes), .beat_valid, .beat_ready(body_beat_ready), .beat, .beat_last, .beat_bad, .into_valid, .into_ready, .into,
      .from, .from_valid, .from_ready, .from_data, .core_done, .at, .follower, .cycles, .put_valid(result_in_valid),
      .put_ready(result_in_ready), .put_kind(result_in_kind), .put_data(result_in_data));
  wact_cores #(.LINE_BYTES(LINE_BYTES), .CORES(CORES)) cores (
      .clk, .rst, .fresh(check_taken), .start(core_start), .core, .chained, .previous, .commit(feeds && feeds_ready && !plan_poison), .dims,
      .bytes(in_bytes), .second_bytes, .params, .ready(core_ready), .twice(core_twice), .pairs(core_pairs), .planned(core_planned), .fault(core_fault),
      .out_dims(core_dims), .out_bytes(core_bytes), .into_valid, .into_ready, .into, .into_data(beat), .from, .from_valid, .from_ready,
      .from_data, .core_done, .at, .follower, .cycles, .count(core_count), .name_of, .name);
  wire result_valid, result_ready, run_ready;
  wire [1:0] result_kind;
  wire [63:0] result_data;
  wact_fifo #(.WIDTH(66)) results (
      .clk, .rst, .in_valid(result_in_valid), .in_ready(result_in_ready), .in_data({result_in_kind, result_in_data}),
      .out_valid(result_valid), .out_ready(result_ready || run_ready), .out_data({result_kind, result_data}));

  // Packets out.
  wire [RW-1:0] landing_index;
  wire [RW:0] routes;
  wire [63:0] landing, m_data;
  wire ends, ends_ready, ran, sent, router_rests, widen_rests, m_valid, m_ready, m_last, m_final, wide_final;
  wire [4:0] end_rejection;
  wire [3:0] end_fault;
  wire [SW-1:0] end_entry;
  wire [2:0] end_failed;
  wire [1:0] m_user;
  logic [1:0] slot;  // of the header that comes in
  always_ff @(posedge clk)
    if (rst) slot <= 2'd0;
    else slot <= slot + {1'b0, check_taken};
  wact_landing #(.ROUTES(ROUTES)) landings (
      .clk, .rst, .l_tdata, .l_tvalid, .l_tready, .l_tlast, .whole(frame_whole), .length(frame_length), .longer(frame_longer),
      .taken(frame_taken), .index(landing_index), .landing, .freed(ends), .freed_length(routes));
  wact_router #(.ROUTES(ROUTES), .CHANNELS(CHANNELS), .NOTE(SW + 3)) router (
      .clk, .rst, .clears, .clear_at, .rests(router_rests), .table_write(writes_routes), .table_address(r_address[RW+3:0]),
      .table_wdata(r_wdata), .word_write(word_valid), .word_at({slot, word}), .word_data(in_data), .plan, .plan_taken, .plan_rejection,
      .plan_fault, .plan_poison, .plan_origin, .plan_bytes, .plan_has_prefix, .plan_prefix, .plan_first_route(first_route),
      .plan_routes(frame_length), .plan_note({first_entry, plan_failed}), .landing_index, .landing, .result_valid, .result_ready,
      .result_kind, .result_data, .ends, .ends_ready, .rejection(end_rejection), .fault(end_fault), .note({end_entry, end_failed}), .ran,
      .sent, .routes, .emits, .m_valid, .m_ready, .m_data, .m_last, .m_user, .m_final);
  wact_widen #(.WIDTH(WIDTH)) widen (
      .clk, .rst, .rests(widen_rests), .in_valid(m_valid), .in_ready(m_ready), .in_data(m_data), .in_last(m_last),
      .in_user({m_final, m_user}), .out_valid(m_tvalid), .out_ready(m_tready), .out_data(m_tdata), .out_last(m_tlast),
      .out_user({wide_final, m_tuser}));
  wire completion_rests;
  wact_completion #(.STAGES(STAGES)) completion (
      .clk, .rst, .rests(completion_rests), .table_write(writes_stages), .table_address(r_address[SW+3:0]), .table_wdata(r_wdata[15:0]), .ends,
      .ends_ready, .rejection(end_rejection), .fault(end_fault), .failed(end_failed), .first_entry(end_entry), .ran, .sent,
      .final_left(m_tvalid && m_tready && wide_final), .run_valid(result_valid && result_kind == wact_pkg::PUT_RUN), .run_ready,
      .run_cycles(result_data[31:0]), .told, .told_rejection, .told_fault, .c_tdata, .c_tvalid, .c_tready, .c_tlast);

  assign idle = !clears && header_rests && plan_rests && body_rests && router_rests && widen_rests && completion_rests;
endmodule
