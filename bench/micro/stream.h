// One direction between two pinned processes, at full speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "runtime/base/status.h"

namespace woa::bench {

// Both ends are made before the fork. False: the other side is gone, or wrong data came.
struct Stream {
  // In this process: sends `messages` messages and waits until the other side has done with all of them.
  std::function<bool(std::uint64_t messages)> produce;
  // In the child: receives `messages` messages.
  std::function<bool(std::uint64_t messages)> consume;
};

// A stream of a producer and a consumer that outlive it.
template <class Producer, class Consumer>
Stream stream_of(Producer& producer, Consumer& consumer) {
  return {[&](std::uint64_t messages) { return producer.produce(messages); },
          [&](std::uint64_t messages) { return consumer.consume(messages); }};
}

// Nanoseconds of `messages` messages, from the start of the first until the last one's place is free again. `warm_up`
// others go before: they wake both processes and take their pages. Errors: as raw_mailbox_ns().
Result<double> stream_ns(const Stream& stream, std::uint64_t warm_up, std::uint64_t messages);

// A consumer's work on a payload: reads its first and last byte in place, if it has any.
inline void touch_ends(std::span<const std::byte> payload) noexcept {
  if (payload.empty()) return;
  const volatile std::byte* bytes = payload.data();
  (void)bytes[0];
  (void)bytes[payload.size() - 1];
}

}  // namespace woa::bench
