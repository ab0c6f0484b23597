// Made by controllers/fpga/generate.py from wact.json: do not edit.
//
// The interface of the FPGA packet node (registers, tables, streams) and of the kernel around it (arguments,
// command and directory lines). Word addresses are in units of 32 bits. README.md in controllers/fpga explains it.
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off
namespace woa::wact {

inline constexpr std::uint32_t kId = 0x57414354;
inline constexpr std::uint32_t kEntryWords = 0x10;
inline constexpr std::uint32_t kIndexEntries = 0x400;
inline constexpr std::uint32_t kChainStages = 0x8;
inline constexpr std::uint32_t kLineBytes = 0x40;
inline constexpr std::uint32_t kCommandId = 0x434d4157;
inline constexpr std::uint32_t kDirectoryId = 0x52494457;
inline constexpr std::string_view kKernelName = "woa_wact";

enum Register : std::uint32_t {
  kRegId = 0x0,  // "WACT"
  kRegLimits = 0x1,  // bytes from the top: channels, routes / 16, stages, cores
  kRegStages = 0x2,  // written: entries of the stage table in use
  kRegClear = 0x3,  // written: clears the sequence counters and all statistics; idle comes back when done
  kRegMatches = 0x4,  // places of the match table [31:24], packets in it now [23:16], bytes of a place / 64 [15:0]
  kRegAccepted = 0x10,  // packets that went through, poison and faults included; both packets of a match count as one
  kRegEmitted = 0x11,  // packets that left
  kRegFaults = 0x12,  // accepted packets whose kernel could not run
  kRegLastRejection = 0x13,  // reason of the last packet that was dropped
  kRegBusyLow = 0x14,  // cycles not idle
  kRegBusyHigh = 0x15,  // cycles not idle, high word
  kRegStarved = 0x16,  // cycles in which the node waited for a beat of s_axis within a packet, or for a landing frame
  kRegStalled = 0x17,  // cycles in which a beat waited at m_axis or c_axis
  kRegRejected = 0x20,  // + reason: packets dropped
  kRegCoreName = 0x40,  // + 4 * core + word: 16 characters, right-aligned, the last ones in word 0
  kRegStageTable = 0x1000,  // + 16 * entry + stage word
  kRegRouteTable = 0x2000,  // + 16 * entry + route word
};

enum StageWord : std::uint32_t {
  kStageNumber = 0x0,  // in the plan; two numbers of a table differ modulo the index's entries. Bit 31: the line of input 1, else a copy of the stage's; the index leaves it out
  kStageFlags = 0x1,  // core [7:0], variable dimensions of input [11:8] and output [15:12], log2 of the element [17:16], input [18] or output [19] is `bytes`, two inputs [20], entry of the line of input 1 [31:24]
  kStageRoutes = 0x2,  // first [15:0], count [31:16]; count 0 where `next` names a stage
  kStageOutMax = 0x3,  // bytes of the output without its prefix
  kStageInDims = 0x4,  // 4 words: the extent, or its bound where variable; 1 beyond the rank
  kStageOutDims = 0x8,  // 4 words, as in_dims
  kStageInMax = 0xc,  // bytes of the input without its prefix
  kStageNext = 0xd,  // the output is the input of this entry - 1, by stream, up to chain_stages; 0: it leaves on the routes
  kStageParams = 0xe,  // 2 words: the kernel's first two parameters, an int or the position of a choice
};

enum RouteWord : std::uint32_t {
  kRouteStage = 0x0,  // destination
  kRoutePort = 0x1,  // of the destination
  kRouteChannel = 0x2,  // its sequence counter
  kRouteKeep = 0x3,  // 2 words, low first
  kRouteStep = 0x5,  // 2 words, low first
};

enum LandingLsb : std::uint32_t {
  kLandingDevice = 0x0,  // kind of memory
  kLandingOrdinal = 0x8,  // of the device
  kLandingRegion = 0x10,  // as the packet names it
  kLandingOffset = 0x20,  // units of 64 bytes
};

enum CompletionLsb : std::uint32_t {
  kCompletionRejection = 0x0,  // 0: accepted
  kCompletionFault = 0x8,  // of wact_pkg; 0: the kernel ran, or the packet was poison
  kCompletionEntry = 0x10,  // of the stage table; meaningless if rejected
  kCompletionCycles = 0x20,  // from the start of the core to its last beat; 0: it did not run
};

enum NodeRejection : std::uint32_t {
  kRejectLength = 0x10,  // TLAST and payload_bytes disagree
  kRejectUse = 0x11,  // a kind, flag, port or size that the node does not take
  kRejectStage = 0x12,  // a stage that is not in the stage table, or has no routes
  kRejectLanding = 0x13,  // the landing frame has another number of beats than the stage has routes
  kRejectPlaces = 0x14,  // the match table is full
  kRejectTwice = 0x15,  // a packet of this stage, instance and port waits in the match table already
  kRejectHeld = 0x16,  // no rejection: the packet waits in the match table for that of the other input
};

enum User : std::uint32_t {
  kUserFurtherRoute = 0x1,  // header only; its payload is that of the firing's first packet
  kUserVoid = 0x2,  // with TLAST: the input broke off, forget this packet
};

enum Argument : std::uint32_t {
  kArgumentCommand = 0x0,  // lines of 64 bytes, read
  kArgumentInput = 0x1,  // payload of the firing, read
  kArgumentOutput = 0x2,  // payload of the result, written
  kArgumentResult = 0x3,  // directory and packets, written
  kArgumentCommandBytes = 0x4,  // bytes to read at command
  kArgumentInputBytes = 0x5,  // bytes to read at input
  kArgumentOutputBytes = 0x6,  // room at output
  kArgumentResultBytes = 0x7,  // room at result, at least a line
};

enum ArgumentOffset : std::uint32_t {
  kArgumentAtCommand = 0x10,  // 8 bytes
  kArgumentAtInput = 0x1c,  // 8 bytes
  kArgumentAtOutput = 0x28,  // 8 bytes
  kArgumentAtResult = 0x34,  // 8 bytes
  kArgumentAtCommandBytes = 0x40,  // 4 bytes
  kArgumentAtInputBytes = 0x48,  // 4 bytes
  kArgumentAtOutputBytes = 0x50,  // 4 bytes
  kArgumentAtResultBytes = 0x58,  // 4 bytes
};

enum CommandWord : std::uint32_t {
  kCommandMagic = 0x0,  // command_id
  kCommandOperation = 0x1,  // see operations
  kCommandLines = 0x2,  // of the command, this one included: command_bytes / 64
  kCommandCount = 0x3,  // fire: landing descriptors; tables: entries of the stage table
  kCommandTicket = 0x4,  // any number; the directory repeats it
};

enum Operation : std::uint32_t {
  kOperationFire = 0x1,  // line 1: the packet's header; from line 2 on: landing beats, 8 a line. The payload follows from input
  kOperationTables = 0x2,  // lines of the stage table, then of the route table, each from entry 0; waits for earlier runs, clears all counters
  kOperationDescribe = 0x3,  // the result's lines: registers 0x00 to 0x3f (4 lines), then a line of 4 names per 4 cores
};

enum DirectoryWord : std::uint32_t {
  kDirectoryMagic = 0x0,  // directory_id; the directory is line 0 of the result, and is written last
  kDirectoryOperation = 0x1,  // of the command
  kDirectoryTicket = 0x2,  // of the command
  kDirectoryState = 0x3,  // see states
  kDirectoryPackets = 0x4,  // in the result, from line 1 on: header, then the message of poison, each padded to lines
  kDirectoryPacketLines = 0x5,  // lines of these packets together
  kDirectoryCompletions = 0x6,  // completion beats, 8 a line, behind the packets
  kDirectoryOutputBytes = 0x7,  // written at output
  kDirectoryCycles = 0x8,  // 2 words, low first: from the start of the run to its end
};

enum State : std::uint32_t {
  kStateDone = 0x1,  // the command was carried out; a packet may have been rejected
  kStateBadCommand = 0x2,  // an address is no multiple of 64, or magic, operation, lines, count or a size is wrong; nothing ran
  kStateNoRoom = 0x3,  // the result or the output is larger than its room; what fits was written, and the counts are of all
  kStateMemory = 0x4,  // an AXI transaction ended with an error
};

}  // namespace woa::wact
// clang-format on
