// Plans one packet at a time: its stage, shape, core and landing frame, along the whole chain of its stage, before any of its
// payload reaches a core. The plan then goes to the router, which sends, and to the body, which moves payload; the next packet may
// be planned while they do.
module wact_plan #(
    parameter integer STAGES = 64,
    parameter integer ROUTES = 256,
    parameter integer PLACE_BYTES = 16384
) (
    input  logic                      clk,
    input  logic                      rst,
    output logic                      rests,
    output logic                      waits,          // for a landing frame
    // The header that is complete.
    input  logic                      check,
    output logic                      check_taken,
    input  logic [               4:0] check_rejection,
    input  logic                      check_poison,
    input  logic                      check_port,
    input  logic                      check_ended,
    input  logic [              31:0] check_stage,
    input  logic [              31:0] check_bytes,
    // The stage table.
    input  logic [    $clog2(STAGES):0] stages,       // entries in use
    input  logic [$clog2(STAGES)-1:0] found,
    output logic [$clog2(STAGES)-1:0] line_of,
    /* verilator lint_off UNUSEDSIGNAL */  // some bits of it mean nothing
    input  logic [             511:0] line,
    /* verilator lint_on UNUSEDSIGNAL */
    // The payload, up to the data; all of it where no core takes it.
    input  logic                      beat_valid,
    output logic                      beat_ready,
    input  logic [              63:0] beat,
    input  logic                      beat_last,
    input  logic                      beat_bad,
    // The other packet of a match; wact_match.sv says what its wires mean.
    input  logic                      port,
    input  logic                      other,
    input  logic                      same,
    input  logic                      full,
    input  logic                      match_busy,
    input  logic [               3:0] held_fault,
    input  logic [              31:0] held_bytes,
    input  logic [             127:0] held_dims,
    output logic                      forgets,
    output logic                      meets,
    output logic                      stores,
    output logic                      keeps,
    output logic [             127:0] own_dims,
    output logic                      merges,         // `feeds` is of a match
    output logic                      ended,          // all payload has come
    // The landing frame.
    input  logic                      frame_whole,
    input  logic [  $clog2(ROUTES):0] frame_length,
    input  logic                      frame_longer,
    output logic                      frame_taken,
    // The cores. `core` is the one that is planned; `previous` gives it its input where `chained`.
    output logic                      core_start,
    output logic [               7:0] core,
    output logic [               7:0] previous,
    output logic                      chained,
    output logic [             127:0] dims,
    output logic [              31:0] in_bytes,
    output logic [              31:0] second_bytes,   // of input 1
    output logic [              63:0] params,
    input  logic                      core_ready,     // it has finished what it had
    input  logic                      core_twice,     // it stands in this chain already
    input  logic                      core_pairs,     // it takes two inputs
    input  logic                      core_planned,
    input  logic [               3:0] core_fault,
    input  logic [             127:0] core_dims,
    input  logic [              31:0] core_bytes,
    // The plan, for the body: payload moves from `first_core` to `core`, or past the cores.
    output logic                      feeds,
    input  logic                      feeds_ready,
    output logic [               7:0] first_core,
    // The plan, for the router.
    output logic                      sends,
    input  logic                      sends_ready,
    output logic [               4:0] rejection,
    output logic [               3:0] fault,
    output logic                      is_poison,
    output logic [              31:0] origin,         // of what leaves; poison that came keeps its own
    output logic [              31:0] bytes,          // of the result, without prefix
    output logic                      has_prefix,
    output logic [             127:0] prefix,
    output logic [$clog2(ROUTES)-1:0] first_route,
    output logic [$clog2(STAGES)-1:0] first_entry,    // of the chain
    output logic [               2:0] failed          // the fault's position in the chain
);
  localparam integer SW = $clog2(STAGES);
  localparam logic [3:0] READ = 4'd0, REST = 4'd1, PREFIX = 4'd2, SHAPE = 4'd3, START = 4'd4, WAIT = 4'd5, PLAN = 4'd6, FETCH = 4'd7,
                         NEXT = 4'd8, DRAIN = 4'd9, SEND = 4'd10, MATCH = 4'd11;
  logic [3:0] state;
  logic [2:0] step;
  logic [SW-1:0] entry;
  logic [2:0] position;     // in the chain
  logic [3:0] prefix_left;  // beats
  logic fed, sent;
  logic pairs;              // the packet needs another one
  logic holds, matched;     // it waits for that; it completed a match

  // The line of the stage that is planned.
  wire [31:0] number = {1'b0, line[32*wact_interface_pkg::STAGE_NUMBER+:31]};
  wire [20:0] flags = line[32*wact_interface_pkg::STAGE_FLAGS+:21];
  wire [15:0] routes = line[32*wact_interface_pkg::STAGE_ROUTES+16+:16];
  wire [31:0] next = line[32*wact_interface_pkg::STAGE_NEXT+:32];
  wire [3:0] in_variable = flags[11:8], out_variable = flags[15:12];
  wire is_last = next == 32'd0;
  wire [31:0] next_entry = next - 32'd1;
  wire no_next = next_entry >= 32'(stages) || position == 3'(wact_interface_pkg::CHAIN_STAGES - 1);
  assign core = flags[7:0];
  assign params = line[32*wact_interface_pkg::STAGE_PARAMS+:64];
  assign first_route = line[32*wact_interface_pkg::STAGE_ROUTES+:$clog2(ROUTES)];
  assign line_of = state == READ || state == REST ? found : entry;
  assign rests = state == READ || (state == REST && !check);

  wire fits;
  wire shapes = state == REST || state == NEXT || (state == SHAPE && !step[2]);
  wact_shape shape (
      .clk, .gathers(shapes), .axis(state == SHAPE ? step[1:0] : 2'd0), .prefix,
      .bounds(line[32*wact_interface_pkg::STAGE_IN_DIMS+:128]), .variable(in_variable), .is_bytes(flags[18]), .element(flags[17:16]),
      .bytes(state == REST ? check_bytes : bytes), .most_bytes(line[32*wact_interface_pkg::STAGE_IN_MAX+:32]), .dims(own_dims), .fits);
  wire [3:0] misfit;
  wire [127:0] out_prefix;
  wact_fit fit (
      .dims(core_dims), .bytes(core_bytes), .empty(in_bytes == 32'd0 && second_bytes == 32'd0), .bounds(line[32*wact_interface_pkg::STAGE_OUT_DIMS+:128]),
      .variable(out_variable), .is_bytes(flags[19]), .most_bytes(line[32*wact_interface_pkg::STAGE_OUT_MAX+:32]), .fault(misfit),
      .prefix(out_prefix));

  wire prefix_comes = prefix_left != 4'd0 && !ended;
  assign beat_ready = (state == DRAIN && !ended) || prefix_comes;
  wire takes = beat_valid && beat_ready;

  // A match: the core gets input 0, then input 1, in whatever order they came.
  wire pair = matched && position == 3'd0;
  wire [3:0] own_fault = fault != wact_pkg::FAULT_NONE ? fault : fits ? wact_pkg::FAULT_NONE : wact_pkg::FAULT_SHAPE;
  wire decides = state == MATCH && !prefix_comes && !match_busy;
  assign dims = pair && port ? held_dims : own_dims;
  assign in_bytes = pair && port ? held_bytes : bytes;
  assign second_bytes = !pair ? 32'd0 : port ? bytes : held_bytes;
  assign forgets = state == NEXT && is_poison;
  assign meets = decides && !rejected && other;
  assign stores = takes && holds && state == DRAIN && fault == wact_pkg::FAULT_NONE;
  assign keeps = state == DRAIN && ended && holds && !rejected;
  assign merges = matched;

  // The end of the plan: what needs no frame of the right length is a rejection already.
  wire rejected = rejection != 5'd0;
  wire no_routes = routes == 16'd0;
  wire wrong_frame = frame_longer || 16'(frame_length) != routes;
  wire good = state == SEND && (sent || rejected || (!no_routes && frame_whole && !wrong_frame));
  wire moves = !rejected && fault == wact_pkg::FAULT_NONE && (!ended || (matched && held_bytes != 32'd0));
  assign feeds = good && moves && !fed;
  assign sends = good && frame_whole && !sent;
  assign frame_taken = sends && sends_ready;
  assign waits = state == SEND && !frame_whole && !sent;
  assign check_taken = state == REST && check;
  wire wrong_core = core_twice || (pair && !core_pairs);
  assign core_start = state == START && !prefix_comes && !rejected && fits && !wrong_core && core_ready;

  // The kernel cannot run: poison leaves on the routes at the end of the chain once the rest of the packet has arrived.
  task automatic fail(input logic [3:0] reason);
    fault <= reason;
    failed <= position;
    origin <= number;
    bytes <= wact_pkg::fault_text_bytes(reason);
    has_prefix <= 1'b0;
    go_on(is_last ? DRAIN : FETCH);
  endtask

  // FETCH reads the line of the next stage of the chain.
  task automatic go_on(input logic [3:0] to);
    state <= to;
    step <= 3'd0;
    if (to == FETCH) begin
      entry <= next_entry[SW-1:0];
      position <= position + 3'd1;
      chained <= 1'b1;
      previous <= core;
      if (no_next) begin
        rejection <= wact_interface_pkg::REJECT_STAGE;
        state <= DRAIN;
      end
    end
  endtask

  always_ff @(posedge clk) begin
    if (takes) begin
      ended <= beat_last;
      if (beat_bad && !rejected) rejection <= wact_interface_pkg::REJECT_LENGTH;
      if (prefix_comes) prefix_left <= prefix_left - 4'd1;
    end
    case (state)
      READ: state <= REST;  // the line is that of the packet to come
      REST:
      if (check) begin
        {entry, first_entry} <= {2{found}};
        {fed, sent, has_prefix, chained} <= 4'd0;
        {position, failed} <= 6'd0;
        {pairs, holds, matched} <= {flags[20], 2'b00};
        prefix_left <= 4'd0;
        prefix <= 128'd0;
        ended <= check_ended;
        is_poison <= check_poison;
        rejection <= check_rejection;
        fault <= wact_pkg::FAULT_NONE;
        origin <= number;
        bytes <= check_bytes;
        first_core <= core;
        step <= 3'd1;
        if (check_rejection != 5'd0) state <= DRAIN;
        else if (number != check_stage || {1'b0, found} >= stages) begin
          rejection <= wact_interface_pkg::REJECT_STAGE;
          state <= DRAIN;
        end else if (check_port && !flags[20]) begin
          rejection <= wact_interface_pkg::REJECT_USE;
          state <= DRAIN;
        end else if (check_poison) state <= NEXT;
        else if (check_port) begin
          entry <= line[32*wact_interface_pkg::STAGE_FLAGS+24+:SW];
          state <= FETCH;
        end
        else if (in_variable == 4'd0) state <= SHAPE;
        else if (check_bytes < 32'd64) begin
          fault <= wact_pkg::FAULT_SHAPE;
          bytes <= wact_pkg::fault_text_bytes(wact_pkg::FAULT_SHAPE);
          state <= flags[20] ? SHAPE : NEXT;
        end else begin
          bytes <= check_bytes - 32'd64;
          prefix_left <= 4'd8;
          state <= PREFIX;
        end
      end
      PREFIX: begin
        if (takes && prefix_left[3]) prefix[63:0] <= beat;
        if (takes && !prefix_left[3]) prefix[127:64] <= beat;
        step <= 3'd0;
        if (takes && (beat_last || !prefix_left[3])) state <= SHAPE;
      end
      SHAPE: begin
        step <= step + 3'd1;
        if (step[2]) state <= pairs ? MATCH : START;
      end
      MATCH:
      if (decides) begin
        pairs <= 1'b0;
        matched <= meets;
        if (rejected) go_on(DRAIN);
        else if (other) begin
          state <= START;
          if (held_fault != wact_pkg::FAULT_NONE) fail(held_fault);
          if (own_fault != wact_pkg::FAULT_NONE) fail(own_fault);
        end else begin
          if (same) rejection <= wact_interface_pkg::REJECT_TWICE;
          else if (full) rejection <= wact_interface_pkg::REJECT_PLACES;
          fault <= own_fault != wact_pkg::FAULT_NONE ? own_fault : bytes > PLACE_BYTES ? wact_pkg::FAULT_PLACE : wact_pkg::FAULT_NONE;
          holds <= !same && !full;
          go_on(DRAIN);
        end
      end
      START:
      if (!prefix_comes) begin
        if (rejected) go_on(DRAIN);
        else if (!fits) fail(wact_pkg::FAULT_SHAPE);
        else if (wrong_core) fail(wact_pkg::FAULT_CORE);
        else if (core_ready) state <= WAIT;
      end
      WAIT: state <= PLAN;
      PLAN:
      if (core_planned) begin
        if (core_fault != wact_pkg::FAULT_NONE) fail(core_fault);
        else if (misfit != wact_pkg::FAULT_NONE) fail(misfit);
        else begin
          bytes <= core_bytes;
          prefix <= out_prefix;
          has_prefix <= out_variable != 4'd0;
          go_on(is_last ? SEND : FETCH);
        end
      end
      FETCH: state <= NEXT;
      NEXT: begin
        step <= 3'd1;
        if (!is_poison && fault == wact_pkg::FAULT_NONE) begin
          origin <= number;
          state <= SHAPE;
        end else if (!is_last) go_on(FETCH);
        else state <= is_poison ? SEND : DRAIN;
      end
      DRAIN:
      if (ended) begin
        if (keeps) rejection <= wact_interface_pkg::REJECT_HELD;
        state <= SEND;
      end
      SEND: begin
        if (feeds && feeds_ready) fed <= 1'b1;
        if (sends && sends_ready) sent <= 1'b1;
        if (good && (sent || (sends && sends_ready)) && (!moves || fed || feeds_ready)) state <= READ;
        else if (!good && (no_routes || frame_whole)) begin
          rejection <= no_routes ? wact_interface_pkg::REJECT_STAGE : wact_interface_pkg::REJECT_LANDING;
          state <= DRAIN;
        end
      end
      default: state <= READ;
    endcase
    if (rst) state <= READ;
  end
endmodule
