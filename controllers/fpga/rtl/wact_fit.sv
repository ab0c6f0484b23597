// Checks what a core will make against its output port, and lays the varying extents out as the prefix of the result.
module wact_fit (
    input  logic [127:0] dims,
    input  logic [ 31:0] bytes,
    input  logic         empty,     // there is no input
    input  logic [127:0] bounds,
    input  logic [  3:0] variable,
    input  logic         is_bytes,
    input  logic [ 31:0] most_bytes,
    output logic [  3:0] fault,
    output logic [127:0] prefix
);
  integer axis;
  logic wrong, beyond;
  always_comb begin
    {wrong, beyond} = 2'b00;
    prefix = 128'd0;
    for (axis = 3; axis >= 0; axis = axis - 1) begin
      wrong = wrong || (!variable[axis] && dims[32*axis+:32] != bounds[32*axis+:32]);
      beyond = beyond || dims[32*axis+:32] > bounds[32*axis+:32];
      if (variable[axis]) prefix = {prefix[95:0], dims[32*axis+:32]};
    end
    if (bytes > most_bytes || (bytes == 32'd0) != empty) fault = wact_pkg::FAULT_OUTPUT;
    else if (is_bytes) fault = wact_pkg::FAULT_NONE;
    else if (wrong) fault = wact_pkg::FAULT_TYPE;
    else if (beyond) fault = wact_pkg::FAULT_OUTPUT;
    else fault = wact_pkg::FAULT_NONE;
  end
endmodule
