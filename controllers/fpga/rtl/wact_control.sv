// The control registers of the kernel: an AXI4-Lite slave with the protocol ap_ctrl_chain, as AMD's UG1700 ("Control
// Requirements for XRT-Managed Kernels") has it.
//
// 0x00: start [0], done [1], idle [2], ready [3], continue [4]. `start` stays until the run is taken, `ready` tells that and
// clears when read. `done` stays until `continue` is written; each run sets it once. 0x04 [0]: interrupts on. 0x08: which of
// done [0] and ready [1] interrupt. 0x0c: which did; a 1 written there clears it. From 0x10 on: the arguments of wact.json.
module wact_control (
    input  logic         clk,
    input  logic         rst,
    input  logic [  6:0] awaddr,
    input  logic         awvalid,
    output logic         awready,
    input  logic [ 31:0] wdata,
    input  logic [  3:0] wstrb,
    input  logic         wvalid,
    output logic         wready,
    output logic         bvalid,
    input  logic         bready,
    input  logic [  6:0] araddr,
    input  logic         arvalid,
    output logic         arready,
    output logic [ 31:0] rdata,
    output logic         rvalid,
    input  logic         rready,
    output logic         interrupt,
    // A run: its arguments hold while `run_valid`.
    output logic         run_valid,
    input  logic         run_ready,
    output logic [383:0] arguments,  // the four addresses, lowest first, then the four sizes
    input  logic         busy,       // a run is under way
    input  logic         ended,      // the oldest run has ended; held until it is told
    output logic         told
);
  logic [31:0] words[24];
  logic start, done, ready, enabled;
  logic [1:0] wanted, raised;
  assign arguments = {words[22], words[20], words[18], words[16], words[14], words[13], words[11], words[10],
                      words[8], words[7], words[5], words[4]};
  assign run_valid = start;
  assign told = ended && !done;
  assign interrupt = enabled && raised != 2'b00;

  wire writes = awvalid && wvalid && !bvalid;
  wire reads = arvalid && arready;
  assign {awready, wready} = {2{writes}};
  assign arready = !rvalid;
  wire [4:0] place = awaddr[6:2];
  wire [31:0] mask = {{8{wstrb[3]}}, {8{wstrb[2]}}, {8{wstrb[1]}}, {8{wstrb[0]}}};
  wire [1:0] events = wanted & {start && run_ready, told};  // one that comes with the access that clears it stays
  wire unused = &{1'b0, awaddr[1:0], araddr[1:0]};

  always_ff @(posedge clk) begin
    if (bready) bvalid <= 1'b0;
    if (rready) rvalid <= 1'b0;
    if (start && run_ready) {start, ready} <= 2'b01;
    else if (reads && araddr[6:2] == 5'd0) ready <= 1'b0;
    if (told) done <= 1'b1;
    raised <= raised | events;
    if (writes) begin
      bvalid <= 1'b1;
      case (place)
        5'd0: begin
          if (wstrb[0] && wdata[0]) start <= 1'b1;
          if (wstrb[0] && wdata[4]) done <= told;
        end
        5'd1: if (wstrb[0]) enabled <= wdata[0];
        5'd2: if (wstrb[0]) wanted <= wdata[1:0];
        5'd3: if (wstrb[0]) raised <= (raised & ~wdata[1:0]) | events;
        default: if (place < 5'd24) words[place] <= (words[place] & ~mask) | (wdata & mask);
      endcase
    end
    if (reads) begin
      rvalid <= 1'b1;
      case (araddr[6:2])
        5'd0: rdata <= {28'd0, ready, !busy && !start, done, start};
        5'd1: rdata <= {31'd0, enabled};
        5'd2: rdata <= {30'd0, wanted};
        5'd3: rdata <= {30'd0, raised};
        default: rdata <= araddr[6:2] < 5'd24 ? words[araddr[6:2]] : 32'd0;
      endcase
    end
    if (rst) begin
      {start, done, ready, enabled, bvalid, rvalid} <= 6'd0;
      {wanted, raised} <= 4'd0;
    end
  end
endmodule
