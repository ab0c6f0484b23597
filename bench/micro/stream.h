// One direction between two pinned processes, as fast as it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "runtime/base/status.h"

namespace woa::bench {

// Both ends are made before the child is forked. False: the other side is gone, or what came was wrong.
struct Stream {
  // In this process: sends so many messages and waits until the other side has done with all of them.
  std::function<bool(std::uint64_t messages)> produce;
  // In the child: takes so many.
  std::function<bool(std::uint64_t messages)> consume;
};

// Of two objects that outlive it.
template <class Producer, class Consumer>
Stream stream_of(Producer& producer, Consumer& consumer) {
  return {[&](std::uint64_t messages) { return producer.produce(messages); },
          [&](std::uint64_t messages) { return consumer.consume(messages); }};
}

// Nanoseconds that `messages` take, from the first one's start until the last one's place is free again, after
// `warm_up` others that start both processes and take their pages. Errors as raw_mailbox_ns().
Result<double> stream_ns(const Stream& stream, std::uint64_t warm_up, std::uint64_t messages);

// What a consumer does with a payload: it looks at the first and the last byte, where they lie, if there are any.
inline void touch_ends(std::span<const std::byte> payload) noexcept {
  if (payload.empty()) return;
  const volatile std::byte* bytes = payload.data();
  (void)bytes[0];
  (void)bytes[payload.size() - 1];
}

}  // namespace woa::bench
