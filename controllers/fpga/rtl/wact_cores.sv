// The kernel cores of this node, behind one interface: the stage table names a core by its position here, the driver finds it by
// the name in its registers. To add a core: raise COUNT, give it a name, an instance and a line in the multiplexer.
module wact_cores #(
    parameter integer LINE_BYTES = 16384
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [  7:0] core,
    input  logic         start,
    input  logic [127:0] dims,
    input  logic [ 31:0] in_bytes,
    output logic         planned,
    output logic [  3:0] fault,
    output logic [127:0] out_dims,
    output logic [ 31:0] out_bytes,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [ 63:0] in_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [ 63:0] out_data,
    // The node's cores: COUNT and, for each core, its name of up to 16 characters, right-aligned.
    output logic [  7:0] count,
    input  logic [  7:0] name_of,
    output logic [127:0] name
);
  localparam integer COUNT = 3;
  localparam logic [7:0] COPY = 8'd0, INVERT = 8'd1, SHARPEN3X3 = 8'd2;  // COPY is 0: poison messages take it
  assign count = 8'(COUNT);

  always_comb
    case (name_of)
      COPY: name = "copy";
      INVERT: name = "invert";
      SHARPEN3X3: name = "sharpen3x3";
      default: name = 128'd0;
    endcase

  wire copy_planned, copy_in_ready, copy_out_valid;
  wire [3:0] copy_fault;
  wire [31:0] copy_out_bytes;
  wire [127:0] copy_out_dims;
  wire [63:0] copy_out_data;
  copy_core copy (
      .clk, .rst, .dims, .in_bytes, .in_data, .out_ready,
      .start(start && core == COPY), .in_valid(in_valid && core == COPY), .planned(copy_planned), .fault(copy_fault),
      .out_dims(copy_out_dims), .out_bytes(copy_out_bytes), .in_ready(copy_in_ready), .out_valid(copy_out_valid),
      .out_data(copy_out_data));

  wire invert_planned, invert_in_ready, invert_out_valid;
  wire [3:0] invert_fault;
  wire [31:0] invert_out_bytes;
  wire [127:0] invert_out_dims;
  wire [63:0] invert_out_data;
  invert_core invert (
      .clk, .rst, .dims, .in_bytes, .in_data, .out_ready,
      .start(start && core == INVERT), .in_valid(in_valid && core == INVERT), .planned(invert_planned), .fault(invert_fault),
      .out_dims(invert_out_dims), .out_bytes(invert_out_bytes), .in_ready(invert_in_ready), .out_valid(invert_out_valid),
      .out_data(invert_out_data));

  wire sharpen_planned, sharpen_in_ready, sharpen_out_valid;
  wire [3:0] sharpen_fault;
  wire [31:0] sharpen_out_bytes;
  wire [127:0] sharpen_out_dims;
  wire [63:0] sharpen_out_data;
  sharpen3x3_core #(.LINE_BYTES(LINE_BYTES)) sharpen3x3 (
      .clk, .rst, .dims, .in_bytes, .in_data, .out_ready,
      .start(start && core == SHARPEN3X3), .in_valid(in_valid && core == SHARPEN3X3), .planned(sharpen_planned),
      .fault(sharpen_fault), .out_dims(sharpen_out_dims), .out_bytes(sharpen_out_bytes), .in_ready(sharpen_in_ready),
      .out_valid(sharpen_out_valid), .out_data(sharpen_out_data));

  always_comb
    case (core)
      COPY: {planned, fault, in_ready, out_valid} = {copy_planned, copy_fault, copy_in_ready, copy_out_valid};
      INVERT: {planned, fault, in_ready, out_valid} = {invert_planned, invert_fault, invert_in_ready, invert_out_valid};
      SHARPEN3X3: {planned, fault, in_ready, out_valid} = {sharpen_planned, sharpen_fault, sharpen_in_ready, sharpen_out_valid};
      default: {planned, fault, in_ready, out_valid} = {1'b1, wact_pkg::FAULT_CORE, 2'b0};
    endcase
  always_comb
    case (core)
      INVERT: {out_dims, out_bytes, out_data} = {invert_out_dims, invert_out_bytes, invert_out_data};
      SHARPEN3X3: {out_dims, out_bytes, out_data} = {sharpen_out_dims, sharpen_out_bytes, sharpen_out_data};
      default: {out_dims, out_bytes, out_data} = {copy_out_dims, copy_out_bytes, copy_out_data};
    endcase
endmodule
