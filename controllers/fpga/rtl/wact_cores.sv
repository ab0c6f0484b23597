// The kernel cores of this node, and the switch between them. The stage table names a core by its position here, the driver finds
// it by its name.
//
// To add a core: raise COUNT and give it a line in the list below. CORES leaves cores out of a build; their positions stay.
/* verilator lint_off UNUSEDSIGNAL */  // of a position, the bits that these cores need
module wact_cores #(
    parameter integer LINE_BYTES = 16384,
    parameter logic [31:0] CORES = ~32'd0
) (
    input  logic         clk,
    input  logic         rst,
    // The plan; wact_plan.sv says what its wires mean.
    input  logic         fresh,
    input  logic         start,
    input  logic [  7:0] core,
    input  logic         chained,
    input  logic [  7:0] previous,
    input  logic         commit,
    input  logic [127:0] dims,
    input  logic [ 31:0] bytes,
    input  logic [ 31:0] second_bytes,  // of input 1
    input  logic [ 63:0] params,
    output logic         ready,
    output logic         twice,
    output logic         pairs,         // the core takes two inputs
    output logic         planned,
    output logic [  3:0] fault,
    output logic [127:0] out_dims,
    output logic [ 31:0] out_bytes,
    // Payload, as in wact_body.sv.
    input  logic         into_valid,
    output logic         into_ready,
    input  logic [  7:0] into,
    input  logic [ 63:0] into_data,
    input  logic [  7:0] from,
    output logic         from_valid,
    input  logic         from_ready,
    output logic [ 63:0] from_data,
    input  logic         core_done,
    input  logic [  7:0] at,
    output logic [  7:0] follower,
    output logic [ 31:0] cycles,
    // The node's cores: their number up to the last one that is built and, for each, its name of up to 16 characters, right-aligned.
    output logic [  7:0] count,
    input  logic [  7:0] name_of,
    output logic [127:0] name
);
  localparam integer COUNT = 7, KW = $clog2(COUNT);
  function automatic logic [7:0] count_of(input logic [31:0] built);
    integer c;
    count_of = 8'd0;
    for (c = 0; c < COUNT; c = c + 1) count_of = built[c] ? 8'(c) + 8'd1 : count_of;
  endfunction
  assign count = count_of(CORES);

  // Every core's wires, core k at element k.
  wire [COUNT-1:0] pairs_of, start_of, in_valid_of, in_ready_of, made_valid_of, made_ready_of, planned_of;
  wire [128*COUNT-1:0] names_of, dims_of, out_dims_of;
  wire [32*COUNT-1:0] in_bytes_of, second_bytes_of, out_bytes_of, cycles_of;
  wire [64*COUNT-1:0] params_of, in_data_of, made_data_of, held_data_of;
  wire [4*COUNT-1:0] fault_of;
  wire [COUNT-1:0] planned_for_of, busy_of, held_valid_of;
  wire [COUNT*COUNT-1:0] follows_of;  // element k: the core that core k follows

`define WACT_PORTS(k) \
        .clk, .rst, .start(start_of[k]), .dims(dims_of[128*k+:128]), .in_bytes(in_bytes_of[32*k+:32]), \
        .params(params_of[64*k+:64]), .planned(planned_of[k]), .fault(fault_of[4*k+:4]), .out_dims(out_dims_of[128*k+:128]), \
        .out_bytes(out_bytes_of[32*k+:32]), .in_valid(in_valid_of[k]), .in_ready(in_ready_of[k]), .in_data(in_data_of[64*k+:64]), \
        .out_valid(made_valid_of[k]), .out_ready(made_ready_of[k]), .out_data(made_data_of[64*k+:64])
`define WACT_CORE(k, text, core_module) \
  if (CORES[k]) begin : core_``k \
    assign {names_of[128*k+:128], pairs_of[k]} = {128'(text), 1'b0}; \
    core_module core_k (`WACT_PORTS(k)); \
  end
// The same with two inputs.
`define WACT_PAIR_CORE(k, text, core_module) \
  if (CORES[k]) begin : core_``k \
    assign {names_of[128*k+:128], pairs_of[k]} = {128'(text), 1'b1}; \
    core_module core_k (`WACT_PORTS(k), .second_bytes(second_bytes_of[32*k+:32])); \
  end

  `WACT_CORE(0, "copy", copy_core)
  `WACT_CORE(1, "invert", invert_core)
  `WACT_CORE(2, "sharpen3x3", sharpen3x3_core #(.LINE_BYTES(LINE_BYTES)))
  `WACT_CORE(3, "sha_block", sha_block_core)
  `WACT_CORE(4, "jpeg_fdct", jpeg_fdct_core #(.LINE_BYTES(LINE_BYTES / 4)))
  `WACT_CORE(5, "susan_response", susan_response_core #(.LINE_BYTES(LINE_BYTES / 4)))
  `WACT_PAIR_CORE(6, "join2", join2_core)

  wire known = core < 8'(COUNT);
  wire [KW-1:0] core_k = KW'(core), into_k = KW'(into), from_k = KW'(from), at_k = KW'(at);
  genvar k, j;
  for (k = 0; k < COUNT; k = k + 1) begin : sockets
    if (CORES[k]) begin : built
      wire [COUNT-1:0] pulled;  // by core j
      for (j = 0; j < COUNT; j = j + 1) begin : others
        assign pulled[j] = follows_of[COUNT*j+k] && in_ready_of[j];
      end
      wact_socket #(.COUNT(COUNT)) socket (
          .clk, .rst, .fresh, .start(start && known && core_k == KW'(k)), .linked_in(chained), .previous(KW'(previous)), .unlinks(start && known),
          .other(core_k), .commit, .done(core_done && at_k == KW'(k)), .dims, .bytes, .second_bytes, .params, .planned_for(planned_for_of[k]),
          .busy(busy_of[k]), .cycles(cycles_of[32*k+:32]), .feed_valid(into_valid && into_k == KW'(k)), .feed_data(into_data),
          .others_valid(held_valid_of), .others_data(held_data_of), .follows(follows_of[COUNT*k+:COUNT]), .held_valid(held_valid_of[k]),
          .held_ready(|pulled || (from_ready && from_k == KW'(k))), .held_data(held_data_of[64*k+:64]), .core_start(start_of[k]),
          .core_dims(dims_of[128*k+:128]), .core_in_bytes(in_bytes_of[32*k+:32]), .core_second_bytes(second_bytes_of[32*k+:32]),
          .core_params(params_of[64*k+:64]),
          .core_in_valid(in_valid_of[k]), .core_in_data(in_data_of[64*k+:64]),
          .core_out_valid(made_valid_of[k]), .core_out_ready(made_ready_of[k]), .core_out_data(made_data_of[64*k+:64]));
    end else begin : left_out
      assign names_of[128*k+:128] = 128'd0;
      assign {planned_of[k], fault_of[4*k+:4], out_dims_of[128*k+:128]} = {1'b1, wact_pkg::FAULT_CORE, 128'd0};
      assign {out_bytes_of[32*k+:32], cycles_of[32*k+:32], held_data_of[64*k+:64]} = 128'd0;
      assign {planned_for_of[k], busy_of[k], held_valid_of[k], in_ready_of[k], pairs_of[k], follows_of[COUNT*k+:COUNT]} = '0;
    end
  end

  assign ready = !known || !busy_of[core_k];
  assign twice = known && planned_for_of[core_k];
  assign pairs = known && pairs_of[core_k];
  assign planned = !known || planned_of[core_k];
  assign fault = known ? fault_of[4*core_k+:4] : wact_pkg::FAULT_CORE;
  assign out_dims = out_dims_of[128*core_k+:128];
  assign out_bytes = out_bytes_of[32*core_k+:32];
  assign into_ready = in_ready_of[into_k];
  assign from_valid = held_valid_of[from_k];
  assign from_data = held_data_of[64*from_k+:64];
  assign cycles = cycles_of[32*at_k+:32];
  assign name = name_of < 8'(COUNT) ? names_of[128*KW'(name_of)+:128] : 128'd0;

  integer i;
  always_comb begin
    follower = 8'd0;
    for (i = 0; i < COUNT; i = i + 1) if (follows_of[COUNT*i+32'(at_k)]) follower = 8'(i);
  end
endmodule
/* verilator lint_on UNUSEDSIGNAL */
