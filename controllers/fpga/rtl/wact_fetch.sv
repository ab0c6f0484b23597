// Reads the command and the input of each run, in order, as one stream of 64-bit words. Bursts end at multiples of 1 KiB, so
// none crosses 4 KiB. They are asked for ahead of their data, for later runs too.
module wact_fetch #(
    parameter integer WIDTH = 64
) (
    input  logic             clk,
    input  logic             rst,
    // The next run to be read. Addresses are multiples of 64.
    input  logic             run_valid,
    input  logic             run_skip,       // nothing of it is read
    input  logic [     63:0] command,
    input  logic [     63:0] in,
    input  logic [     31:0] command_bytes,  // not 0
    input  logic [     31:0] in_bytes,
    output logic             run_taken,
    output logic [     63:0] araddr,
    output logic [      7:0] arlen,
    output logic             arvalid,
    input  logic             arready,
    input  logic [WIDTH-1:0] rdata,
    input  logic [      1:0] rresp,
    input  logic             rvalid,
    output logic             rready,
    output logic             word_valid,
    input  logic             word_ready,
    output logic [     63:0] word,
    output logic             word_error,     // the memory answered with an error
    input  logic             word_last       // of the command or of the input: what its beat holds beyond it is dropped
);
  localparam integer BEAT = WIDTH / 8, SHIFT = $clog2(BEAT), MOST = 1024 / BEAT;
  logic of_input, asking;
  logic [63:0] at;
  logic [31:0] left;  // beats that have not been asked for
  wire [31:0] bytes = of_input ? in_bytes : command_bytes;
  wire [31:0] beats = (bytes >> SHIFT) + {31'd0, bytes[SHIFT-1:0] != '0};
  wire [31:0] to_end = 32'(MOST) - {22'd0, at[9:0] >> SHIFT};
  wire [31:0] burst = left < to_end ? left : to_end;
  wire none = !asking && run_valid && (run_skip || beats == 32'd0);
  wire asked = asking && arready && left == burst;
  assign run_taken = none || (asked && of_input);
  assign araddr = at;
  assign arlen = burst[7:0] - 8'd1;
  assign arvalid = asking;

  always_ff @(posedge clk) begin
    if (!asking) begin
      asking <= run_valid && !none;
      at <= of_input ? in : command;
      left <= beats;
    end else if (arready) begin
      asking <= !asked;
      at <= at + {32'd0, burst << SHIFT};
      left <= left - burst;
    end
    if (run_taken) of_input <= 1'b0;
    else if (asked) of_input <= 1'b1;
    if (rst) {of_input, asking} <= 2'b00;
  end

  // An error marks every word of its beat.
  wire end_of_beat;
  wire unused = &{1'b0, rresp[0], end_of_beat};
  wact_narrow #(.WIDTH(WIDTH)) words (
      .clk, .rst, .in_valid(rvalid), .in_ready(rready), .in_data(rdata), .in_last(rresp[1]), .out_valid(word_valid),
      .out_ready(word_ready), .out_data(word), .out_tail(word_error), .out_end(end_of_beat), .out_done(word_last));
endmodule
