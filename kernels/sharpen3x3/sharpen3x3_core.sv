// Sharpens u8[height,width,channels] as sharpen3x3.md defines it: 5 * centre - up - down - left - right, saturated, edges
// replicated. 8 bytes per cycle, whatever the width. Ports: controllers/fpga/README.md.
//
// The picture is one run of bytes with a stride of width * channels: neighbours of byte i are i +- channels and i +- stride.
// With q = stride / 8, beat n arrives while beat b = n - q - 3 is sharpened; two delay lines of q + 1 beats hold what lies
// between, and each neighbour is cut out of two adjacent beats. Edges take the centre instead.
module sharpen3x3_core #(
    parameter integer LINE_BYTES = 16384
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         start,
    input  logic [127:0] dims,
    input  logic [ 31:0] in_bytes,
    /* verilator lint_off UNUSEDSIGNAL */  // this kernel has no parameters
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
  localparam integer DEPTH = LINE_BYTES / 8 + 1;
  localparam integer AW = $clog2(DEPTH);
  localparam integer CW = AW + 3;  // bits of a column, counted in bytes

  // The shape, from start on.
  logic [CW-1:0] stride;
  logic [3:0] channels;
  logic [31:0] last_row;  // first byte of the last row
  logic [5:0] stride_bits, channel_bits;
  wire [63:0] stride_wide = {32'd0, dims[63:32]} * {32'd0, dims[95:64]};
  assign out_dims  = dims;
  assign out_bytes = in_bytes;
  assign planned   = 1'b1;
  always_comb begin
    if (in_bytes == 32'd0) fault = wact_pkg::FAULT_NONE;
    else if (dims[95:64] > 32'd7) fault = wact_pkg::FAULT_CORE;
    else if (stride_wide > 64'(LINE_BYTES)) fault = wact_pkg::FAULT_LINE;
    else fault = wact_pkg::FAULT_NONE;
  end

  // Steps: every beat of the picture, then q + 3 empty ones.
  logic [31:0] in_left, out_left;
  logic [AW:0] lag;
  logic [AW-1:0] place;
  logic window_valid;
  wire [AW-1:0] quotient = stride[CW-1:3];
  wire moves = !out_valid || out_ready;
  wire steps = moves && out_left != 32'd0 && (in_left == 32'd0 || in_valid);
  assign in_ready = moves && in_left != 32'd0;

  logic [63:0] line0[DEPTH], line1[DEPTH];
  logic [63:0] d0, d1, d2, d3;      // beats n, n-1, n-2 = b+q+1, n-3 = b+q
  logic [63:0] c0, c1, c2, c3;      // beats n-q-1, b+1, b, b-1
  logic [63:0] u0, u1;              // beats b-q, b-q-1
  always_ff @(posedge clk) begin
    if (rst || start) begin
      in_left <= rst ? 32'd0 : wact_pkg::beats(in_bytes);
      out_left <= rst ? 32'd0 : wact_pkg::beats(in_bytes);
      stride <= CW'(stride_wide);
      channels <= dims[67:64];
      last_row <= in_bytes - 32'(stride_wide);
      stride_bits <= {stride_wide[2:0], 3'd0};
      channel_bits <= {dims[66:64], 3'd0};
      lag <= (AW + 1)'(stride_wide[CW-1:3]) + (AW + 1)'(3);
      place <= '0;
      window_valid <= 1'b0;
    end else if (moves) begin
      window_valid <= 1'b0;
      if (steps) begin
        d0 <= in_data;
        d1 <= d0;
        d2 <= d1;
        d3 <= d2;
        c0 <= line0[place];
        line0[place] <= in_data;
        c1 <= c0;
        c2 <= c1;
        c3 <= c2;
        u0 <= line1[place];
        line1[place] <= c0;
        u1 <= u0;
        place <= place == quotient ? '0 : place + 1'b1;
        if (in_left != 32'd0) in_left <= in_left - 32'd1;
        if (lag != '0) lag <= lag - 1'b1;
        else begin
          window_valid <= 1'b1;
          out_left <= out_left - 32'd1;
        end
      end
    end
  end

  // The neighbours of the 8 bytes of beat b. A shift by 64 gives 0.
  wire [6:0] stride_rest = 7'd64 - {1'b0, stride_bits}, channel_rest = 7'd64 - {1'b0, channel_bits};
  wire [63:0] below = (d3 >> stride_bits) | (d2 << stride_rest);
  wire [63:0] above = (u0 << stride_bits) | (u1 >> stride_rest);
  wire [63:0] left = (c2 << channel_bits) | (c3 >> channel_rest);
  wire [63:0] right = (c2 >> channel_bits) | (c1 << channel_rest);

  // Position of these bytes: `position` of the first one in the picture, the `column` of each, and `turn`, 8 mod
  // stride.
  logic [31:0] position;
  logic [CW-1:0] column[8];
  logic [CW-1:0] turn;
  function automatic logic [CW-1:0] next_column(input logic [CW-1:0] at, input logic [CW-1:0] by, input logic [CW-1:0] width);
    logic [CW:0] sum;
    sum = {1'b0, at} + {1'b0, by};
    next_column = sum >= {1'b0, width} ? CW'(sum - {1'b0, width}) : CW'(sum);
  endfunction

  function automatic logic [CW-1:0] first_column(input integer byte_number, input logic [CW-1:0] width);
    integer k;
    first_column = '0;
    for (k = 0; k < 8; k = k + 1) if (k < byte_number) first_column = next_column(first_column, CW'(1), width);
  endfunction

  integer i;
  always_ff @(posedge clk) begin
    if (start) begin
      position <= 32'd0;
      for (i = 0; i < 8; i = i + 1) column[i] <= first_column(i, CW'(stride_wide));
      turn <= first_column(8, CW'(stride_wide));
    end else if (moves && window_valid) begin
      position <= position + 32'd8;
      for (i = 0; i < 8; i = i + 1) column[i] <= next_column(column[i], turn, stride);
    end
  end

  function automatic logic [7:0] sharpen(input logic [7:0] centre, input logic [7:0] a, input logic [7:0] b,
                                         input logic [7:0] c, input logic [7:0] d);
    logic signed [11:0] sum;
    sum = $signed({4'd0, centre}) * 12'sd5 - $signed({4'd0, a}) - $signed({4'd0, b}) - $signed({4'd0, c}) - $signed({4'd0, d});
    sharpen = sum < 0 ? 8'd0 : sum > 12'sd255 ? 8'd255 : sum[7:0];
  endfunction

  integer j;
  always_ff @(posedge clk) begin
    if (rst || start) out_valid <= 1'b0;
    else if (moves) begin
      out_valid <= window_valid;
      if (window_valid) begin
        for (j = 0; j < 8; j = j + 1)
        out_data[8*j+:8] <= sharpen(
            c2[8*j+:8],
            position + 32'(j) < 32'(stride) ? c2[8*j+:8] : above[8*j+:8],
            position + 32'(j) >= last_row ? c2[8*j+:8] : below[8*j+:8],
            column[j] < CW'(channels) ? c2[8*j+:8] : left[8*j+:8],
            column[j] >= stride - CW'(channels) ? c2[8*j+:8] : right[8*j+:8]
        );
      end
    end
  end
endmodule
