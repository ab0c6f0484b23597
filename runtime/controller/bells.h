// Whom a controller wakes when its duty cycle has something for them: a packet, a block given back, a place in a ring.
// Each is woken once for all of it, since waking costs a fence even where nobody sleeps.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/wiring.h"

namespace woa {

class Bells {
 public:
  // Both outlive it.
  Bells(const Layout& layout, Wiring& wiring);

  // The controller at the other end of `channel` has something to see.
  void ring_later(std::uint32_t channel) noexcept {
    const std::uint32_t bell = bell_[channel];
    if (waits_[bell] != 0) return;
    waits_[bell] = 1;
    waiting_.push_back(bell);
  }
  void ring() noexcept {
    if (!waiting_.empty()) ring_waiting();
  }

 private:
  void ring_waiting() noexcept;

  Wiring& wiring_;
  std::vector<std::uint32_t> bell_;     // by channel: the one whose end wakes who is at its other end
  std::vector<std::uint32_t> waiting_;  // channels, each once
  std::vector<std::uint8_t> waits_;     // by channel
};

}  // namespace woa
