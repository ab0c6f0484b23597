// Moves payload: from its queue into the first core of a plan, and what the last core makes, in order of the packets, into the
// queue of results. The payload of poison goes past the cores. Behind each result stand the cycles of its cores.
//
// Two plans at a time: the one that is collected, and the next, which may run on other cores already.
module wact_body (
    input  logic        clk,
    input  logic        rst,
    output logic        rests,
    output logic        feeding,         // the head of the payload's queue is for a core
    // A plan.
    input  logic        feeds,
    output logic        feeds_ready,
    input  logic        past,            // past the cores
    input  logic [ 7:0] first_core,
    input  logic [ 7:0] last_core,
    input  logic [31:0] bytes,           // of the result
    // The payload.
    input  logic        beat_valid,
    output logic        beat_ready,
    input  logic [63:0] beat,
    input  logic        beat_last,
    input  logic        beat_bad,
    // The cores.
    output logic        into_valid,
    input  logic        into_ready,
    output logic [ 7:0] into,
    output logic [ 7:0] from,
    input  logic        from_valid,
    output logic        from_ready,
    input  logic [63:0] from_data,
    output logic        core_done,       // `at` has run; the next of its chain is `follower`
    output logic [ 7:0] at,
    input  logic [ 7:0] follower,
    input  logic [31:0] cycles,
    // The queue of results.
    output logic        put_valid,
    input  logic        put_ready,
    output logic [ 1:0] put_kind,
    output logic [63:0] put_data
);
  logic broken;  // the payload of the last plan that was taken broke off
  logic fed_past;
  logic pending, pending_past, collecting, collects_past;
  logic tells, voided;  // the result is whole, or void: cores are released one by one
  logic [7:0] pending_first, pending_last;
  logic [31:0] pending_bytes;
  logic [28:0] left;  // beats of the result
  logic [2:0] rest;   // bytes of its last beat; 0: all 8

  assign rests = !feeding && !broken && !pending && !collecting;
  assign feeds_ready = !feeding && !broken && !pending;
  wire good = beat_valid && !beat_bad;
  wire voids = broken && !pending;
  wire passes = collecting && collects_past;
  assign into_valid = feeding && !fed_past && good;
  assign beat_ready = feeding && (beat_bad || (fed_past ? passes && put_ready : into_ready));

  wire last = left == 29'd1;
  wire [63:0] data = collects_past ? beat : from_data;
  wire [63:0] mask = last && rest != 3'd0 ? ~(~64'd0 << {rest, 3'd0}) : ~64'd0;
  wire data_valid = collects_past ? feeding && good : from_valid;
  assign put_valid = collecting && (tells ? !voided : voids || data_valid);
  assign put_kind = tells ? wact_pkg::PUT_RUN : voids ? wact_pkg::PUT_VOID : last ? wact_pkg::PUT_LAST : wact_pkg::PUT_DATA;
  assign put_data = tells ? {32'd0, cycles} : data & mask;
  assign from_ready = collecting && !collects_past && !tells && !voids && put_ready;
  wire puts = put_valid && put_ready;
  assign core_done = collecting && tells && (voided || put_ready);
  wire ends = tells ? core_done && at == from : puts && collects_past && (voids || last);

  always_ff @(posedge clk) begin
    if (feeds && feeds_ready) begin
      {feeding, fed_past} <= {1'b1, past};
      {pending, pending_past} <= {1'b1, past};
      {into, pending_first, pending_last, pending_bytes} <= {first_core, first_core, last_core, bytes};
    end
    if (beat_valid && beat_ready && beat_last) {feeding, broken} <= {1'b0, beat_bad};
    if (pending && (!collecting || ends)) begin
      {pending, collecting, collects_past, tells, voided} <= {2'b01, pending_past, 2'b00};
      {at, from} <= {pending_first, pending_last};
      left <= 29'(wact_pkg::beats(pending_bytes));
      rest <= pending_bytes[2:0];
    end else if (ends) {collecting, tells} <= 2'b00;
    if (puts && !tells) begin
      if (!collects_past && (voids || last)) {tells, voided} <= {1'b1, voids};
      if (voids) broken <= 1'b0;
      left <= left - 29'd1;
    end
    if (core_done && !ends) at <= follower;
    if (rst) {feeding, broken, pending, collecting, tells} <= 5'd0;
  end
endmodule
