#include "runtime/transport/ofi/mailbox.h"

#include <cstring>

namespace woa::ofi {
namespace {

constexpr std::size_t kMostEarly = 1U << kPlaceBits;  // of a peer that keeps to the protocol: one per place

}  // namespace

void Mailbox::open(const std::byte* state, std::size_t capacity, Doorbell own, Doorbell::For brings) {
  state_ = state;
  own_ = own;
  brings_ = brings;
  ring_.resize(capacity);
  for (const Immediate& immediate : early_) immediate.place == kStatePlace ? read_state() : push(immediate);
  early_ = {};
}

void Mailbox::close(std::uint64_t now_ns) noexcept {
  closed_ns_.store(now_ns);
  own_ = Doorbell();
}

void Mailbox::arrive(const Immediate& immediate, std::uint64_t now_ns) {
  heard_ns_.store(now_ns, std::memory_order_relaxed);
  if (immediate.place == kHelloPlace) return;
  if (state_ == nullptr) {
    if (early_.size() < kMostEarly) early_.push_back(immediate);
    return;
  }
  if (immediate.place == kStatePlace) {
    const bool wanted = peer_wants_room();
    read_state();
    if (peer_closed() || nonsense() || (peer_wants_room() && !wanted)) own_.ring();  // a sign of life is no work
    return;
  }
  if (closed_ns_.load(std::memory_order_relaxed) == 0) push(immediate);
  brings_ == Doorbell::kWork ? own_.ring() : own_.ring_for_room();
}

void Mailbox::lose(Lost why, int error) noexcept {
  if (lost() != Lost::kNo) return;
  wire_error_.store(error, std::memory_order_relaxed);
  lost_.store(why, std::memory_order_release);
  own_.ring();
}

void Mailbox::push(const Immediate& immediate) noexcept {
  const std::size_t at = pushed_.load(std::memory_order_relaxed);
  if (at - popped_.load(std::memory_order_acquire) == ring_.size()) {
    overflowed_.store(true, std::memory_order_relaxed);
    return;
  }
  ring_[at & (ring_.size() - 1)] = immediate;
  pushed_.store(at + 1, std::memory_order_release);
}

bool Mailbox::pop(Immediate& out) noexcept {
  const std::size_t at = popped_.load(std::memory_order_relaxed);
  if (at == pushed_.load(std::memory_order_acquire)) return false;
  out = ring_[at & (ring_.size() - 1)];
  popped_.store(at + 1, std::memory_order_release);
  return true;
}

void Mailbox::read_state() noexcept {
  StateLine line;
  std::memcpy(&line, state_, sizeof line);
  if (line.magic != StateLine::kMagic || line.closed > 1 || line.wants_room > 1) {
    nonsense_.store(true, std::memory_order_relaxed);
    return;
  }
  beating_.store(true, std::memory_order_relaxed);
  peer_wants_room_.store(line.wants_room == 1, std::memory_order_relaxed);
  peer_next_.store(line.next_sequence, std::memory_order_release);
  if (line.closed == 1) peer_closed_.store(true, std::memory_order_release);
}

}  // namespace woa::ofi
