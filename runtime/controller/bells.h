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
    Bell& bell = bells_[bell_[channel]];
    if (!bell.waits()) waiting_.push_back(&bell);
    (sends_[channel] != 0 ? bell.for_work : bell.for_room) = true;
  }
  void ring() noexcept {
    if (!waiting_.empty()) ring_waiting();
  }

 private:
  // The bell of a controller: an end of each direction that rings it, and for what it is to be rung.
  struct Bell {
    Sender* sender = nullptr;
    Receiver* receiver = nullptr;
    bool for_work = false, for_room = false;
    [[nodiscard]] bool waits() const noexcept { return for_work || for_room; }
  };
  void ring_waiting() noexcept;

  std::vector<Bell> bells_;
  std::vector<std::uint32_t> bell_;  // by channel
  std::vector<std::uint8_t> sends_;  // by channel: 1 if this controller is its producer
  std::vector<Bell*> waiting_;       // each once
};

}  // namespace woa
