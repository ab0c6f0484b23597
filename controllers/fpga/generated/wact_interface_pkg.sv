// Made by controllers/fpga/generate.py from wact.json: do not edit.
//
// The interface of the FPGA packet node (registers, tables, streams) and of the kernel around it (arguments,
// command and directory lines). Word addresses are in units of 32 bits. README.md in controllers/fpga explains it.
/* verilator lint_off UNUSEDPARAM */  // a design uses some of the names
package wact_interface_pkg;
  localparam logic [31:0] ID = 32'h57414354;
  localparam logic [31:0] ENTRY_WORDS = 32'h10;
  localparam logic [31:0] INDEX_ENTRIES = 32'h400;
  localparam logic [31:0] CHAIN_STAGES = 32'h8;
  localparam logic [31:0] LINE_BYTES = 32'h40;
  localparam logic [31:0] COMMAND_ID = 32'h434d4157;
  localparam logic [31:0] DIRECTORY_ID = 32'h52494457;

  localparam logic [15:0] REG_ID = 16'd0;  // "WACT"
  localparam logic [15:0] REG_LIMITS = 16'd1;  // bytes from the top: channels, routes / 16, stages, cores
  localparam logic [15:0] REG_STAGES = 16'd2;  // written: entries of the stage table in use
  localparam logic [15:0] REG_CLEAR = 16'd3;  // written: clears the sequence counters and all statistics; idle comes back when done
  localparam logic [15:0] REG_MATCHES = 16'd4;  // places of the match table [31:24], packets in it now [23:16], bytes of a place / 64 [15:0]
  localparam logic [15:0] REG_ACCEPTED = 16'd16;  // packets that went through, poison and faults included; both packets of a match count as one
  localparam logic [15:0] REG_EMITTED = 16'd17;  // packets that left
  localparam logic [15:0] REG_FAULTS = 16'd18;  // accepted packets whose kernel could not run
  localparam logic [15:0] REG_LAST_REJECTION = 16'd19;  // reason of the last packet that was dropped
  localparam logic [15:0] REG_BUSY_LOW = 16'd20;  // cycles not idle
  localparam logic [15:0] REG_BUSY_HIGH = 16'd21;  // cycles not idle, high word
  localparam logic [15:0] REG_STARVED = 16'd22;  // cycles in which the node waited for a beat of s_axis within a packet, or for a landing frame
  localparam logic [15:0] REG_STALLED = 16'd23;  // cycles in which a beat waited at m_axis or c_axis
  localparam logic [15:0] REG_REJECTED = 16'd32;  // + reason: packets dropped
  localparam logic [15:0] REG_CORE_NAME = 16'd64;  // + 4 * core + word: 16 characters, right-aligned, the last ones in word 0
  localparam logic [15:0] REG_STAGE_TABLE = 16'd4096;  // + 16 * entry + stage word
  localparam logic [15:0] REG_ROUTE_TABLE = 16'd8192;  // + 16 * entry + route word

  localparam logic [31:0] STAGE_NUMBER = 32'd0;  // in the plan; two numbers of a table differ modulo the index's entries. Bit 31: the line of input 1, else a copy of the stage's; the index leaves it out
  localparam logic [31:0] STAGE_FLAGS = 32'd1;  // core [7:0], variable dimensions of input [11:8] and output [15:12], log2 of the element [17:16], input [18] or output [19] is `bytes`, two inputs [20], entry of the line of input 1 [31:24]
  localparam logic [31:0] STAGE_ROUTES = 32'd2;  // first [15:0], count [31:16]; count 0 where `next` names a stage
  localparam logic [31:0] STAGE_OUT_MAX = 32'd3;  // bytes of the output without its prefix
  localparam logic [31:0] STAGE_IN_DIMS = 32'd4;  // 4 words: the extent, or its bound where variable; 1 beyond the rank
  localparam logic [31:0] STAGE_OUT_DIMS = 32'd8;  // 4 words, as in_dims
  localparam logic [31:0] STAGE_IN_MAX = 32'd12;  // bytes of the input without its prefix
  localparam logic [31:0] STAGE_NEXT = 32'd13;  // the output is the input of this entry - 1, by stream, up to chain_stages; 0: it leaves on the routes
  localparam logic [31:0] STAGE_PARAMS = 32'd14;  // 2 words: the kernel's first two parameters, an int or the position of a choice

  localparam logic [31:0] ROUTE_STAGE = 32'd0;  // destination
  localparam logic [31:0] ROUTE_PORT = 32'd1;  // of the destination
  localparam logic [31:0] ROUTE_CHANNEL = 32'd2;  // its sequence counter
  localparam logic [31:0] ROUTE_KEEP = 32'd3;  // 2 words, low first
  localparam logic [31:0] ROUTE_STEP = 32'd5;  // 2 words, low first

  localparam logic [31:0] LANDING_DEVICE = 32'd0;  // kind of memory
  localparam logic [31:0] LANDING_ORDINAL = 32'd8;  // of the device
  localparam logic [31:0] LANDING_REGION = 32'd16;  // as the packet names it
  localparam logic [31:0] LANDING_OFFSET = 32'd32;  // units of 64 bytes

  localparam logic [31:0] COMPLETION_REJECTION = 32'd0;  // 0: accepted
  localparam logic [31:0] COMPLETION_FAULT = 32'd8;  // of wact_pkg; 0: the kernel ran, or the packet was poison
  localparam logic [31:0] COMPLETION_ENTRY = 32'd16;  // of the stage table; meaningless if rejected
  localparam logic [31:0] COMPLETION_CYCLES = 32'd32;  // from the start of the core to its last beat; 0: it did not run

  localparam logic [4:0] REJECT_LENGTH = 5'd16;  // TLAST and payload_bytes disagree
  localparam logic [4:0] REJECT_USE = 5'd17;  // a kind, flag, port or size that the node does not take
  localparam logic [4:0] REJECT_STAGE = 5'd18;  // a stage that is not in the stage table, or has no routes
  localparam logic [4:0] REJECT_LANDING = 5'd19;  // the landing frame has another number of beats than the stage has routes
  localparam logic [4:0] REJECT_PLACES = 5'd20;  // the match table is full
  localparam logic [4:0] REJECT_TWICE = 5'd21;  // a packet of this stage, instance and port waits in the match table already
  localparam logic [4:0] REJECT_HELD = 5'd22;  // no rejection: the packet waits in the match table for that of the other input

  localparam logic [31:0] USER_FURTHER_ROUTE = 32'd1;  // header only; its payload is that of the firing's first packet
  localparam logic [31:0] USER_VOID = 32'd2;  // with TLAST: the input broke off, forget this packet

  localparam logic [31:0] ARGUMENT_COMMAND = 32'd0;  // lines of 64 bytes, read
  localparam logic [31:0] ARGUMENT_INPUT = 32'd1;  // payload of the firing, read
  localparam logic [31:0] ARGUMENT_OUTPUT = 32'd2;  // payload of the result, written
  localparam logic [31:0] ARGUMENT_RESULT = 32'd3;  // directory and packets, written
  localparam logic [31:0] ARGUMENT_COMMAND_BYTES = 32'd4;  // bytes to read at command
  localparam logic [31:0] ARGUMENT_INPUT_BYTES = 32'd5;  // bytes to read at input
  localparam logic [31:0] ARGUMENT_OUTPUT_BYTES = 32'd6;  // room at output
  localparam logic [31:0] ARGUMENT_RESULT_BYTES = 32'd7;  // room at result, at least a line

  localparam logic [31:0] ARGUMENT_AT_COMMAND = 32'd16;  // 8 bytes
  localparam logic [31:0] ARGUMENT_AT_INPUT = 32'd28;  // 8 bytes
  localparam logic [31:0] ARGUMENT_AT_OUTPUT = 32'd40;  // 8 bytes
  localparam logic [31:0] ARGUMENT_AT_RESULT = 32'd52;  // 8 bytes
  localparam logic [31:0] ARGUMENT_AT_COMMAND_BYTES = 32'd64;  // 4 bytes
  localparam logic [31:0] ARGUMENT_AT_INPUT_BYTES = 32'd72;  // 4 bytes
  localparam logic [31:0] ARGUMENT_AT_OUTPUT_BYTES = 32'd80;  // 4 bytes
  localparam logic [31:0] ARGUMENT_AT_RESULT_BYTES = 32'd88;  // 4 bytes

  localparam logic [31:0] COMMAND_MAGIC = 32'd0;  // command_id
  localparam logic [31:0] COMMAND_OPERATION = 32'd1;  // see operations
  localparam logic [31:0] COMMAND_LINES = 32'd2;  // of the command, this one included: command_bytes / 64
  localparam logic [31:0] COMMAND_COUNT = 32'd3;  // fire: landing descriptors; tables: entries of the stage table
  localparam logic [31:0] COMMAND_TICKET = 32'd4;  // any number; the directory repeats it

  localparam logic [31:0] OPERATION_FIRE = 32'd1;  // line 1: the packet's header; from line 2 on: landing beats, 8 a line. The payload follows from input
  localparam logic [31:0] OPERATION_TABLES = 32'd2;  // lines of the stage table, then of the route table, each from entry 0; waits for earlier runs, clears all counters
  localparam logic [31:0] OPERATION_DESCRIBE = 32'd3;  // the result's lines: registers 0x00 to 0x3f (4 lines), then a line of 4 names per 4 cores

  localparam logic [31:0] DIRECTORY_MAGIC = 32'd0;  // directory_id; the directory is line 0 of the result, and is written last
  localparam logic [31:0] DIRECTORY_OPERATION = 32'd1;  // of the command
  localparam logic [31:0] DIRECTORY_TICKET = 32'd2;  // of the command
  localparam logic [31:0] DIRECTORY_STATE = 32'd3;  // see states
  localparam logic [31:0] DIRECTORY_PACKETS = 32'd4;  // in the result, from line 1 on: header, then the message of poison, each padded to lines
  localparam logic [31:0] DIRECTORY_PACKET_LINES = 32'd5;  // lines of these packets together
  localparam logic [31:0] DIRECTORY_COMPLETIONS = 32'd6;  // completion beats, 8 a line, behind the packets
  localparam logic [31:0] DIRECTORY_OUTPUT_BYTES = 32'd7;  // written at output
  localparam logic [31:0] DIRECTORY_CYCLES = 32'd8;  // 2 words, low first: from the start of the run to its end

  localparam logic [31:0] STATE_DONE = 32'd1;  // the command was carried out; a packet may have been rejected
  localparam logic [31:0] STATE_BAD_COMMAND = 32'd2;  // an address is no multiple of 64, or magic, operation, lines, count or a size is wrong; nothing ran
  localparam logic [31:0] STATE_NO_ROOM = 32'd3;  // the result or the output is larger than its room; what fits was written, and the counts are of all
  localparam logic [31:0] STATE_MEMORY = 32'd4;  // an AXI transaction ended with an error
endpackage
/* verilator lint_on UNUSEDPARAM */
