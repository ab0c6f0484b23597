// Two places for beats: no path leads from `out_ready` to `in_ready`.
module wact_slice (
    input  logic        clk,
    input  logic        clear,
    input  logic        in_valid,
    output logic        in_ready,
    input  logic [63:0] in_data,
    output logic        out_valid,
    input  logic        out_ready,
    output logic [63:0] out_data
);
  logic spare_valid;
  logic [63:0] spare;
  assign in_ready = !spare_valid;
  always_ff @(posedge clk) begin
    if (!spare_valid) spare <= in_data;
    if (!out_valid || out_ready) begin
      out_data <= spare_valid ? spare : in_data;
      out_valid <= spare_valid || in_valid;
      spare_valid <= 1'b0;
    end else if (in_valid) spare_valid <= 1'b1;
    if (clear) {out_valid, spare_valid} <= 2'b00;
  end
endmodule
