// Registers of the packet node (controllers/fpga/rtl/wact_node.sv), for every driver of it: model or card. Addresses
// are in words of 32 bits. The same numbers as wact_pkg.sv; README.md beside this file explains the tables.
#pragma once

#include <cstdint>

namespace woa::wact {

inline constexpr std::uint32_t kId = 0x57414354;  // "WACT"

enum Register : std::uint16_t {
  kRegId = 0x00,
  kRegLimits = 0x01,    // bytes: channels, routes / 16, stages, cores (from the top)
  kRegStages = 0x02,    // written: entries of the stage table in use
  kRegAccepted = 0x10,  // packets that went through, poison and faults included
  kRegEmitted = 0x11,
  kRegFaults = 0x12,  // accepted packets whose kernel could not run
  kRegLastRejection = 0x13,
  kRegBusyLow = 0x14,  // cycles not idle
  kRegBusyHigh = 0x15,
  kRegRejected = 0x20,      // + reason
  kRegCoreName = 0x40,      // + 4 * core + word; 16 characters, right-aligned, last characters in word 0
  kRegStageTable = 0x1000,  // + 16 * entry + StageWord
  kRegRouteTable = 0x2000,  // + 16 * entry + RouteWord
};

inline constexpr std::uint32_t kEntryWords = 16;

enum StageWord : std::uint16_t {
  kStageNumber = 0,
  kStageFlags = 1,   // core [7:0], variable dimensions of input [11:8] and output [15:12], log2 of the element [17:16],
                     // input [18] or output [19] is `bytes`
  kStageRoutes = 2,  // first [15:0], count [31:16]
  kStageOutMax = 3,  // bytes of the output without its prefix
  kStageInDims = 4,  // 4 words: the extent, or its bound where variable; 1 beyond the rank
  kStageOutDims = 8,
  kStageInMax = 12,
};

enum RouteWord : std::uint16_t {
  kRouteStage = 0,
  kRoutePort = 1,
  kRouteChannel = 2,
  kRouteKeep = 3,    // 2 words, low first
  kRouteStep = 5,    // 2 words, low first
  kRouteMemory = 8,  // landing descriptor: device [7:0], ordinal [15:8], region [31:16]
  kRouteOffset = 9,  // in units of 64 bytes
};

// Reasons to drop a packet, beyond woa::Rejection.
inline constexpr std::uint32_t kRejectLength = 16;  // TLAST and payload_bytes disagree
inline constexpr std::uint32_t kRejectUse = 17;     // a kind, flag, port or size that the node does not take
inline constexpr std::uint32_t kRejectStage = 18;   // a stage that is not in the stage table, or has no routes

// m_tuser.
inline constexpr std::uint8_t kUserFurtherRoute = 1;  // header only; its payload is that of the firing's first packet
inline constexpr std::uint8_t kUserVoid = 2;          // with TLAST: the input broke off, forget this packet

}  // namespace woa::wact
