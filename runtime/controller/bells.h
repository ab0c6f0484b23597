// Whom a controller wakes when its duty cycle has something for them: a packet, a block given back, a place in a ring.
// Each is woken once for all of it, since waking costs a fence even where nobody sleeps. What was given back wakes only
// those that wait for room.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/wiring.h"

namespace woa {

class Bells {
 public:
  // `wiring` outlives it.
  Bells(const Layout& layout, Wiring& wiring);

  // The controller at the other end of `channel` has something to see.
  void ring_later(std::uint32_t channel) noexcept {
    Bell& bell = waiting(channel);
    (sends_[channel] != 0 ? bell.for_work : bell.for_room) = true;
  }
  // The same for what it needs only if it waits for room.
  void ring_for_room_later(std::uint32_t channel) noexcept { waiting(channel).for_room = true; }
  void ring() noexcept {
    if (!waiting_.empty()) ring_waiting();
  }

 private:
  // The bell of a controller: an end of each direction that rings it, and for what it is to be rung.
  struct Bell {
    Sender* sender = nullptr;
    Receiver* receiver = nullptr;
    bool for_work = false, for_room = false;
  };
  [[gnu::always_inline]] Bell& waiting(std::uint32_t channel) noexcept {
    Bell& bell = bells_[bell_[channel]];
    if (!bell.for_work && !bell.for_room) waiting_.push_back(&bell);
    return bell;
  }
  void ring_waiting() noexcept;

  std::vector<Bell> bells_;
  std::vector<std::uint32_t> bell_;  // by channel
  std::vector<std::uint8_t> sends_;  // by channel: 1 if this controller is its producer
  std::vector<Bell*> waiting_;       // each once
};

}  // namespace woa
