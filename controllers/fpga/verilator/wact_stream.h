// The streams of a firing as beats: bytes into the node, and its output as packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "controllers/fpga/verilator/wact_model.h"
#include "controllers/fpga/wact_packets.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

inline constexpr std::size_t kBeatBytes = 8;
inline constexpr std::size_t kHeaderBeats = kPacketBytes / kBeatBytes;
using HeaderBeats = std::array<std::uint64_t, kHeaderBeats>;

// A packet as beats of 8 bytes, payload zero-padded.
class BeatSource {
 public:
  BeatSource(const ActivationPacket& header, std::span<const std::byte> payload) noexcept;
  [[nodiscard]] bool done() const noexcept { return next_ == beats_; }
  [[nodiscard]] bool last() const noexcept { return next_ + 1 == beats_; }
  [[nodiscard]] std::uint64_t beat() const noexcept;
  void advance() noexcept { ++next_; }

 private:
  HeaderBeats header_;
  std::span<const std::byte> payload_;
  std::size_t beats_;
  std::size_t next_ = 0;
};

// Makes packets of the beats that a node sends, for `firing`. The payload of an activation goes into its block.
class BeatSink {
 public:
  explicit BeatSink(WactFiring& firing) noexcept : firing_(firing) {}
  // Takes a cycle in which m_tvalid is set, with m_tready.
  void take(const WactOutput& output) noexcept;
  // True between packets.
  [[nodiscard]] bool whole() const noexcept { return beat_ == 0; }

 private:
  void begin_packet() noexcept;
  void end_packet(const WactOutput& output) noexcept;

  WactFiring& firing_;
  std::span<std::byte> place_;  // the rest of the room for the payload of the packet in hand
  std::array<std::byte, 256> message_;
  HeaderBeats header_;
  ActivationPacket packet_;
  std::size_t beat_ = 0;
  std::size_t payload_bytes_ = 0;
};

}  // namespace woa
