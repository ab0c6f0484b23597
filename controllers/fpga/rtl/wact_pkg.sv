// Constants of the FPGA packet node: reasons to drop a packet beyond the packet's own rules, reasons why a kernel
// cannot run, and register addresses. controllers/fpga/README.md explains them; controllers/fpga/wact_registers.h
// repeats them for C++.
/* verilator lint_off UNUSEDPARAM */  // a design uses some of the names
package wact_pkg;
  // Rejections: 1 to 15 are woa_packet_pkg::WOA_REJECT_*.
  localparam logic [4:0] REJECT_LENGTH = 5'd16;  // TLAST and payload_bytes disagree
  localparam logic [4:0] REJECT_USE = 5'd17;     // a kind, flag, port or size that this node does not take
  localparam logic [4:0] REJECT_STAGE = 5'd18;   // no such stage in the stage table, or a stage without routes

  // Faults: the packet is good, but its kernel cannot run. They leave as poison.
  localparam logic [3:0] FAULT_NONE = 4'd0;
  localparam logic [3:0] FAULT_SHAPE = 4'd1;   // dimensions and payload size disagree, or exceed the input port's bounds
  localparam logic [3:0] FAULT_OUTPUT = 4'd2;  // the result exceeds the output port's bounds
  localparam logic [3:0] FAULT_LINE = 4'd3;    // a line is longer than the core's line buffer
  localparam logic [3:0] FAULT_CORE = 4'd4;    // the core does not handle this shape
  localparam logic [3:0] FAULT_TYPE = 4'd5;    // the result does not have the output port's fixed dimensions

  localparam logic [31:0] ID = 32'h57414354;  // "WACT"

  // Register addresses, in words.
  localparam logic [15:0] REG_ID = 16'h0000;
  localparam logic [15:0] REG_LIMITS = 16'h0001;  // {channels, routes / 16, stages, cores}
  localparam logic [15:0] REG_STAGES = 16'h0002;  // written by the driver: entries of the stage table in use
  localparam logic [15:0] REG_ACCEPTED = 16'h0010;
  localparam logic [15:0] REG_EMITTED = 16'h0011;
  localparam logic [15:0] REG_FAULTS = 16'h0012;
  localparam logic [15:0] REG_LAST_REJECTION = 16'h0013;
  localparam logic [15:0] REG_BUSY_LOW = 16'h0014;
  localparam logic [15:0] REG_BUSY_HIGH = 16'h0015;
  localparam logic [15:0] REG_REJECTED = 16'h0020;    // + reason
  localparam logic [15:0] REG_CORE_NAME = 16'h0040;   // + 4 * core + word
  localparam logic [3:0] PAGE_STAGE_TABLE = 4'h1;     // 0x1000 + 16 * entry + word
  localparam logic [3:0] PAGE_ROUTE_TABLE = 4'h2;     // 0x2000 + 16 * entry + word

  // The `status` of the poison that a fault sends (woa::Code).
  function automatic logic [7:0] fault_status(input logic [3:0] fault);
    case (fault)
      FAULT_SHAPE: fault_status = 8'd1;    // invalid
      FAULT_OUTPUT: fault_status = 8'd11;  // too_large
      FAULT_TYPE: fault_status = 8'd14;    // broken_contract
      default: fault_status = 8'd3;        // unsupported
    endcase
  endfunction

  // The message of a fault's poison: 48 characters, the first fault_text_bytes of which are sent.
  localparam integer TEXT_BYTES = 48;
  function automatic logic [8*TEXT_BYTES-1:0] fault_text(input logic [3:0] fault);
    case (fault)
      FAULT_SHAPE:  fault_text = "dimensions and payload size disagree            ";
      FAULT_OUTPUT: fault_text = "result exceeds the output port's bounds         ";
      FAULT_LINE:   fault_text = "line longer than the core's line buffer         ";
      FAULT_TYPE:   fault_text = "result lacks the output port's fixed dimensions ";
      default:      fault_text = "shape not supported by the core                 ";
    endcase
  endfunction

  function automatic logic [31:0] fault_text_bytes(input logic [3:0] fault);
    case (fault)
      FAULT_SHAPE: fault_text_bytes = 32'd36;
      FAULT_OUTPUT: fault_text_bytes = 32'd39;
      FAULT_LINE: fault_text_bytes = 32'd39;
      FAULT_TYPE: fault_text_bytes = 32'd47;
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

  // Beats that `bytes` take in a stream.
  function automatic logic [31:0] beats(input logic [31:0] bytes);
    beats = {3'd0, bytes[31:3]} + {31'd0, bytes[2:0] != 3'd0};
  endfunction
endpackage
/* verilator lint_on UNUSEDPARAM */
