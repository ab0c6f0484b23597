// Passes its input on unchanged. The node also sends poison messages through it. 8 bytes per cycle. Ports: controllers/fpga/README.md.
module copy_core (
    input  logic         clk,
    input  logic         rst,
    input  logic         start,
    input  logic [127:0] dims,
    input  logic [ 31:0] in_bytes,
    /* verilator lint_off UNUSEDSIGNAL */  // this kernel has no parameters
    input  logic [ 63:0] params,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic         planned,
    output logic [  3:0] fault,
    output logic [127:0] out_dims,
    output logic [ 31:0] out_bytes,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [ 63:0] in_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [ 63:0] out_data
);
  assign planned   = 1'b1;
  assign fault     = wact_pkg::FAULT_NONE;
  assign out_dims  = dims;
  assign out_bytes = in_bytes;
  assign in_ready  = !out_valid || out_ready;
  always_ff @(posedge clk) begin
    if (rst || start) out_valid <= 1'b0;
    else if (in_ready) begin
      out_valid <= in_valid;
      if (in_valid) out_data <= in_data;
    end
  end
endmodule
