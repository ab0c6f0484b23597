// Faults of the FPGA packet node: the reasons why a kernel cannot run, and the poison that each of them sends.
// wact_interface_pkg has the numbers that drivers share.
/* verilator lint_off UNUSEDPARAM */  // a design uses some of the names
package wact_pkg;
  // Faults: the packet is good, but its kernel cannot run. They leave as poison.
  localparam logic [3:0] FAULT_NONE = 4'd0;
  localparam logic [3:0] FAULT_SHAPE = 4'd1;   // dimensions and payload size disagree, or exceed the input port's bounds
  localparam logic [3:0] FAULT_OUTPUT = 4'd2;  // the result exceeds the output port's bounds
  localparam logic [3:0] FAULT_LINE = 4'd3;    // a line is longer than the core's line buffer
  localparam logic [3:0] FAULT_CORE = 4'd4;    // the core does not handle this shape
  localparam logic [3:0] FAULT_TYPE = 4'd5;    // the result does not have the output port's fixed dimensions
  localparam logic [3:0] FAULT_PLACE = 4'd6;   // the first packet of a match is larger than a place of the table

  // The `status` of the poison that a fault sends (woa::Code).
  function automatic logic [7:0] fault_status(input logic [3:0] fault);
    case (fault)
      FAULT_SHAPE: fault_status = 8'd1;    // invalid
      FAULT_OUTPUT, FAULT_PLACE: fault_status = 8'd11;  // too_large
      FAULT_TYPE: fault_status = 8'd14;    // broken_contract
      default: fault_status = 8'd3;        // unsupported
    endcase
  endfunction

  // The message of a fault's poison, and zeros.
  localparam integer TEXT_BYTES = 48;
  function automatic logic [8*TEXT_BYTES-1:0] fault_text(input logic [3:0] fault);
    case (fault)
      FAULT_SHAPE:  fault_text = {"dimensions and payload size disagree", 96'd0};
      FAULT_OUTPUT: fault_text = {"result exceeds the output port's bounds", 72'd0};
      FAULT_LINE:   fault_text = {"line longer than the core's line buffer", 72'd0};
      FAULT_TYPE:   fault_text = {"result lacks the output port's fixed dimensions", 8'd0};
      FAULT_PLACE:  fault_text = {"payload exceeds a place of the match table", 48'd0};
      default:      fault_text = {"shape not supported by the core", 136'd0};
    endcase
  endfunction

  function automatic logic [31:0] fault_text_bytes(input logic [3:0] fault);
    case (fault)
      FAULT_SHAPE: fault_text_bytes = 32'd36;
      FAULT_OUTPUT: fault_text_bytes = 32'd39;
      FAULT_LINE: fault_text_bytes = 32'd39;
      FAULT_TYPE: fault_text_bytes = 32'd47;
      FAULT_PLACE: fault_text_bytes = 32'd42;
      default: fault_text_bytes = 32'd31;
    endcase
  endfunction

  // Beat `beat` of the message: the first character lies in the lowest byte lane.
  function automatic logic [63:0] fault_text_beat(input logic [3:0] fault, input logic [2:0] beat);
    logic [8*TEXT_BYTES-1:0] rest;
    integer i;
    rest = fault_text(fault) << {beat, 6'd0};
    for (i = 0; i < 8; i = i + 1) fault_text_beat[8*i+:8] = rest[8*(TEXT_BYTES-1-i)+:8];
  endfunction

  // Stands in the queue of results beside 64 bits of data.
  localparam logic [1:0] PUT_DATA = 2'd0;
  localparam logic [1:0] PUT_LAST = 2'd1;  // the result ends with this beat
  localparam logic [1:0] PUT_VOID = 2'd2;  // the input broke off, and the result with it
  localparam logic [1:0] PUT_RUN = 2'd3;   // after the last beat, for each core that ran: its cycles

  // Beats that `bytes` take in a stream.
  function automatic logic [31:0] beats(input logic [31:0] bytes);
    beats = {3'd0, bytes[31:3]} + {31'd0, bytes[2:0] != 3'd0};
  endfunction
endpackage
/* verilator lint_on UNUSEDPARAM */
