// The block function of SHA-0, or of SHA-1, on a state and the blocks behind it: one round a cycle, 81 cycles a block. sha.h has the
// definition. Ports: controllers/fpga/README.md.
//
// The input is a run of words of 32 bits, five of the state and sixteen a block, two in a beat. A word of the schedule meets its
// constant in one cycle and enters its round in the next.
module sha_block_core (
    input  logic         clk,
    input  logic         rst,
    input  logic         start,
    /* verilator lint_off UNUSEDSIGNAL */  // the size says all of a shape; the one parameter is the algorithm
    input  logic [127:0] dims,
    input  logic [ 31:0] in_bytes,
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
  localparam logic [31:0] STATE_BYTES = 32'd20;
  assign planned   = 1'b1;
  assign fault     = in_bytes[5:0] == STATE_BYTES[5:0] ? wact_pkg::FAULT_NONE : wact_pkg::FAULT_CORE;
  assign out_dims  = {96'h00000001_00000001_00000001, STATE_BYTES};
  assign out_bytes = STATE_BYTES;

  // Steps: STATE takes five words; HASH takes 16 words of a block, then makes 64 of its own, then waits for the last round; ADD is
  // the addition to the state, which HASH does beside its first word; SEND has the state's beats.
  localparam logic [2:0] REST = 3'd0, STATE = 3'd1, HASH = 3'd2, ADD = 3'd3, SEND = 3'd4;
  localparam logic [6:0] ROUNDS = 7'd80;
  logic [2:0] phase;
  logic [6:0] step;           // word of the state, round, beat of the output
  logic [25:0] blocks_left;
  logic upper;                // half of the beat
  wire takes = phase == STATE || (phase == HASH && step < 7'd16);
  wire ends_beat = upper || (blocks_left == (phase == STATE ? 26'd0 : 26'd1) && step == (phase == STATE ? 7'd4 : 7'd15));
  wire moves = !takes || in_valid;
  assign in_ready = takes && ends_beat;
  wire [31:0] half = upper ? in_data[63:32] : in_data[31:0];

  // The schedule: the last 16 words, the newest highest.
  logic [511:0] words;
  wire [31:0] mixed = words[32*13+:32] ^ words[32*8+:32] ^ words[32*2+:32] ^ words[31:0];
  wire [31:0] made = params[0] ? {mixed[30:0], mixed[31]} : mixed;
  wire [31:0] word = takes ? {half[7:0], half[15:8], half[23:16], half[31:24]} : made;
  wire [1:0] quarter = step < 7'd20 ? 2'd0 : step < 7'd40 ? 2'd1 : step < 7'd60 ? 2'd2 : 2'd3;
  wire [31:0] constant = quarter == 2'd0 ? 32'h5a827999 : quarter == 2'd1 ? 32'h6ed9eba1 : quarter == 2'd2 ? 32'h8f1bbcdc : 32'hca62c1d6;

  // The round, a cycle later.
  logic rounds, adds;         // a round runs; the words go to the state
  logic [1:0] round_quarter;
  logic [31:0] addend;        // the word and its constant
  logic [31:0] a, b, c, d, e;
  logic [159:0] state;
  wire [31:0] choice = d ^ (b & (c ^ d)), majority = (b & c) | (d & (b | c)), parity = b ^ c ^ d;
  wire [31:0] blend = round_quarter == 2'd0 ? choice : round_quarter == 2'd2 ? majority : parity;

  assign out_valid = phase == SEND;
  assign out_data  = state[63:0];
  always_ff @(posedge clk) begin
    rounds <= phase == HASH && step != ROUNDS && moves;
    adds <= 1'b0;
    if (takes && moves) upper <= !upper;
    if (rounds) begin
      a <= {a[26:0], a[31:27]} + blend + e + addend;
      {b, c, d, e} <= {a, {b[1:0], b[31:2]}, c, d};
    end
    if (adds)
      {state, e, d, c, b, a} <= {2{state[159:128] + e, state[127:96] + d, state[95:64] + c, state[63:32] + b, state[31:0] + a}};
    case (phase)
      STATE:
      if (moves) begin
        state <= {half, state[159:32]};
        step  <= step + 7'd1;
        if (step == 7'd4) begin
          {adds, step} <= {1'b1, 7'd0};  // to words of 0
          phase <= blocks_left == 26'd0 ? ADD : HASH;
        end
      end
      HASH:
      if (step == ROUNDS) begin
        {adds, step} <= {1'b1, 7'd0};
        blocks_left <= blocks_left - 26'd1;
        phase <= blocks_left == 26'd1 ? ADD : HASH;
      end else if (moves) begin
        words <= {word, words[511:32]};
        addend <= word + constant;
        round_quarter <= quarter;
        step <= step + 7'd1;
      end
      ADD: phase <= SEND;
      SEND:
      if (out_ready) begin
        state <= state >> 64;
        step  <= step + 7'd1;
        if (step == 7'd2) phase <= REST;
      end
      default: ;
    endcase
    if (start) begin
      phase <= STATE;
      {step, upper, adds, rounds} <= 10'd0;
      {a, b, c, d, e} <= 160'd0;
      blocks_left <= in_bytes[31:6];
    end
    if (rst) phase <= REST;
  end
endmodule
