// Writes both inputs, one after the other. 8 bytes per cycle. Ports: controllers/fpga/README.md.
module join2_core (
    input  logic         clk,
    input  logic         rst,
    input  logic         start,
    /* verilator lint_off UNUSEDSIGNAL */  // `bytes` has no extents, this kernel no parameters
    input  logic [127:0] dims,
    input  logic [ 31:0] in_bytes,
    input  logic [ 31:0] second_bytes,
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
  assign planned = 1'b1;
  assign fault = wact_pkg::FAULT_NONE;
  assign out_dims = {32'd1, 32'd1, 32'd1, out_bytes};
  assign out_bytes = in_bytes + second_bytes;

  // The second input's beats turn by the bytes that the first one's last beat holds: their upper bytes leave behind the rest of
  // the beat before, the lower ones are the rest for the next.
  logic [28:0] first_left, in_left, out_left;  // beats
  logic [63:0] rest;
  wire [2:0] shift = in_bytes[2:0];
  wire [63:0] kept = ~(~64'd0 << {shift, 3'd0});  // bytes of a rest
  wire first = first_left != 29'd0;
  wire partial = first_left == 29'd1 && shift != 3'd0;
  wire flushes = in_left == 29'd0 && out_left != 29'd0;
  wire moves = !out_valid || out_ready;
  wire [63:0] by_one = shift[0] ? {in_data[55:0], in_data[63:56]} : in_data;
  wire [63:0] by_two = shift[1] ? {by_one[47:0], by_one[63:48]} : by_one;
  wire [63:0] turned = shift[2] ? {by_two[31:0], by_two[63:32]} : by_two;
  assign in_ready = moves && in_left != 29'd0;
  wire takes = in_valid && in_ready;
  always_ff @(posedge clk) begin
    if (moves) begin
      out_valid <= (takes && !partial) || flushes;
      out_data <= flushes ? rest : first ? in_data : (turned & ~kept) | rest;
      if ((takes && !partial) || flushes) out_left <= out_left - 29'd1;
    end
    if (takes) begin
      in_left <= in_left - 29'd1;
      if (first) first_left <= first_left - 29'd1;
      if (partial || !first) rest <= (partial ? in_data : turned) & kept;
    end
    if (start) begin
      first_left <= 29'(wact_pkg::beats(in_bytes));
      in_left <= 29'(wact_pkg::beats(in_bytes)) + 29'(wact_pkg::beats(second_bytes));
      out_left <= 29'(wact_pkg::beats(out_bytes));
      rest <= 64'd0;
    end
    if (rst || start) out_valid <= 1'b0;
  end
endmodule
