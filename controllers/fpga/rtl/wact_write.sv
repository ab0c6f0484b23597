// Writes pieces of memory by bursts that end at multiples of 1 KiB. A piece is announced with its address, a multiple of 64,
// and its bytes; then come its words of 64 bits. Bytes beyond its end, and words without `keep`, stay as they are in memory.
module wact_write #(
    parameter integer WIDTH = 64
) (
    input  logic               clk,
    input  logic               rst,
    input  logic               piece_valid,
    output logic               piece_ready,
    input  logic [       63:0] piece_address,
    input  logic [       31:0] piece_bytes,    // not 0
    input  logic [        1:0] piece_run,
    input  logic               word_valid,
    output logic               word_ready,
    input  logic [       63:0] word,
    input  logic               keep,
    output logic [       63:0] awaddr,
    output logic [        7:0] awlen,
    output logic               awvalid,
    input  logic               awready,
    output logic [  WIDTH-1:0] wdata,
    output logic [WIDTH/8-1:0] wstrb,
    output logic               wlast,
    output logic               wvalid,
    input  logic               wready,
    input  logic [        1:0] bresp,
    input  logic               bvalid,
    output logic               bready,
    output logic [        3:0] settled,        // by run: all bursts that it has begun were answered
    output logic               failed,         // a burst of `failed_run` was answered with an error
    output logic [        1:0] failed_run
);
  localparam integer BEAT = WIDTH / 8, SHIFT = $clog2(BEAT), MOST = 1024 / BEAT, WORDS = WIDTH / 64;
  localparam integer WW = WORDS == 1 ? 1 : $clog2(WORDS);
  logic writing;        // a piece is in hand
  logic asking, flows;  // of its burst: the address waits, the data may leave
  logic [63:0] at;
  logic [31:0] bytes_left;  // of the piece, from the next word on
  logic [31:0] beats_left;  // of the piece, behind this burst
  logic [7:0] burst_left;   // beats of this burst, less one
  logic [WW-1:0] place;
  logic full;  // a beat waits in wdata
  logic [1:0] run, runs[16];    // of the piece in hand; of the bursts under way, whose answers come in order
  logic [4:0] begun, answered;  // bursts, modulo 32
  logic [19:0] open;            // five bits a run: its bursts under way
  wire [31:0] beats = (piece_bytes >> SHIFT) + {31'd0, piece_bytes[SHIFT-1:0] != '0};
  wire [31:0] to_end = 32'(MOST) - {22'd0, at[9:0] >> SHIFT};
  wire [31:0] burst = beats_left < to_end ? beats_left : to_end;
  wire few = begun - answered < 5'd16;  // under way
  wire begins = asking && awready;
  wire last_word = bytes_left <= 32'd8;
  wire fills = place == WW'(WORDS - 1) || last_word;
  wire leaves = wvalid && wready;
  wire takes = word_valid && word_ready;
  assign piece_ready = !writing;
  assign awaddr = at;
  assign awlen = burst_left;
  assign awvalid = asking;
  assign wvalid = full;
  assign wlast = burst_left == 8'd0;
  assign bready = 1'b1;
  assign failed = bvalid && bresp[1];
  assign failed_run = runs[answered[3:0]];
  assign settled = {open[15+:5] == 5'd0, open[10+:5] == 5'd0, open[5+:5] == 5'd0, open[0+:5] == 5'd0};
  wire unused = &{1'b0, bresp[0]};
  assign word_ready = writing && flows && bytes_left != 32'd0 && (!full || (leaves && !wlast));

  wire [7:0] strobe = !keep ? 8'd0 : bytes_left >= 32'd8 ? 8'hff : ~(8'hff << bytes_left[2:0]);
  integer k;
  always_ff @(posedge clk) begin
    if (bvalid) answered <= answered + 5'd1;
    for (k = 0; k < 4; k = k + 1)
      open[5*k+:5] <= open[5*k+:5] + {4'd0, begins && run == 2'(k)} - {4'd0, bvalid && failed_run == 2'(k)};
    if (piece_valid && piece_ready) begin
      {writing, flows} <= 2'b10;
      {at, run} <= {piece_address, piece_run};
      bytes_left <= piece_bytes;
      beats_left <= beats;
      place <= '0;
    end
    if (writing && !asking && !flows && !full) begin
      if (beats_left == 32'd0) writing <= 1'b0;
      else if (few) begin
        asking <= 1'b1;
        burst_left <= burst[7:0] - 8'd1;
        beats_left <= beats_left - burst;
      end
    end
    if (begins) begin
      {asking, flows} <= 2'b01;
      runs[begun[3:0]] <= run;
      begun <= begun + 5'd1;
      at <= {at[63:10] + 54'd1, 10'd0};  // of the next burst, if there is one
    end
    if (leaves) begin
      full <= 1'b0;
      if (!wlast) burst_left <= burst_left - 8'd1;
      else flows <= 1'b0;
    end
    if (takes) begin
      for (k = 0; k < WORDS; k = k + 1)
        if (place == WW'(k)) {wdata[64*k+:64], wstrb[8*k+:8]} <= {word, strobe};
        else if (place == '0) wstrb[8*k+:8] <= 8'd0;
      full <= fills;
      place <= fills ? '0 : place + 1'b1;
      bytes_left <= last_word ? 32'd0 : bytes_left - 32'd8;
    end
    if (rst) begin
      {writing, asking, flows, full} <= 4'd0;
      {begun, answered, open} <= 30'd0;
    end
  end
endmodule
