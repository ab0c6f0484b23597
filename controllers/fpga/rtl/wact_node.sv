// The FPGA packet node: activation packets in, kernel, activation packets out, over 64-bit AXI4-Streams.
//
// A packet is received and checked, its stage looked up in the stage table, its payload run through a kernel core, and one
// packet per route of the stage leaves with a finished header: nobody after this module changes a byte of it. Poison, and a
// kernel that cannot run, leave as poison on the same routes. A bad packet is counted by its reason and dropped.
//
// m_tuser[0]: a further route of the same firing, header only; the payload is that of the firing's first packet.
// m_tuser[1], with TLAST: the input broke off. This packet is void: forget all of it; its sequence number is used again.
module wact_node #(
    parameter integer STAGES = 64,
    parameter integer ROUTES = 256,
    parameter integer CHANNELS = 64,
    parameter integer LINE_BYTES = 16384
) (
    input  logic        clk,
    input  logic        rst,
    // Registers: tables, landing descriptors, counters. Written while idle only; a read answers in the next cycle.
    input  logic        r_write,
    input  logic        r_read,
    input  logic [15:0] r_address,
    input  logic [31:0] r_wdata,
    output logic [31:0] r_rdata,
    output logic        idle,
    input  logic [63:0] s_tdata,
    input  logic        s_tvalid,
    output logic        s_tready,
    input  logic        s_tlast,
    output logic [63:0] m_tdata,
    output logic        m_tvalid,
    input  logic        m_tready,
    output logic        m_tlast,
    output logic [ 1:0] m_tuser
);
  localparam logic [4:0] CLEAR = 5'd0, HEAD = 5'd1, CHECK = 5'd2, FIND = 5'd3, LOAD = 5'd4, PREFIX = 5'd5, SHAPE = 5'd6,
                         START = 5'd7, PLAN = 5'd8, FIT = 5'd9, DRAIN = 5'd10, ROUTE = 5'd11, EMIT = 5'd12, DIMS = 5'd13,
                         BODY = 5'd14, TEXT = 5'd15, NEXT = 5'd16, ABORT = 5'd17, DROP = 5'd18;
  localparam integer SW = $clog2(STAGES), RW = $clog2(ROUTES);

  logic [4:0] state;
  logic [7:0] step;  // counts within a state
  logic ended;       // TLAST of the packet in hand has been taken

  // The packet in hand.
  logic [511:0] head;
  logic [31:0] crc;
  wire [7:0] kind = head[woa_packet_pkg::WOA_KIND_LSB+:8];
  wire [63:0] payload_bytes = head[woa_packet_pkg::WOA_PAYLOAD_BYTES_LSB+:64];
  wire is_poison = kind == woa_packet_pkg::WOA_KIND_POISON;
  wire [7:0] refused_flags = woa_packet_pkg::WOA_FLAG_ABSENT | woa_packet_pkg::WOA_FLAG_PAYLOAD_CRC;
  logic [31:0] in_left;   // beats of payload still to come
  logic [31:0] in_bytes;  // payload without the dimension prefix
  wire takes = s_tvalid && s_tready;
  wire misplaced_last = s_tlast != (in_left == 32'd1);

  // The packet's stage: words of the stage table, 16 per entry; README.md lists them.
  logic [31:0] stage_table[STAGES*16];
  logic [31:0] stages;     // entries in use
  logic asked;             // stage_word answers this state's request
  logic [SW:0] entry;
  logic [31:0] stage_word;  // one cycle after the request, as a block RAM answers
  logic [19:0] stage_flags;
  logic [31:0] in_max, out_max;
  logic [31:0] in_dim[4], out_dim[4];
  logic [RW:0] first_route, routes;
  wire [3:0] in_variable = stage_flags[11:8], out_variable = stage_flags[15:12];
  wire in_is_bytes = stage_flags[18], out_is_bytes = stage_flags[19];

  // The packet's shape: dimension k comes from the prefix or the table; their product must be the payload's size.
  logic [31:0] prefix[4];  // the input's, then the output's
  logic [1:0] variables;   // dimensions of the prefix used so far
  logic [127:0] dims;
  logic [31:0] volume;
  logic shape_ok, too_large, zero;
  wire [1:0] axis = step[1:0];
  wire [31:0] this_dim = in_is_bytes && axis == 2'd0 ? in_bytes : in_variable[axis] ? prefix[variables] : in_dim[axis];
  wire [63:0] next_volume = {32'd0, volume} * {32'd0, this_dim};

  // The packet that leaves.
  logic [3:0] fault;
  wire poisons = is_poison || fault != wact_pkg::FAULT_NONE;
  logic has_out_prefix;
  logic [31:0] body_bytes, body_left;  // without the prefix; beats
  wire [31:0] out_payload = body_bytes + (has_out_prefix ? 32'd64 : 32'd0);
  logic [RW:0] route;  // number within this stage, from 0
  wire first = route == '0;

  logic [31:0] accepted, emitted, faults;
  logic [31:0] rejected[32];
  logic [4:0] last_rejection;
  logic [63:0] busy_cycles;

  // The kernel core. Poison runs its message through core 0.
  wire [7:0] core = is_poison ? 8'd0 : stage_flags[7:0];
  wire core_planned, core_in_ready, core_out_valid;
  wire [3:0] core_fault;
  wire [127:0] core_dims, core_name;
  wire [31:0] core_bytes;
  wire [63:0] core_data;
  wire [7:0] core_count;
  wire core_in_valid = state == BODY && in_left != 32'd0 && s_tvalid;
  wire core_out_ready = state == BODY && m_tready;
  wact_cores #(.LINE_BYTES(LINE_BYTES)) cores (
      .clk, .rst, .core, .start(state == START), .dims, .in_bytes, .planned(core_planned), .fault(core_fault),
      .out_dims(core_dims), .out_bytes(core_bytes), .in_valid(core_in_valid), .in_ready(core_in_ready), .in_data(s_tdata),
      .out_valid(core_out_valid), .out_ready(core_out_ready), .out_data(core_data), .count(core_count),
      .name_of({2'd0, r_address[7:2] - 6'h10}), .name(core_name));

  // Outgoing headers. Poison keeps its status and origin; a fault has its own.
  wire router_ready, head_valid, head_last;
  wire [63:0] head_beat;
  wact_router #(.ROUTES(ROUTES), .CHANNELS(CHANNELS)) router (
      .clk, .rst, .ready(router_ready), .table_write(r_write && r_address[15:12] == wact_pkg::PAGE_ROUTE_TABLE),
      .table_address(r_address[RW+3:0]), .table_wdata(r_wdata), .start(state == ROUTE), .entry(RW'(first_route + route)),
      .of_instance(head[woa_packet_pkg::WOA_INSTANCE_LSB+:64]), .of_tag(head[woa_packet_pkg::WOA_TAG_LSB+:64]),
      .of_deadline(head[woa_packet_pkg::WOA_DEADLINE_LSB+:64]), .poisons, .payload_bytes(out_payload),
      .status(is_poison ? head[woa_packet_pkg::WOA_STATUS_LSB+:8] : poisons ? wact_pkg::fault_status(fault) : 8'd0),
      .origin(head[is_poison ? woa_packet_pkg::WOA_ORIGIN_LSB : woa_packet_pkg::WOA_STAGE_LSB +: 32]),
      .beat_valid(head_valid), .beat_ready(state == EMIT && m_tready), .beat(head_beat), .beat_last(head_last),
      .sent(state == NEXT));

  // Streams.
  assign idle = state == HEAD && step == 8'd0;
  assign s_tready = state == HEAD || state == PREFIX || state == DROP || (state == DRAIN && !ended) ||
                    (state == BODY && in_left != 32'd0 && core_in_ready);
  wire [63:0] body_mask = body_left != 32'd1 || body_bytes[2:0] == 3'd0 ? ~64'd0 : ~(~64'd0 << {body_bytes[2:0], 3'd0});
  wire sends = m_tvalid && m_tready;
  assign m_tuser = {state == ABORT, !first};
  always_comb begin
    m_tvalid = 1'b1;
    m_tlast  = 1'b0;
    case (state)
      EMIT: begin
        m_tvalid = head_valid;
        m_tdata  = head_beat;
        m_tlast  = head_last && (!first || out_payload == 32'd0);
      end
      DIMS: begin
        m_tdata = step == 8'd0 ? {prefix[1], prefix[0]} : step == 8'd1 ? {prefix[3], prefix[2]} : 64'd0;
        m_tlast = step == 8'd7 && body_bytes == 32'd0;
      end
      BODY: begin
        m_tvalid = core_out_valid;
        m_tdata  = core_data & body_mask;
        m_tlast  = body_left == 32'd1;
      end
      TEXT: begin
        m_tdata = wact_pkg::fault_text_beat(fault, step[2:0]) & body_mask;
        m_tlast = body_left == 32'd1;
      end
      default: begin
        m_tvalid = state == ABORT;
        m_tdata  = 64'd0;
        m_tlast  = 1'b1;
      end
    endcase
  end

  // Counts a bad packet and drops it up to its TLAST.
  task automatic reject(input logic [4:0] reason, input logic at_end);
    rejected[reason] <= rejected[reason] + 32'd1;
    last_rejection <= reason;
    state <= at_end ? HEAD : DROP;
    step <= 8'd0;
  endtask

  task automatic go(input logic [4:0] next);
    state <= next;
    step  <= 8'd0;
  endtask

  // The kernel cannot run: poison leaves once the rest of the packet has arrived.
  task automatic fail(input logic [3:0] reason);
    fault <= reason;
    has_out_prefix <= 1'b0;
    body_bytes <= wact_pkg::fault_text_bytes(reason);
    body_left <= wact_pkg::beats(wact_pkg::fault_text_bytes(reason));
    go(DRAIN);
  endtask

  logic [7:0] rejection;
  always_ff @(posedge clk) begin
    if (state != HEAD || step != 8'd0) busy_cycles <= busy_cycles + 64'd1;
    case (state)
      CLEAR: begin
        rejected[step[4:0]] <= 32'd0;
        if (step[5] && router_ready) go(HEAD);
        else if (!step[5]) step <= step + 8'd1;
      end
      HEAD:
      if (takes) begin
        head <= {s_tdata, head[511:64]};
        if (step == 8'd7) crc <= woa_packet_pkg::woa_crc32c_half(crc, s_tdata[31:0]);
        else crc <= woa_packet_pkg::woa_crc32c_beat(step == 8'd0 ? ~32'd0 : crc, s_tdata);
        ended <= s_tlast;
        fault <= wact_pkg::FAULT_NONE;
        if (step == 8'd7) go(CHECK);
        else if (s_tlast) reject(wact_pkg::REJECT_LENGTH, 1'b1);
        else step <= step + 8'd1;
      end
      CHECK: begin
        in_left <= wact_pkg::beats(payload_bytes[31:0]);
        in_bytes <= payload_bytes[31:0];
        entry <= '0;
        asked <= 1'b0;
        if (rejection != woa_packet_pkg::WOA_REJECT_NONE) reject(rejection[4:0], ended);
        else if ((kind != woa_packet_pkg::WOA_KIND_ACTIVATE && !is_poison) || payload_bytes[63:31] != 33'd0 ||
                 (head[woa_packet_pkg::WOA_FLAGS_LSB+:8] & refused_flags) != 8'd0 ||
                 head[woa_packet_pkg::WOA_PORT_LSB+:16] != 16'd0)
          reject(wact_pkg::REJECT_USE, ended);
        else if ((payload_bytes == 64'd0) != ended) reject(wact_pkg::REJECT_LENGTH, ended);
        else if (stages == 32'd0) reject(wact_pkg::REJECT_STAGE, ended);
        else go(FIND);
      end
      FIND: begin  // word 0 belongs to the entry before
        entry <= entry + 1'b1;
        if (!asked) asked <= 1'b1;
        else if (stage_word == head[woa_packet_pkg::WOA_STAGE_LSB+:32]) begin
          entry <= entry - 1'b1;
          go(LOAD);
        end else if (32'(entry) == stages) reject(wact_pkg::REJECT_STAGE, ended);
      end
      LOAD: begin
        step <= step + 8'd1;
        case (step)  // word 0 comes with step 1
          8'd2: stage_flags <= stage_word[19:0];
          8'd3: begin
            first_route <= stage_word[RW:0];
            routes <= stage_word[16+:RW+1];
          end
          8'd4: out_max <= stage_word;
          8'd5, 8'd6, 8'd7, 8'd8: in_dim[axis-2'd1] <= stage_word;
          8'd9, 8'd10, 8'd11, 8'd12: out_dim[axis-2'd1] <= stage_word;
          8'd13: in_max <= stage_word;
          8'd14:
          if (routes == '0) reject(wact_pkg::REJECT_STAGE, ended);
          else if (is_poison) go(START);
          else if (in_variable == 4'd0) go(SHAPE);
          else if (in_bytes < 32'd64) fail(wact_pkg::FAULT_SHAPE);
          else begin
            in_bytes <= in_bytes - 32'd64;
            go(PREFIX);
          end
          default: ;
        endcase
        route <= '0;
        volume <= 32'd1 << stage_flags[17:16];
        variables <= 2'd0;
        {shape_ok, too_large, zero} <= 3'b100;
      end
      PREFIX:
      if (takes) begin
        if (step == 8'd0) {prefix[1], prefix[0]} <= s_tdata;
        if (step == 8'd1) {prefix[3], prefix[2]} <= s_tdata;
        in_left <= in_left - 32'd1;
        ended <= s_tlast;
        if (misplaced_last) reject(wact_pkg::REJECT_LENGTH, s_tlast);
        else if (step == 8'd7) go(SHAPE);
        else step <= step + 8'd1;
      end
      SHAPE: begin
        dims[32*axis+:32] <= this_dim;
        variables <= variables + {1'b0, in_variable[axis]};
        shape_ok <= shape_ok && this_dim <= in_dim[axis];
        too_large <= too_large || next_volume[63:32] != 32'd0;
        zero <= zero || this_dim == 32'd0;
        volume <= next_volume[31:0];
        if (step == 8'd3) go(START);
        else step <= step + 8'd1;
      end
      START:
      if (is_poison || (shape_ok && in_bytes <= in_max && (zero ? in_bytes == 32'd0 : !too_large && volume == in_bytes))) go(PLAN);
      else fail(wact_pkg::FAULT_SHAPE);
      PLAN:
      if (core_planned) begin
        variables <= 2'd0;
        body_bytes <= core_bytes;
        body_left <= wact_pkg::beats(core_bytes);
        has_out_prefix <= !is_poison && out_variable != 4'd0;
        {prefix[3], prefix[2], prefix[1], prefix[0]} <= 128'd0;
        if (is_poison) go(ROUTE);
        else if (core_fault != wact_pkg::FAULT_NONE) fail(core_fault);
        else if (core_bytes > out_max || (core_bytes == 32'd0) != (in_bytes == 32'd0)) fail(wact_pkg::FAULT_OUTPUT);
        else go(FIT);
      end
      FIT: begin
        step <= step + 8'd1;
        variables <= variables + {1'b0, out_variable[axis]};
        if (out_variable[axis]) prefix[variables] <= core_dims[32*axis+:32];
        if (!out_is_bytes && !out_variable[axis] && core_dims[32*axis+:32] != out_dim[axis]) fail(wact_pkg::FAULT_TYPE);
        else if (!out_is_bytes && core_dims[32*axis+:32] > out_dim[axis]) fail(wact_pkg::FAULT_OUTPUT);
        else if (step == 8'd3) go(ROUTE);
      end
      DRAIN:
      if (ended) go(ROUTE);
      else if (takes) begin
        in_left <= in_left - 32'd1;
        ended <= s_tlast;
        if (misplaced_last) reject(wact_pkg::REJECT_LENGTH, s_tlast);
      end
      ROUTE: go(EMIT);
      EMIT:
      if (sends && head_last) begin
        if (m_tlast) go(NEXT);
        else if (has_out_prefix) go(DIMS);
        else go(fault != wact_pkg::FAULT_NONE ? TEXT : BODY);
      end
      DIMS:
      if (sends) begin
        step <= step + 8'd1;
        if (step == 8'd7) go(m_tlast ? NEXT : BODY);
      end
      BODY: begin
        if (takes) begin
          in_left <= in_left - 32'd1;
          ended   <= s_tlast;
        end
        if (sends) body_left <= body_left - 32'd1;
        if (takes && misplaced_last) go(ABORT);
        else if (sends && m_tlast) go(NEXT);
      end
      TEXT:
      if (sends) begin
        step <= step + 8'd1;
        body_left <= body_left - 32'd1;
        if (m_tlast) go(NEXT);
      end
      NEXT: begin
        emitted <= emitted + 32'd1;
        route <= route + 1'b1;
        if (route + 1'b1 != routes) go(ROUTE);
        else begin
          accepted <= accepted + 32'd1;
          if (fault != wact_pkg::FAULT_NONE) faults <= faults + 32'd1;
          go(HEAD);
        end
      end
      ABORT: if (sends) reject(wact_pkg::REJECT_LENGTH, ended);
      DROP: if (takes && s_tlast) go(HEAD);
      default: go(CLEAR);
    endcase
    if (rst) begin
      go(CLEAR);
      {accepted, emitted, faults, stages} <= 128'd0;
      last_rejection <= 5'd0;
      busy_cycles <= 64'd0;
    end else if (r_write && r_address == wact_pkg::REG_STAGES) stages <= r_wdata;
  end
  always_comb
    if (state == CHECK) rejection = woa_packet_pkg::woa_packet_rejection(head, ~crc);
    else rejection = woa_packet_pkg::WOA_REJECT_NONE;

  // Registers.
  always_ff @(posedge clk) begin
    stage_word <= stage_table[{entry[SW-1:0], step[3:0]}];
    if (r_write && r_address[15:12] == wact_pkg::PAGE_STAGE_TABLE) stage_table[r_address[SW+3:0]] <= r_wdata;
    if (r_read)
      case (r_address)
        wact_pkg::REG_ID: r_rdata <= wact_pkg::ID;
        wact_pkg::REG_LIMITS: r_rdata <= {8'(CHANNELS), 8'(ROUTES / 16), 8'(STAGES), core_count};
        wact_pkg::REG_STAGES: r_rdata <= stages;
        wact_pkg::REG_ACCEPTED: r_rdata <= accepted;
        wact_pkg::REG_EMITTED: r_rdata <= emitted;
        wact_pkg::REG_FAULTS: r_rdata <= faults;
        wact_pkg::REG_LAST_REJECTION: r_rdata <= {27'd0, last_rejection};
        wact_pkg::REG_BUSY_LOW: r_rdata <= busy_cycles[31:0];
        wact_pkg::REG_BUSY_HIGH: r_rdata <= busy_cycles[63:32];
        default:
        if (r_address >= wact_pkg::REG_CORE_NAME) r_rdata <= core_name[32*r_address[1:0]+:32];
        else r_rdata <= rejected[r_address[4:0]];
      endcase
  end
endmodule
