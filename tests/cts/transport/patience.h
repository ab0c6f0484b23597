// For suites above the transports, which wait for packets on their way instead of having the wire settled for them.
#pragma once

#include <memory>

#include "runtime/base/clock.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {

// The transports of all tests that bring none: between hosts it takes long to make some.
inline const std::shared_ptr<Link>& usual_sides() {
  static const std::shared_ptr<Link> sides = make_link();
  return sides;
}

// Waits until `happened`, which may take a wire, a sanitizer and a busy machine some time. False: it does not.
inline constexpr std::uint64_t kPatience_ns = 30'000'000'000;
template <class Happened>
bool in_time(Happened&& happened) {
  for (const std::uint64_t begin = now_ns(); now_ns() - begin < kPatience_ns;)
    if (happened()) return true;
  return false;
}

}  // namespace woa::cts
