// The node's registers: limits, counters, names of the cores, and writes to the tables. Clears the counters on reset and on request.
module wact_registers #(
    parameter integer STAGES = 64,
    parameter integer ROUTES = 256,
    parameter integer CHANNELS = 64,
    parameter integer PLACES = 4,
    parameter integer PLACE_BYTES = 16384
) (
    input  logic                        clk,
    input  logic                        rst,
    input  logic                        r_write,
    input  logic                        r_read,
    input  logic [                15:0] r_address,
    output logic [                31:0] r_rdata,
    input  logic [    $clog2(STAGES):0] r_wdata,
    output logic                        writes_stages,
    output logic                        writes_routes,
    output logic [    $clog2(STAGES):0] stages,     // entries of the stage table in use
    output logic                        clears,
    output logic [$clog2(CHANNELS)-1:0] clear_at,   // entry after entry of the sequence counters
    input  logic                        idle,
    input  logic                        starves,
    input  logic                        stalls,
    input  logic                        emits,
    input  logic                        told,       // a packet is done with
    input  logic [                 4:0] told_rejection,
    input  logic                        told_fault,
    input  logic [                 7:0] waiting,    // packets in the match table
    input  logic [                 7:0] core_count,
    output logic [                 7:0] name_of,
    input  logic [               127:0] name
);
  localparam integer STEPS = CHANNELS < 32 ? 32 : CHANNELS;
  logic [$clog2(STEPS)-1:0] step;
  logic [31:0] accepted, emitted, faults, starved, stalled;
  logic [63:0] busy;
  logic [4:0] last_rejection;
  assign writes_stages = r_write && r_address[15:12] == wact_interface_pkg::REG_STAGE_TABLE[15:12];
  assign writes_routes = r_write && r_address[15:12] == wact_interface_pkg::REG_ROUTE_TABLE[15:12];
  assign clear_at = step[$clog2(CHANNELS)-1:0];
  assign name_of = {2'd0, r_address[7:2] - wact_interface_pkg::REG_CORE_NAME[7:2]};

  // Rejections by reason. A packet's reason stands here for two cycles before it counts.
  logic [31:0] rejected[32];
  logic [31:0] rejected_so_far, rejected_read;
  logic reads_rejected;
  logic [31:0] value;
  wire rejects = told && told_rejection != 5'd0;
  always_ff @(posedge clk) begin
    rejected_so_far <= rejected[told_rejection];
    rejected_read <= rejected[r_address[4:0]];
    if (clears || rejects) rejected[clears?step[4:0] : told_rejection] <= clears ? 32'd0 : rejected_so_far + 32'd1;
  end
  assign r_rdata = reads_rejected ? rejected_read : value;

  always_ff @(posedge clk) begin
    step <= step + 1'b1;
    if (&step) clears <= 1'b0;
    if (!idle && !clears) busy <= busy + 64'd1;
    if (starves) starved <= starved + 32'd1;
    if (stalls) stalled <= stalled + 32'd1;
    if (emits) emitted <= emitted + 32'd1;
    if (told && !rejects) accepted <= accepted + 32'd1;
    if (told && told_fault) faults <= faults + 32'd1;
    if (rejects && told_rejection != wact_interface_pkg::REJECT_HELD) last_rejection <= told_rejection;
    if (rst || (r_write && r_address == wact_interface_pkg::REG_CLEAR)) begin
      {clears, step} <= {1'b1, ($clog2(STEPS))'(0)};
      {accepted, emitted, faults, starved, stalled} <= 160'd0;
      busy <= 64'd0;
      last_rejection <= 5'd0;
    end
    if (rst) stages <= '0;
    else if (r_write && r_address == wact_interface_pkg::REG_STAGES) stages <= r_wdata;

    if (r_read) begin
      reads_rejected <= r_address[15:5] == wact_interface_pkg::REG_REJECTED[15:5];
      case (r_address)
        wact_interface_pkg::REG_ID: value <= wact_interface_pkg::ID;
        wact_interface_pkg::REG_LIMITS: value <= {8'(CHANNELS), 8'(ROUTES / 16), 8'(STAGES), core_count};
        wact_interface_pkg::REG_STAGES: value <= 32'(stages);
        wact_interface_pkg::REG_MATCHES: value <= {8'(PLACES), waiting, 16'(PLACE_BYTES / 64)};
        wact_interface_pkg::REG_ACCEPTED: value <= accepted;
        wact_interface_pkg::REG_EMITTED: value <= emitted;
        wact_interface_pkg::REG_FAULTS: value <= faults;
        wact_interface_pkg::REG_LAST_REJECTION: value <= {27'd0, last_rejection};
        wact_interface_pkg::REG_BUSY_LOW: value <= busy[31:0];
        wact_interface_pkg::REG_BUSY_HIGH: value <= busy[63:32];
        wact_interface_pkg::REG_STARVED: value <= starved;
        wact_interface_pkg::REG_STALLED: value <= stalled;
        default: value <= name[32*r_address[1:0]+:32];
      endcase
    end
  end
endmodule
