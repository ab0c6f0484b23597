// Ends runs in order: once all writes of a run have been answered, its directory is written, and once that is, it has ended.
module wact_directory (
    input  logic         clk,
    input  logic         rst,
    input  logic         run_valid,    // the oldest run has been collected. These hold until it has ended
    input  logic         silent,       // there is no place for its directory
    input  logic [ 63:0] result_address,
    input  logic [255:0] fields,       // words 1 to 8 of the directory
    input  logic [ 31:0] cycles_high,  // word 9
    output logic         ended,        // held until told
    input  logic         told,
    input  logic         settled,      // all that was written of it has been answered
    // To wact_write.
    output logic         piece_valid,
    input  logic         piece_ready,
    output logic [ 63:0] piece_address,
    output logic [ 31:0] piece_bytes,
    output logic         word_valid,
    input  logic         word_ready,
    output logic [ 63:0] word
);
  localparam logic [1:0] WAIT = 2'd0, PIECE = 2'd1, WORDS = 2'd2, END = 2'd3;
  logic [1:0] state;
  logic [2:0] number;
  wire [511:0] line = {192'd0, cycles_high, fields, wact_interface_pkg::DIRECTORY_ID};
  assign piece_valid = state == PIECE;
  assign piece_address = result_address;
  assign piece_bytes = 32'd64;
  assign word_valid = state == WORDS;
  assign word = line[64*number+:64];
  assign ended = state == END && settled;
  always_ff @(posedge clk) begin
    case (state)
      WAIT: begin
        number <= 3'd0;
        if (run_valid && settled) state <= silent ? END : PIECE;
      end
      PIECE: if (piece_ready) state <= WORDS;
      WORDS:
      if (word_ready) begin
        number <= number + 3'd1;
        if (number == 3'd7) state <= END;
      end
      default: if (ended && told) state <= WAIT;
    endcase
    if (rst) state <= WAIT;
  end
endmodule
