// Carries out commands up to the node: a packet and its landings go to the node's streams, tables into its registers. A
// command that is wrong is read to its end and told as such, so that the next one is found.
module wact_dispatch #(
    parameter integer STAGES = 64,
    parameter integer ROUTES = 256
) (
    input  logic        clk,
    input  logic        rst,
    // The next run to be carried out.
    input  logic        run_valid,
    input  logic        run_skip,       // its arguments are wrong: nothing of it was read
    input  logic [28:0] command_words,
    input  logic [31:0] in_bytes,
    input  logic        alone,          // no other run is under way, and the node rests
    output logic        known,          // one cycle: the next four are of this run
    output logic [31:0] operation,
    output logic [31:0] ticket,
    output logic [31:0] routes_of_stage,  // its landings
    output logic        bad,            // nothing of it goes to the node
    input  logic        finished,       // one cycle: a `describe` has been answered
    output logic        run_taken,
    output logic        run_failed,     // with run_taken: the memory had an error
    // Its words: the command, then the input.
    input  logic        word_valid,
    output logic        word_ready,
    input  logic [63:0] word,
    input  logic        word_error,
    output logic        word_last,
    output logic        r_write,
    output logic [15:0] r_address,
    output logic [31:0] r_wdata,
    output logic [63:0] s_tdata,
    output logic        s_tvalid,
    input  logic        s_tready,
    output logic        s_tlast,
    output logic [63:0] l_tdata,
    output logic        l_tvalid,
    input  logic        l_tready,
    output logic        l_tlast
);
  localparam logic [3:0] REST = 4'd0, LINE = 4'd1, CHECK = 4'd2, HEAD = 4'd3, LAND = 4'd4, PAD = 4'd5, BODY = 4'd6,
                         WAIT = 4'd7, TABLE = 4'd8, STAGE_COUNT = 4'd9, CLEAR = 4'd10, SETTLE = 4'd11, ANSWER = 4'd12,
                         SWALLOW = 4'd13;
  logic [3:0] state;
  logic [31:0] left;       // words of the command that are still to come
  logic [31:0] body_left;  // words of the input
  logic [31:0] magic, lines, count, done;  // done: words or beats of this state
  logic high;              // the second register of a table's word
  logic failed;            // a word of this run came with an error
  wire [31:0] routes = lines - 32'd1 - count;
  wire [31:0] command_lines = {6'd0, command_words[28:3]};
  wire fits = magic == wact_interface_pkg::COMMAND_ID && lines == command_lines && !failed;
  wire fires = fits && operation == wact_interface_pkg::OPERATION_FIRE && count != 32'd0 && count <= 32'(ROUTES) &&
               lines == 32'd2 + ((count + 32'd7) >> 3);
  wire loads = fits && operation == wact_interface_pkg::OPERATION_TABLES && in_bytes == 32'd0 && count <= 32'(STAGES) &&
               lines > count && routes <= 32'(ROUTES);
  wire describes = fits && operation == wact_interface_pkg::OPERATION_DESCRIBE && in_bytes == 32'd0 && lines == 32'd1;
  wire takes = word_valid && word_ready;
  wire of_stage = done[31:3] < count[28:0];
  wire [63:0] tail = body_left != 32'd1 || in_bytes[2:0] == 3'd0 ? ~64'd0 : ~(~64'd0 << {in_bytes[2:0], 3'd0});

  assign word_last = state == BODY || (state == SWALLOW && left == 32'd0) ? body_left == 32'd1 : left == 32'd1;
  always_comb
    case (state)
      LINE, PAD: word_ready = 1'b1;
      HEAD, BODY: word_ready = s_tready;
      LAND: word_ready = l_tready;
      TABLE: word_ready = high;
      SWALLOW: word_ready = left != 32'd0 || body_left != 32'd0;
      default: word_ready = 1'b0;
    endcase
  assign s_tvalid = word_valid && (state == HEAD || state == BODY);
  assign s_tdata = state == HEAD ? word : word & tail;
  assign s_tlast = state == HEAD ? done == 32'd7 && body_left == 32'd0 : body_left == 32'd1;
  assign l_tvalid = word_valid && state == LAND;
  assign l_tdata = word;
  assign l_tlast = done == count - 32'd1;

  // A table's word is two registers: word `done` of its lines, low half first.
  wire [14:0] of_route = done[14:0] - {count[11:0], 3'd0};
  always_comb begin
    r_write = 1'b1;
    r_wdata = high ? word[63:32] : word[31:0];
    r_address = of_stage ? wact_interface_pkg::REG_STAGE_TABLE + {done[14:0], high}
                         : wact_interface_pkg::REG_ROUTE_TABLE + {of_route, high};
    case (state)
      TABLE: r_write = word_valid;
      STAGE_COUNT: {r_address, r_wdata} = {wact_interface_pkg::REG_STAGES, count};
      CLEAR: {r_address, r_wdata} = {wact_interface_pkg::REG_CLEAR, 32'd1};
      default: r_write = 1'b0;
    endcase
  end

  assign routes_of_stage = count;
  assign run_failed = !run_skip && (failed || (takes && word_error));
  assign bad = run_skip || !(fires || loads || describes);
  assign known = (state == REST && run_valid && run_skip) || (state == CHECK && (fires || bad)) ||
                 (state == WAIT && alone && describes) || (state == SETTLE && alone && done == 32'd3);
  assign run_taken = (state == REST && run_valid && run_skip) || (state == SETTLE && alone && done == 32'd3) ||
                     (state == ANSWER && finished) || (state == SWALLOW && left == 32'd0 && body_left == 32'd0) ||
                     (state == BODY && takes && body_left == 32'd1) ||
                     ((state == LAND || state == PAD) && takes && left == 32'd1 && body_left == 32'd0);

  task automatic go(input logic [3:0] next);
    state <= next;
    done  <= 32'd0;
  endtask

  always_ff @(posedge clk) begin
    if (takes) begin
      if (left != 32'd0) left <= left - 32'd1;
      else body_left <= body_left - 32'd1;
      done <= done + 32'd1;
      failed <= failed || word_error;
    end
    case (state)
      REST: begin
        left <= {3'd0, command_words};
        body_left <= wact_pkg::beats(in_bytes);
        failed <= 1'b0;
        if (run_valid && !run_skip) go(LINE);
      end
      LINE:
      if (takes) begin
        case (done[2:0])
          3'd0: {operation, magic} <= word;
          3'd1: {count, lines} <= word;
          3'd2: ticket <= word[31:0];
          default: ;
        endcase
        if (done == 32'd7) go(CHECK);
      end
      CHECK: go(fires ? HEAD : bad ? SWALLOW : WAIT);
      HEAD: if (takes && done == 32'd7) go(LAND);
      LAND: if (takes && l_tlast) go(left != 32'd1 ? PAD : body_left != 32'd0 ? BODY : REST);
      PAD: if (takes && left == 32'd1) go(body_left != 32'd0 ? BODY : REST);
      BODY: if (takes && body_left == 32'd1) go(REST);
      WAIT: if (alone) go(describes ? ANSWER : left == 32'd0 ? STAGE_COUNT : TABLE);
      TABLE:
      if (word_valid) begin
        high <= !high;
        if (high && left == 32'd1) go(STAGE_COUNT);
      end
      STAGE_COUNT: go(CLEAR);
      CLEAR: go(SETTLE);
      SETTLE:
      if (done != 32'd3) done <= done + 32'd1;  // until the node shows that it is busy
      else if (alone) go(REST);
      ANSWER: if (finished) go(REST);
      SWALLOW: if (left == 32'd0 && body_left == 32'd0) go(REST);
      default: go(REST);
    endcase
    if (rst) begin
      go(REST);
      high <= 1'b0;
    end
  end
endmodule
