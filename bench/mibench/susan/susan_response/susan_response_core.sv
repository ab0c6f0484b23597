// Says of each pixel of u8[height,width] how unlike the 37 pixels around it are, as response.c does: one pixel a cycle. Ports:
// controllers/fpga/README.md.
//
// Pixels come in row by row. `lines` keeps six rows above the newest pixel, so each step gives the window a column of seven. The
// centre of the window lies three rows and three pixels behind, so that many empty steps end a picture.
module susan_response_core #(
    parameter integer LINE_BYTES = 4096
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
  localparam integer AW = $clog2(LINE_BYTES);
  localparam integer MASK = 7;  // sides of the mask
  localparam logic [31:0] RADIUS = 32'd3;
  localparam logic [11:0] GEOMETRIC = 12'd2650;  // no edge above it

  wire [31:0] height = dims[31:0], width = dims[63:32];
  assign out_dims  = dims;
  assign out_bytes = in_bytes[31:29] == 3'd0 ? {in_bytes[29:0], 2'd0} : ~32'd0;  // beyond any port's bound
  assign planned   = 1'b1;
  always_comb begin
    if (width < 32'(MASK) || height < 32'(MASK)) fault = wact_pkg::FAULT_CORE;
    else if (width > 32'(LINE_BYTES)) fault = wact_pkg::FAULT_LINE;
    else fault = wact_pkg::FAULT_NONE;
  end

  // A step takes a pixel, or an empty one behind the last. `emits` says what follows from it: the window, how alike its pixels are,
  // the sums of its rows, their sum; `ends` belongs to the picture's last pixel.
  logic [31:0] in_left, out_left;  // pixels
  logic [2:0] lane;
  logic [AW+1:0] lag;              // steps until the first pixel has its window
  logic [AW-1:0] column, column_written;
  logic [47:0] lines[LINE_BYTES];
  logic [47:0] above;              // the newest row highest
  logic [7:0] pixel;
  logic stepped;
  logic [4:0] emits, ends;
  wire moves = !out_valid || out_ready;
  wire steps = moves && out_left != 32'd0 && (in_left == 32'd0 || in_valid);
  assign in_ready = moves && in_left != 32'd0 && (lane == 3'd7 || in_left == 32'd1);
  always_ff @(posedge clk) begin
    if (moves) begin
      stepped <= steps;
      emits <= {emits[3:0], steps && lag == '0};
      ends <= {ends[3:0], out_left == 32'd1};
    end
    if (steps) begin
      pixel <= in_data[8*lane+:8];
      above <= lines[column];
      column_written <= column;
      column <= column == AW'(width - 32'd1) ? '0 : column + 1'b1;
      lane <= lane + 3'd1;
      if (in_left != 32'd0) in_left <= in_left - 32'd1;
      if (lag != '0) lag <= lag - 1'b1;
      else out_left <= out_left - 32'd1;
    end
    if (rst || start) begin
      in_left <= rst ? 32'd0 : in_bytes;
      out_left <= rst ? 32'd0 : in_bytes;
      lag <= (AW + 2)'(RADIUS * width + RADIUS);
      lane <= 3'd0;
      column <= '0;
      {stepped, emits} <= 6'd0;
    end
  end

  // The window: columns from left to right, each from above to below.
  logic [8*MASK*MASK-1:0] window;
  always_ff @(posedge clk) begin
    if (moves && stepped) begin
      lines[column_written] <= {pixel, above[47:8]};
      window <= {pixel, above, window[8*MASK*MASK-1:8*MASK]};
    end
  end

  // 100 exp(-(difference / 20)^6), as table.c has it.
  function automatic logic [6:0] alike(input logic [7:0] a, input logic [7:0] b);
    case (a > b ? a - b : b - a)
      8'd0, 8'd1: alike = 7'd100;
      8'd2, 8'd3, 8'd4, 8'd5, 8'd6, 8'd7, 8'd8, 8'd9: alike = 7'd99;
      8'd10: alike = 7'd98;
      8'd11: alike = 7'd97;
      8'd12: alike = 7'd95;
      8'd13: alike = 7'd92;
      8'd14: alike = 7'd88;
      8'd15: alike = 7'd83;
      8'd16: alike = 7'd76;
      8'd17: alike = 7'd68;
      8'd18: alike = 7'd58;
      8'd19: alike = 7'd47;
      8'd20: alike = 7'd36;
      8'd21: alike = 7'd26;
      8'd22: alike = 7'd17;
      8'd23: alike = 7'd9;
      8'd24: alike = 7'd5;
      8'd25: alike = 7'd2;
      default: alike = 7'd0;
    endcase
  endfunction
  // Rows of the mask have 3, 5, 7, 7, 7, 5 and 3 pixels.
  function automatic logic in_mask(input integer row, input integer place);
    integer half;
    half = row == 0 || row == 6 ? 1 : row == 1 || row == 5 ? 2 : 3;
    in_mask = place >= 3 - half && place <= 3 + half;
  endfunction

  logic [7*MASK*MASK-1:0] alikes;  // by row; 0 beside the mask
  logic [10*MASK-1:0] row_sums;
  logic [11:0] sum;
  function automatic logic [9:0] sum_of_row(input logic [7*MASK-1:0] row);
    integer j;
    sum_of_row = 10'd0;
    for (j = 0; j < MASK; j = j + 1) sum_of_row = sum_of_row + {3'd0, row[7*j+:7]};
  endfunction
  function automatic logic [11:0] sum_of_rows(input logic [10*MASK-1:0] all);
    integer j;
    sum_of_rows = 12'd0;
    for (j = 0; j < MASK; j = j + 1) sum_of_rows = sum_of_rows + {2'd0, all[10*j+:10]};
  endfunction
  integer r, k;
  always_ff @(posedge clk) begin
    if (moves && emits[1])
      for (r = 0; r < MASK; r = r + 1)
      for (k = 0; k < MASK; k = k + 1)
      alikes[7*(MASK*r+k)+:7] <= in_mask(r, k) ? alike(window[8*(MASK*k+r)+:8], window[8*(MASK*3+3)+:8]) : 7'd0;
    if (moves && emits[2]) for (r = 0; r < MASK; r = r + 1) row_sums[10*r+:10] <= sum_of_row(alikes[7*MASK*r+:7*MASK]);
    if (moves && emits[3]) sum <= sum_of_rows(row_sums);
  end

  // Two responses a beat, 0 at the picture's borders.
  logic [AW-1:0] x;
  logic [31:0] y;
  logic [11:0] first;  // of a beat
  logic second;
  wire interior = x >= AW'(RADIUS) && x < AW'(width - RADIUS) && y >= RADIUS && y < height - RADIUS;
  wire [11:0] response = interior && sum <= GEOMETRIC ? GEOMETRIC - sum : 12'd0;
  always_ff @(posedge clk) begin
    if (moves) begin
      out_valid <= emits[4] && (second || ends[4]);
      out_data <= second ? {20'd0, response, 20'd0, first} : {52'd0, response};
      if (emits[4]) begin
        first <= response;
        second <= !second;
        x <= x == AW'(width - 32'd1) ? '0 : x + 1'b1;
        if (x == AW'(width - 32'd1)) y <= y + 32'd1;
      end
    end
    if (rst || start) begin
      {out_valid, second} <= 2'b00;
      x <= '0;
      y <= 32'd0;
    end
  end
endmodule
