// The two streams of a firing: bytes into the node, and its output sorted into headers, block and message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "controllers/fpga/verilator/wact_model.h"
#include "runtime/controller/backend.h"
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

// Sorts the beats that a node sends. The payload of an activation goes into `block`, that of poison into the sink's own
// buffer.
class BeatSink {
 public:
  BeatSink(std::span<FiringRoute*> routes, std::span<std::byte> block) noexcept : routes_(routes), block_(block) {}
  void take(const WactOutput& output) noexcept;

  // Every route got its packet, no more came, and none was void or larger than its place.
  [[nodiscard]] bool complete() const noexcept { return !broken_ && packets_ == routes_.size() && beat_ == 0; }
  // The header of the firing's first packet; valid when complete.
  [[nodiscard]] const ActivationPacket& first() const noexcept { return routes_[0]->header; }
  [[nodiscard]] std::span<const char> message() const noexcept { return {message_.data(), first().payload_bytes}; }

 private:
  void end_packet(const WactOutput& output) noexcept;

  std::span<FiringRoute*> routes_;
  std::span<std::byte> block_;
  std::span<std::byte> place_;  // the rest of the room for the payload of the packet in hand
  std::array<char, 256> message_;
  HeaderBeats header_;
  ActivationPacket packet_;
  std::size_t beat_ = 0;
  std::size_t packets_ = 0;
  bool broken_ = false;
};

}  // namespace woa
