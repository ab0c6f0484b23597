// Packets from a controller's stages to its own stages, in the order in which they were sent.
//
// One thread; no allocation after construction. The reader may look at the first packet while others are added.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/token.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

class LocalQueue {
 public:
  explicit LocalQueue(std::size_t places)
      : places_(std::max<std::size_t>(places, 1)), texts_(std::make_unique_for_overwrite<Text[]>(places_.size())) {}

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool full() const noexcept { return count_ == places_.size(); }
  // A place for a packet, which the caller writes. Not when full.
  [[nodiscard]] ActivationPacket& push(std::uint32_t edge) noexcept {
    Token& token = places_[place(count_++)];
    token.edge = edge;
    return token.header;
  }
  // Poison with its text, which is copied and cut to kPoisonMessageBytes. Not when full.
  void push(std::uint32_t edge, const ActivationPacket& packet, std::span<const std::byte> text) noexcept {
    Text& to = texts_[place(count_)];
    std::copy_n(text.begin(), std::min(text.size(), to.size()), to.begin());
    push(edge) = packet;
  }
  // The first packet, as a token, and its text if it is poison. Not when empty.
  [[nodiscard]] const Token& front() const noexcept { return places_[head_]; }
  [[nodiscard]] std::span<const std::byte> text() const noexcept {
    const ActivationPacket& packet = front().header;
    if ((packet.flags & kInline) == 0) return {};
    return std::span(texts_[head_]).first(std::min<std::size_t>(packet.payload_bytes, kPoisonMessageBytes));
  }
  void pop() noexcept {
    head_ = head_ + 1 == places_.size() ? 0 : head_ + 1;
    --count_;
  }
  // Drops the poison of instances before `oldest`: what it would free has been freed. Returns how many. The first
  // packet stays where it is unless it is dropped.
  std::size_t drop_poison(std::uint64_t oldest) noexcept {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t from = place(k), to = place(kept);
      const ActivationPacket& packet = places_[from].header;
      if (packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison) && packet.instance < oldest) continue;
      ++kept;
      if (from == to) continue;
      places_[to] = places_[from];
      texts_[to] = texts_[from];
    }
    return count_ - std::exchange(count_, kept);
  }

 private:
  using Text = std::array<std::byte, kPoisonMessageBytes>;
  [[nodiscard]] std::size_t place(std::size_t k) const noexcept {
    const std::size_t at = head_ + k;
    return at < places_.size() ? at : at - places_.size();
  }

  std::vector<Token> places_;
  std::unique_ptr<Text[]> texts_;  // by place; used by poison only
  std::size_t head_ = 0, count_ = 0;
};

}  // namespace woa
