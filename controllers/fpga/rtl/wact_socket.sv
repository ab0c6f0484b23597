// A core is plugged into this: it keeps its shape and parameters while it runs, chooses where its input comes from, holds its output
// until it is wanted, counts its cycles.
module wact_socket #(
    parameter integer COUNT = 2  // cores of the node
) (
    input  logic                     clk,
    input  logic                     rst,
    // The plan.
    input  logic                     fresh,       // a plan begins
    input  logic                     start,       // it takes this core
    input  logic                     linked_in,   // with the output of core `previous` as its input
    input  logic [$clog2(COUNT)-1:0] previous,
    input  logic                     unlinks,     // it takes core `other`
    input  logic [$clog2(COUNT)-1:0] other,
    input  logic                     commit,      // payload will come
    input  logic                     done,        // the core has run
    input  logic [            127:0] dims,
    input  logic [             31:0] bytes,
    input  logic [             31:0] second_bytes,
    input  logic [             63:0] params,
    output logic                     planned_for,  // the plan has taken this core
    output logic                     busy,
    output logic [             31:0] cycles,
    // The switch: the payload, or the output of a core.
    input  logic                     feed_valid,
    input  logic [             63:0] feed_data,
    input  logic [        COUNT-1:0] others_valid,
    input  logic [     64*COUNT-1:0] others_data,
    output logic [        COUNT-1:0] follows,     // the core whose output this one takes
    output logic                     held_valid,
    input  logic                     held_ready,
    output logic [             63:0] held_data,
    // The core.
    output logic                     core_start,
    output logic [            127:0] core_dims,
    output logic [             31:0] core_in_bytes,
    output logic [             31:0] core_second_bytes,
    output logic [             63:0] core_params,
    output logic                     core_in_valid,
    output logic [             63:0] core_in_data,
    input  logic                     core_out_valid,
    output logic                     core_out_ready,
    input  logic [             63:0] core_out_data
);
  logic linked;
  logic [$clog2(COUNT)-1:0] source;
  logic [31:0] clock;
  assign core_in_valid = linked ? others_valid[source] : feed_valid;
  assign core_in_data = linked ? others_data[64*source+:64] : feed_data;
  assign follows = linked ? COUNT'(1) << source : '0;
  wact_slice slice (
      .clk, .clear(rst || core_start), .in_valid(core_out_valid), .in_ready(core_out_ready), .in_data(core_out_data),
      .out_valid(held_valid), .out_ready(held_ready), .out_data(held_data));

  always_ff @(posedge clk) begin
    core_start <= start;
    clock <= core_start ? 32'd1 : clock + 32'd1;
    if (core_out_valid && core_out_ready) cycles <= clock;
    if (fresh) planned_for <= 1'b0;
    if (planned_for && commit) busy <= 1'b1;
    if (done) busy <= 1'b0;
    if (unlinks && source == other) linked <= 1'b0;
    if (start) begin
      planned_for <= 1'b1;
      {core_dims, core_in_bytes, core_second_bytes, core_params} <= {dims, bytes, second_bytes, params};
      {linked, source} <= {linked_in, previous};
    end
    if (rst) {core_start, planned_for, busy, linked} <= 4'd0;
  end
endmodule
