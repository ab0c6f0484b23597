// Cuts the beats of a wide stream into words of 64 bits.
module wact_narrow #(
    parameter integer WIDTH = 64
) (
    input  logic             clk,
    input  logic             rst,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    input  logic             in_last,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [     63:0] out_data,
    output logic             out_tail,  // TLAST came with this word
    output logic             out_end,   // it is the last word of its beat
    input  logic             out_done   // the packet ends with this word: drop the rest of its beat
);
  localparam integer WORDS = WIDTH / 64;
  if (WIDTH == 64) begin : same
    assign {out_valid, in_ready, out_data, out_tail, out_end} = {in_valid, out_ready, in_data, in_last, 1'b1};
    wire unused = &{1'b0, clk, rst, out_done};
  end else begin : cut
    logic full, last;
    logic [WIDTH-1:0] rest;
    logic [$clog2(WORDS)-1:0] word;
    assign {out_valid, out_data, out_tail, out_end} = {full, rest[63:0], last, &word};
    wire leaves = full && out_ready && (out_end || out_done);
    assign in_ready = !full || leaves;
    always_ff @(posedge clk) begin
      if (full && out_ready) begin
        rest <= {64'd0, rest[WIDTH-1:64]};
        word <= word + 1'b1;
      end
      if (in_ready) begin
        {full, rest, last} <= {in_valid, in_data, in_last};
        word <= '0;
      end
      if (rst) full <= 1'b0;
    end
  end
endmodule
