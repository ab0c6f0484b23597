// A queue in block RAM. An entry shows two cycles after it was put in.
module wact_fifo #(
    parameter integer WIDTH = 64,
    parameter integer DEPTH = 64  // a power of two
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);
  localparam integer AW = $clog2(DEPTH);
  logic [WIDTH-1:0] entries[DEPTH];
  logic [AW:0] put, got;
  wire [AW:0] used = put - got;
  wire [AW:0] next = out_valid && out_ready ? got + 1'b1 : got;
  assign in_ready = !used[AW];
  always_ff @(posedge clk) begin
    out_data <= entries[next[AW-1:0]];
    if (in_valid && in_ready) begin
      entries[put[AW-1:0]] <= in_data;
      put <= put + 1'b1;
    end
    got <= next;
    out_valid <= next != put;
    if (rst) begin
      put <= '0;
      got <= '0;
      out_valid <= 1'b0;
    end
  end
endmodule
