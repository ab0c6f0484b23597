// A firing's way through a packet node: what goes in, and what comes back. Bytes alone, whatever carries them.
//
// Every header that leaves is the node's, byte for byte. The host tells the node by landing beats where the consumer's
// block lies, which the node cannot know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "controllers/fpga/wact_tables.h"
#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

// A packet that goes in.
struct WactRequest {
  ActivationPacket header;
  std::span<const std::byte> payload;
};

// One firing on its way through a node: begin(), then what came back, then finish(). Reused for the next; allocates
// when it is made and for messages of failures. One thread at a time.
class WactFiring {
 public:
  explicit WactFiring(const WactTables& tables);  // outlives it

  // Takes the firing up. False: it does not fit a stage of the tables, and is answered (`lost`, kInternal).
  [[nodiscard]] bool begin(Firing& firing) noexcept;
  // The packets, one for each input, in the order to send them. With each of them goes a landing beat for each route.
  // Valid until finish(). The node keeps the first of two until the second comes, so the first is the smaller one.
  [[nodiscard]] std::span<const WactRequest> requests() const noexcept {
    return std::span(requests_).first(requests_count_);
  }
  // The only packet of a firing with one input.
  [[nodiscard]] const ActivationPacket& header() const noexcept { return requests_[0].header; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept { return requests_[0].payload; }
  [[nodiscard]] std::span<const std::uint64_t> landings() const noexcept { return landings_; }
  // Room for the payload of an activation; empty if poison is forwarded.
  [[nodiscard]] std::span<std::byte> block() const noexcept { return block_; }

  // A whole packet came back, in order of the routes. `written`: bytes of an activation's payload, which lie in
  // block(). `message`: poison's payload. Both are of the first packet alone; further ones are headers.
  void packet(const ActivationPacket& header, std::uint64_t written, std::span<const std::byte> message) noexcept;
  [[nodiscard]] std::size_t packets() const noexcept { return packets_; }  // that came and were right
  // A completion beat came, behind the packets: one for each stage of the chain, `last` with the last. The first of two
  // requests is answered by a beat of its own.
  void completion(std::uint64_t beat, bool last) noexcept;
  // The answer cannot be sorted. `what` is a literal, the end of "the packet node's answer is damaged: ".
  void damage(std::string_view what) noexcept;
  // Nothing more will come.
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  // Fills in all answers but the times, for the firing and for those in Firing::joined. Codes: the status of the node's
  // poison at the stage whose kernel could not run, with the poison's payload as message. Those behind it did not run:
  // kOk, no cycles. kDataLoss and `lost` if the node refused the packet or its answer is damaged; then no header is
  // valid. Cycles are those of each stage's core.
  void finish() noexcept;
  // Instead of finish(): the device is broken.
  void lose(Code code, std::string_view message) noexcept;

 private:
  [[nodiscard]] bool order_routes() noexcept;
  void make_requests() noexcept;
  [[nodiscard]] Firing& at(std::size_t link) noexcept { return link == 0 ? *firing_ : *firing_->joined[link - 1]; }
  [[nodiscard]] std::string_view check_header(const ActivationPacket& header) const noexcept;
  void check_answer() noexcept;

  const WactTables& tables_;
  Firing* firing_ = nullptr;
  const StageRoutes* routes_ = nullptr;
  std::array<WactRequest, 2> requests_;
  std::size_t requests_count_ = 0, answered_ = 0, refused_ = 0;
  std::span<std::byte> block_;
  std::vector<FiringRoute*> order_;  // the firing's routes in order of the route table
  std::vector<std::uint64_t> landings_, completions_;
  std::array<char, 256> message_;
  std::size_t packets_ = 0;
  bool ended_ = false;
  std::string_view damage_;  // empty: none
};

}  // namespace woa
