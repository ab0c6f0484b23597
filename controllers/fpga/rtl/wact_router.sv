// Outgoing headers: the route table with its landing descriptors, the sequence counters of the channels, and the finished
// header of one route at a time, sealed with its CRC.
module wact_router #(
    parameter integer ROUTES = 256,
    parameter integer CHANNELS = 64
) (
    input  logic                      clk,
    input  logic                      rst,
    output logic                      ready,          // counters are cleared after reset
    input  logic                      table_write,
    input  logic [$clog2(ROUTES)+3:0] table_address,
    input  logic [              31:0] table_wdata,
    // start: builds the header of route `entry` for a firing. These inputs hold still until the header has left.
    input  logic                      start,
    input  logic [$clog2(ROUTES)-1:0] entry,
    input  logic [              63:0] of_instance,
    input  logic [              63:0] of_tag,
    input  logic [              63:0] of_deadline,
    input  logic                      poisons,
    input  logic [               7:0] status,
    input  logic [              31:0] origin,
    input  logic [              31:0] payload_bytes,
    output logic                      beat_valid,
    input  logic                      beat_ready,
    output logic [              63:0] beat,
    output logic                      beat_last,
    input  logic                      sent            // the packet left whole: its sequence number is used up
);
  localparam logic [2:0] CLEAR = 3'd0, REST = 3'd1, LOAD = 3'd2, BUILD = 3'd3, SEAL = 3'd4, EMIT = 3'd5;
  localparam integer NW = $clog2(CHANNELS);
  logic [2:0] state;
  logic [7:0] step;

  logic [31:0] routes[ROUTES*16];  // 16 words per entry; README.md lists them
  logic [31:0] word;               // one cycle after the request, as a block RAM answers
  always_ff @(posedge clk) begin
    word <= routes[{entry, step[3:0]}];
    if (table_write) routes[table_address] <= table_wdata;
  end

  logic [31:0] to[10];                 // words of the route in hand
  logic [31:0] sequence_of[CHANNELS];  // the channel's last packet
  wire [NW-1:0] channel = NW'(to[2]);
  logic [63:0] out[8];
  logic [31:0] crc;
  assign ready = state != CLEAR;
  assign beat_valid = state == EMIT;
  assign beat = out[step[2:0]];
  assign beat_last = step[2:0] == 3'd7;

  always_ff @(posedge clk) begin
    step <= step + 8'd1;
    case (state)
      CLEAR: begin
        sequence_of[step[NW-1:0]] <= 32'd0;
        if (step == 8'(CHANNELS - 1)) state <= REST;
      end
      REST: begin
        step <= 8'd0;
        if (start) state <= LOAD;
        if (sent) sequence_of[channel] <= sequence_of[channel] + 32'd1;
      end
      LOAD: begin  // word 0 comes with step 1
        if (step != 8'd0) to[step[3:0]-4'd1] <= word;
        if (step[3:0] == 4'd10) state <= BUILD;
      end
      BUILD: begin
        out[0] <= {
          to[1][15:0],
          status,
          woa_packet_pkg::WOA_FLAG_HEADER_CRC | (poisons && payload_bytes != 32'd0 ? woa_packet_pkg::WOA_FLAG_INLINE : 8'd0),
          poisons ? woa_packet_pkg::WOA_KIND_POISON : woa_packet_pkg::WOA_KIND_ACTIVATE,
          woa_packet_pkg::WOA_VERSION,
          woa_packet_pkg::WOA_MAGIC
        };
        out[1] <= of_instance;
        out[2] <= (of_tag & {to[4], to[3]}) + {to[6], to[5]};
        out[3] <= of_deadline;
        out[4] <= {origin, to[0]};
        out[5] <= {
          poisons ? 16'd0 : to[8][31:16],
          poisons || payload_bytes == 32'd0 ? 16'd0 : to[8][15:0],
          sequence_of[channel] + 32'd1
        };
        out[6] <= {32'd0, payload_bytes};
        out[7] <= {32'd0, poisons ? 32'd0 : to[9]};
        crc <= ~32'd0;
        step <= 8'd0;
        state <= SEAL;
      end
      SEAL: begin
        if (step[3]) begin
          out[7][63:32] <= ~crc;
          step <= 8'd0;
          state <= EMIT;
        end else if (beat_last) crc <= woa_packet_pkg::woa_crc32c_half(crc, out[7][31:0]);
        else crc <= woa_packet_pkg::woa_crc32c_beat(crc, beat);
      end
      EMIT: begin
        if (!beat_ready) step <= step;
        else if (beat_last) state <= REST;
      end
      default: state <= CLEAR;
    endcase
    if (rst) begin
      step  <= 8'd0;
      state <= CLEAR;
    end
  end
endmodule
