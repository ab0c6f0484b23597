// Transforms the blocks of a plane u8[height,width] by cosines and quantises them, with the integers of transform.c: 32 cycles a block
// of 64 samples. Ports: controllers/fpga/README.md.
//
// A strip of 8 lines is taken in, then its blocks follow each other every 24 cycles. One unit transforms a vector a cycle: the 8 rows
// of a block, then, turned in `turning`, its columns. `block` turns these back while the quantiser takes four numbers a cycle.
module jpeg_fdct_core #(
    parameter integer LINE_BYTES = 4096
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         start,
    /* verilator lint_off UNUSEDSIGNAL */  // a plane has two dimensions; a choice and a quality up to 100 are few bits
    input  logic [127:0] dims,
    input  logic [ 31:0] in_bytes,
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
  localparam integer AW = $clog2(LINE_BYTES / 8);  // bits of a block's column

  wire [31:0] height = dims[31:0], width = dims[63:32];
  assign out_dims  = {32'd1, 32'd64, 3'd0, width[31:3], 3'd0, height[31:3]};
  assign out_bytes = {in_bytes[30:0], 1'b0};
  assign planned   = 1'b1;
  always_comb begin
    if (height[2:0] != 3'd0 || width[2:0] != 3'd0) fault = wact_pkg::FAULT_CORE;
    else if (in_bytes != 32'd0 && width > 32'(LINE_BYTES)) fault = wact_pkg::FAULT_LINE;
    else fault = wact_pkg::FAULT_NONE;
  end

  // The strip: a beat is a row of a block. Slots of a block: 0 to 7 read its rows, 14 to 21 take its columns.
  localparam logic [1:0] REST = 2'd0, FILL = 2'd1, BLOCKS = 2'd2;
  localparam logic [4:0] ROWS = 5'd8, COLUMNS = 5'd14, COLUMNS_END = 5'd22, SLOTS = 5'd24;
  logic [1:0] phase;
  logic [4:0] slot;
  logic [2:0] line;
  logic [AW-1:0] column;
  logic [28:0] strips_left;
  wire last_column = column == AW'(width[31:3] - 29'd1);
  logic holds;  // the unit: what it made has no room yet
  logic [63:0] strip[LINE_BYTES];
  logic [63:0] samples;
  logic row_in;
  wire column_in = phase == BLOCKS && slot >= COLUMNS && slot < COLUMNS_END;
  assign in_ready = phase == FILL;
  always_ff @(posedge clk) begin
    if (!holds) begin
      samples <= strip[{slot[2:0], column}];
      row_in <= phase == BLOCKS && slot < ROWS;
    end
    if (phase == FILL && in_valid) begin
      strip[{line, column}] <= in_data;
      column <= last_column ? '0 : column + 1'b1;
      if (last_column) line <= line + 3'd1;
      if (last_column && line == 3'd7) phase <= BLOCKS;
    end
    if (phase == BLOCKS && !holds) begin
      slot <= slot == SLOTS - 5'd1 ? 5'd0 : slot + 5'd1;
      if (slot == SLOTS - 5'd1) begin
        column <= last_column ? '0 : column + 1'b1;
        if (last_column) begin
          phase <= strips_left == 29'd1 ? REST : FILL;
          strips_left <= strips_left - 29'd1;
        end
      end
    end
    if (start) begin
      phase <= FILL;
      {slot, line, column, row_in} <= '0;
      strips_left <= height[31:3];
    end
    if (rst) phase <= REST;
  end

  // The unit: five steps, of which `rows` and `columns` say what they hold. The first pass keeps two places more.
  logic [4:0] rows, columns;
  logic [895:0] turning;  // 8 rows of 8: row by row in, column by column out
  function automatic logic signed [14:0] element(input integer i);  // of the vector that comes in
    element = row_in ? {{8{!samples[8*i+7]}}, samples[8*i+:7]} : {turning[112*i+13], turning[112*i+:14]};
  endfunction
  function automatic logic signed [14:0] descale(input logic signed [31:0] value, input logic second);
    descale = second ? 15'((value + 32'sd16384) >>> 15) : 15'((value + 32'sd1024) >>> 11);
  endfunction
  logic signed [14:0] s0, s1, s2, s3, d0, d1, d2, d3;
  logic signed [14:0] e0, e1, e2, e3;
  logic signed [16:0] sum, difference, sum3, difference3, sum4, difference4;
  logic signed [16:0] a, b, both, all, outer, inner, even, odd;
  logic signed [31:0] m_a, m_b, m_both, m_all, m_outer, m_inner, m_even, m_odd, m0, m1, m2, m3;
  logic signed [31:0] t1, t2, t3, t5, t6, t7, t_even, t_odd;
  logic [119:0] made;
  always_ff @(posedge clk) begin
    if (!holds) begin
      rows <= {rows[3:0], row_in};
      columns <= {columns[3:0], column_in};
      if (row_in || column_in) begin
        s0 <= element(0) + element(7);
        s1 <= element(1) + element(6);
        s2 <= element(2) + element(5);
        s3 <= element(3) + element(4);
        d0 <= element(0) - element(7);
        d1 <= element(1) - element(6);
        d2 <= element(2) - element(5);
        d3 <= element(3) - element(4);
      end
      if (rows[0] || columns[0]) begin
        sum <= 17'(s0) + 17'(s3) + 17'(s1) + 17'(s2);
        difference <= 17'(s0) + 17'(s3) - 17'(s1) - 17'(s2);
        a <= 17'(s0) - 17'(s3);
        b <= 17'(s1) - 17'(s2);
        both <= 17'(s0) - 17'(s3) + 17'(s1) - 17'(s2);
        all <= 17'(d0) + 17'(d1) + 17'(d2) + 17'(d3);
        outer <= 17'(d0) + 17'(d3);
        inner <= 17'(d1) + 17'(d2);
        even <= 17'(d1) + 17'(d3);
        odd <= 17'(d0) + 17'(d2);
        {e0, e1, e2, e3} <= {d0, d1, d2, d3};
      end
      if (rows[1] || columns[1]) begin
        {sum3, difference3} <= {sum, difference};
        m_a <= a * 32'sd6270;
        m_b <= b * 32'sd15137;
        m_both <= both * 32'sd4433;
        m_all <= all * 32'sd9633;
        m_outer <= outer * 32'sd7373;
        m_inner <= inner * 32'sd20995;
        m_even <= even * 32'sd16069;
        m_odd <= odd * 32'sd3196;
        m0 <= e0 * 32'sd12299;
        m1 <= e1 * 32'sd25172;
        m2 <= e2 * 32'sd16819;
        m3 <= e3 * 32'sd2446;
      end
      if (rows[2] || columns[2]) begin
        {sum4, difference4} <= {sum3, difference3};
        t2 <= m_both + m_a;
        t6 <= m_both - m_b;
        t_even <= m_all - m_even;
        t_odd <= m_all - m_odd;
        t1 <= m0 - m_outer;
        t3 <= m1 - m_inner;
        t5 <= m2 - m_inner;
        t7 <= m3 - m_outer;
      end
      if (rows[3] || columns[3]) begin
        made[15*0+:15] <= columns[3] ? 15'((sum4 + 17'sd2) >>> 2) : 15'(sum4 << 2);
        made[15*4+:15] <= columns[3] ? 15'((difference4 + 17'sd2) >>> 2) : 15'(difference4 << 2);
        made[15*2+:15] <= descale(t2, columns[3]);
        made[15*6+:15] <= descale(t6, columns[3]);
        made[15*1+:15] <= descale(t1 + t_odd, columns[3]);
        made[15*3+:15] <= descale(t3 + t_even, columns[3]);
        made[15*5+:15] <= descale(t5 + t_odd, columns[3]);
        made[15*7+:15] <= descale(t7 + t_even, columns[3]);
      end
    end
    if (rst || start) {rows, columns} <= 10'd0;
  end

  // Turned: rows shift in from above and columns out to the right; then columns in from the left, and half rows out below.
  logic [959:0] block;     // 8 rows of 8
  logic [2:0] gathered;  // columns of the block
  logic [4:0] left;      // half rows
  logic sends;
  integer r;
  assign holds = columns[4] && left != 5'd0;
  always_ff @(posedge clk) begin
    for (r = 0; r < 8; r = r + 1) begin
      if (rows[4]) turning[112*7+14*r+:14] <= made[15*r+:14];
      else if (column_in && !holds) turning[112*r+:112] <= turning[112*r+:112] >> 14;
      if (columns[4] && !holds) block[120*r+:120] <= {made[15*r+:15], block[120*r+15+:105]};
    end
    if (rows[4]) turning[783:0] <= turning[895:112];
    if (columns[4] && !holds) begin
      gathered <= gathered + 3'd1;
      if (gathered == 3'd7) left <= 5'd16;
    end else if (sends) begin
      block <= block >> 60;
      left  <= left - 5'd1;
    end
    if (rst || start) {gathered, left} <= 8'd0;
  end

  // The quantiser divides by 8 * step, to the nearest, halves away from 0: n = (|coefficient| + 4 * step) / 8, then n / step as
  // n * factor / 2^25, where factor is 2^25 / step rounded up. That is exact: n < 2^12 and step < 2^13, so the error of the factor
  // adds less than 1 / step.
  wire table_of = params[0];
  wire [6:0] quality = params[38:32];
  logic [13:0] qualities;       // of the tables that lie in `steps`; 0: none
  wire tabled = qualities[7*table_of+:7] == quality;
  logic [155:0] steps[32];     // four entries each: a step and its factor
  logic [155:0] entries;
  logic [59:0] coefficients;
  logic [51:0] numerators;
  logic [103:0] factors;
  logic [43:0] quotients;
  logic [3:0] signs, more_signs;
  logic [2:0] steps_full;      // the quantiser's steps that hold something, before the output
  wire moves = !out_valid || out_ready;
  assign sends = left != 5'd0 && tabled && moves;
  function automatic logic [12:0] numerator_of(input logic [14:0] coefficient, input logic [12:0] step);
    numerator_of = 13'(({1'b0, coefficient[14] ? -coefficient : coefficient} + {1'b0, step, 2'd0}) >> 3);
  endfunction
  function automatic logic [10:0] quotient_of(input logic [12:0] numerator, input logic [25:0] factor);
    quotient_of = 11'(({26'd0, numerator} * {13'd0, factor}) >> 25);
  endfunction
  integer q;
  always_ff @(posedge clk) begin
    if (moves) begin
      {out_valid, steps_full} <= {steps_full, sends};
      if (sends) begin
        coefficients <= block[59:0];
        entries <= steps[{table_of, 4'd0 - left[3:0]}];
      end
      for (q = 0; q < 4; q = q + 1) begin
        if (steps_full[0]) begin
          numerators[13*q+:13] <= numerator_of(coefficients[15*q+:15], entries[39*q+26+:13]);
          factors[26*q+:26] <= entries[39*q+:26];
          signs[q] <= coefficients[15*q+14];
        end
        if (steps_full[1]) begin
          quotients[11*q+:11] <= quotient_of(numerators[13*q+:13], factors[26*q+:26]);
          more_signs[q] <= signs[q];
        end
        if (steps_full[2]) out_data[16*q+:16] <= more_signs[q] ? -{5'd0, quotients[11*q+:11]} : {5'd0, quotients[11*q+:11]};
      end
    end
    if (rst || start) {out_valid, steps_full} <= 4'd0;
  end

  // The steps of a table (Annex K of the standard) for a quality, made once: 64 times two divisions, a bit a cycle.
  localparam logic [1023:0] ANNEX_K = {
      8'd16, 8'd11, 8'd10, 8'd16, 8'd24, 8'd40, 8'd51, 8'd61, 8'd12, 8'd12, 8'd14, 8'd19, 8'd26, 8'd58, 8'd60, 8'd55,
      8'd14, 8'd13, 8'd16, 8'd24, 8'd40, 8'd57, 8'd69, 8'd56, 8'd14, 8'd17, 8'd22, 8'd29, 8'd51, 8'd87, 8'd80, 8'd62,
      8'd18, 8'd22, 8'd37, 8'd56, 8'd68, 8'd109, 8'd103, 8'd77, 8'd24, 8'd35, 8'd55, 8'd64, 8'd81, 8'd104, 8'd113, 8'd92,
      8'd49, 8'd64, 8'd78, 8'd87, 8'd103, 8'd121, 8'd120, 8'd101, 8'd72, 8'd92, 8'd95, 8'd98, 8'd112, 8'd100, 8'd103, 8'd99,
      8'd17, 8'd18, 8'd24, 8'd47, {4{8'd99}}, 8'd18, 8'd21, 8'd26, 8'd66, {4{8'd99}}, 8'd24, 8'd26, 8'd56, {5{8'd99}},
      8'd47, 8'd66, {38{8'd99}}};
  localparam logic [1:0] MADE = 2'd0, PERCENT = 2'd1, STEP = 2'd2, FACTOR = 2'd3;
  logic [1:0] making;
  logic [5:0] entry;
  logic [12:0] percent, step, divisor, rest;
  logic [24:0] dividend;  // the quotient comes in as it goes out
  logic [4:0] bits_left;
  logic [116:0] gathering;
  wire [13:0] trial = {rest, dividend[24]};
  wire fits = trial >= {1'b0, divisor};
  wire [25:0] factor = {1'b0, dividend} + 26'd1;
  logic [1:0] begins;     // the step of `entry`: its number in the table, then the division
  logic [7:0] base;
  task automatic divide(input logic [24:0] n, input logic [12:0] by);
    {dividend, divisor, rest, bits_left} <= {n, by, 13'd0, 5'd25};
  endtask
  always_ff @(posedge clk) begin
    begins <= {begins[0], 1'b0};
    if (begins[0]) base <= ANNEX_K[8*{!table_of, ~entry}+:8];
    if (start) begin
      making <= tabled ? MADE : PERCENT;
      if (!tabled) qualities[7*table_of+:7] <= 7'd0;
      divide(25'd5000, {6'd0, quality});
      begins <= 2'b00;
    end else if (begins[1]) divide({17'd0, base} * {12'd0, percent} + 25'd50, 13'd100);
    else if (bits_left != 5'd0) begin
      rest <= fits ? 13'(trial - {1'b0, divisor}) : trial[12:0];
      dividend <= {dividend[23:0], fits};
      bits_left <= bits_left - 5'd1;
    end else if (begins == 2'b00) begin
      case (making)
        PERCENT: begin
          percent <= quality < 7'd50 ? dividend[12:0] : 13'd200 - {5'd0, quality, 1'b0};
          entry <= 6'd0;
          {making, begins} <= {STEP, 2'b01};
        end
        STEP: begin
          step <= dividend == 25'd0 ? 13'd1 : dividend[12:0];
          divide(25'h1ffffff, dividend == 25'd0 ? 13'd1 : dividend[12:0]);
          making <= FACTOR;
        end
        FACTOR: begin
          gathering <= {step, factor, gathering[116:39]};
          if (entry[1:0] == 2'd3) steps[{table_of, entry[5:2]}] <= {step, factor, gathering};
          entry <= entry + 6'd1;
          {making, begins} <= {STEP, 2'b01};
          if (entry == 6'd63) begin
            {making, begins} <= {MADE, 2'b00};
            qualities[7*table_of+:7] <= quality;
          end
        end
        default: ;
      endcase
    end
    if (rst) {making, begins, bits_left} <= '0;
    if (rst) qualities <= 14'd0;
  end
endmodule
