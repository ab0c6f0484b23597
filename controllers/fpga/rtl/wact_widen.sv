// Gathers words of 64 bits into the beats of a wide stream; a packet begins with a new beat, and zeros fill its last one.
module wact_widen #(
    parameter integer WIDTH = 64
) (
    input  logic             clk,
    input  logic             rst,
    output logic             rests,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [     63:0] in_data,
    input  logic             in_last,
    input  logic [      2:0] in_user,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data,
    output logic             out_last,
    output logic [      2:0] out_user   // of the beat's last word
);
  localparam integer WORDS = WIDTH / 64;
  if (WIDTH == 64) begin : same
    assign {out_valid, in_ready, out_data, out_last, out_user} = {in_valid, out_ready, in_data, in_last, in_user};
    assign rests = 1'b1;
    wire unused = &{1'b0, clk, rst};
  end else begin : gather
    logic [$clog2(WORDS)-1:0] word;
    integer k;
    assign in_ready = !out_valid || out_ready;
    assign rests = !out_valid && word == '0;
    always_ff @(posedge clk) begin
      if (in_ready) out_valid <= in_valid && (in_last || &word);
      if (in_valid && in_ready) begin
        for (k = 0; k < WORDS; k = k + 1)
          if (word == ($clog2(WORDS))'(k)) out_data[64*k+:64] <= in_data;
          else if (word == '0) out_data[64*k+:64] <= 64'd0;
        {out_last, out_user} <= {in_last, in_user};
        word <= in_last ? '0 : word + 1'b1;
      end
      if (rst) begin
        out_valid <= 1'b0;
        word <= '0;
      end
    end
  end
endmodule
