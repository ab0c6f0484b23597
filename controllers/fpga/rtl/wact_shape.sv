// The shape of an input: extents from the table or, where they vary, in order from the prefix. Their product must be the size of
// the data, and each must keep within its bound.
module wact_shape (
    input  logic         clk,
    input  logic         gathers,   // once for each axis, from 0 on; `fits` is valid two cycles after axis 3
    input  logic [  1:0] axis,
    input  logic [127:0] prefix,
    input  logic [127:0] bounds,
    input  logic [  3:0] variable,
    input  logic         is_bytes,  // the extent is the size
    input  logic [  1:0] element,   // log2 of its bytes
    input  logic [ 31:0] bytes,
    input  logic [ 31:0] most_bytes,
    output logic [127:0] dims,
    output logic         fits
);
  logic [1:0] used;  // words of the prefix
  logic [31:0] factor, volume;
  logic multiplies, first, bounded, too_large, zero;
  wire [1:0] place = axis == 2'd0 ? 2'd0 : used;
  // Written out: yosys makes a shifter of a part-select.
  function automatic logic [31:0] choose(input logic [127:0] words, input logic [1:0] number);
    case (number)
      2'd0: choose = words[31:0];
      2'd1: choose = words[63:32];
      2'd2: choose = words[95:64];
      default: choose = words[127:96];
    endcase
  endfunction
  wire [31:0] bound = choose(bounds, axis);
  wire [31:0] extent = is_bytes && axis == 2'd0 ? bytes : variable[axis] ? choose(prefix, place) : bound;
  wire [63:0] product = {32'd0, first ? 32'd1 << element : volume} * {32'd0, factor};
  always_ff @(posedge clk) begin
    multiplies <= gathers;
    if (gathers) begin
      dims <= {extent, dims[127:32]};
      factor <= extent;
      first <= axis == 2'd0;
      used <= place + {1'b0, variable[axis]};
      bounded <= (axis == 2'd0 || bounded) && extent <= bound;
    end
    if (multiplies) begin
      volume <= product[31:0];
      too_large <= (!first && too_large) || product[63:32] != 32'd0;
      zero <= (!first && zero) || factor == 32'd0;
    end
  end
  assign fits = bounded && bytes <= most_bytes && (zero ? bytes == 32'd0 : !too_large && volume == bytes);
endmodule
