// The landing frames: one for each packet, with a beat for each route of its stage. Frames queue here, so that a driver may send
// them ahead of the packets. A frame is shown once it is whole: its length is known before the packet's first header leaves.
module wact_landing #(
    parameter integer ROUTES = 256
) (
    input  logic                      clk,
    input  logic                      rst,
    input  logic [              63:0] l_tdata,
    input  logic                      l_tvalid,
    output logic                      l_tready,
    input  logic                      l_tlast,
    // The planner takes frames by their length, the router then reads them, both in order.
    output logic                      whole,
    output logic [  $clog2(ROUTES):0] length,
    output logic                      longer,   // than the route table: the rest was dropped
    input  logic                      taken,
    input  logic [$clog2(ROUTES)-1:0] index,    // asks for a beat of the oldest frame that the router has not freed
    output logic [              63:0] landing,  // the answer, one cycle later
    input  logic                      freed,
    input  logic [  $clog2(ROUTES):0] freed_length
);
  localparam integer RW = $clog2(ROUTES), FRAMES = 4;
  logic [63:0] beats[2*ROUTES];
  logic [RW:0] put, got;     // next beat to write; first beat that is not freed
  logic [RW:0] filling;      // beats of the frame that comes in
  logic overflows;
  logic [RW+1:0] lengths[FRAMES];
  logic [2:0] frames_put, frames_got;
  wire [RW:0] used = put - got;
  wire [2:0] frames = frames_put - frames_got;
  wire full = filling == (RW + 1)'(ROUTES);
  wire takes = l_tvalid && l_tready;
  assign whole = frames != 3'd0;
  assign {longer, length} = lengths[frames_got[1:0]];
  assign l_tready = frames != 3'(FRAMES) && used != (RW + 1)'(2 * ROUTES - 1);

  always_ff @(posedge clk) begin
    landing <= beats[got+(RW+1)'(index)];
    if (takes && !full) beats[put] <= l_tdata;
    if (takes) begin
      if (!full) put <= put + 1'b1;
      filling <= l_tlast ? '0 : full ? filling : filling + 1'b1;
      overflows <= !l_tlast && (overflows || full);
      if (l_tlast) begin
        lengths[frames_put[1:0]] <= {overflows || full, full ? filling : filling + 1'b1};
        frames_put <= frames_put + 3'd1;
      end
    end
    if (taken) frames_got <= frames_got + 3'd1;
    if (freed) got <= got + freed_length;
    if (rst) begin
      {put, got, filling} <= '0;
      overflows <= 1'b0;
      {frames_put, frames_got} <= 6'd0;
    end
  end
endmodule
