// Tells how each packet went, once its last beat has left: a beat for each stage of its chain, or one for a rejection.
module wact_completion #(
    parameter integer STAGES = 64
) (
    input  logic                      clk,
    input  logic                      rst,
    output logic                      rests,
    input  logic                      table_write,
    input  logic [$clog2(STAGES)+3:0] table_address,
    input  logic [              15:0] table_wdata,
    // The end of a packet.
    input  logic                      ends,
    output logic                      ends_ready,
    input  logic [               4:0] rejection,
    input  logic [               3:0] fault,
    input  logic [               2:0] failed,      // the fault's position in the chain
    input  logic [$clog2(STAGES)-1:0] first_entry,
    input  logic                      ran,         // cores did: their cycles stand in the queue of results
    input  logic                      sent,        // beats did leave, or will
    input  logic                      final_left,  // the last of them does
    input  logic                      run_valid,
    output logic                      run_ready,
    input  logic [              31:0] run_cycles,
    output logic                      told,        // one of these counts now
    output logic [               4:0] told_rejection,
    output logic                      told_fault,
    output logic [              63:0] c_tdata,
    output logic                      c_tvalid,
    input  logic                      c_tready,
    output logic                      c_tlast
);
  localparam integer SW = $clog2(STAGES);
  logic [15:0] nexts[STAGES];  // the stage table's words `next`
  logic [15:0] next;
  logic busy, read;
  logic [1:0] left;  // last beats that have left and are not told
  logic [3:0] fault_now;
  logic [2:0] failed_now, position;
  logic [SW-1:0] entry;
  logic ran_now, sent_now;
  wire [SW-1:0] next_entry = SW'(next - 16'd1);
  wire moves = c_tvalid && c_tready;

  assign rests = !busy;
  assign ends_ready = !busy || (moves && c_tlast);
  assign c_tvalid = busy && read && (!sent_now || left != 2'd0) && (!ran_now || run_valid);
  assign c_tlast = told_rejection != 5'd0 || next == 16'd0;
  assign c_tdata = {ran_now ? run_cycles : 32'd0, 16'(entry), 4'd0, position == failed_now ? fault_now : 4'd0, 3'd0, told_rejection};
  assign run_ready = ran_now && moves;
  assign told = moves && c_tlast;
  assign told_fault = fault_now != wact_pkg::FAULT_NONE;

  always_ff @(posedge clk) begin
    next <= nexts[entry];
    if (table_write && table_address[3:0] == 4'(wact_interface_pkg::STAGE_NEXT)) nexts[table_address[SW+3:4]] <= table_wdata;
    left <= left + {1'b0, final_left} - {1'b0, told && sent_now};
    read <= busy && !moves;
    if (moves) begin
      entry <= next_entry;
      position <= position + 3'd1;
      if (c_tlast) busy <= 1'b0;
    end
    if (ends) begin
      {busy, told_rejection, fault_now, failed_now, position} <= {1'b1, rejection, fault, failed, 3'd0};
      {entry, ran_now, sent_now, read} <= {first_entry, ran, sent, 1'b0};
    end
    if (rst) begin
      busy <= 1'b0;
      left <= 2'd0;
    end
  end
endmodule
