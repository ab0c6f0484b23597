// Two pinned processes that each open their own side of something and do the same job over it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/base/status.h"

namespace woa::bench {

struct SidesJob {
  std::uint64_t warm_up = 0;   // messages that nobody times: until both sides are connected, awake and have their pages
  std::uint64_t messages = 0;  // or round trips
  std::array<std::size_t, 2> processors{0, 1};  // of the first side and of the second
};

// Over which the two tell each other where they are.
class Talk {
 public:
  explicit Talk(int socket) : socket_(socket) {}
  // Sends this side's text, which is not empty, and waits for the other's; empty if the other is gone.
  [[nodiscard]] std::string swap(const std::string& mine) const;

 private:
  int socket_;
};

// A side that is open: does so many messages. It fails when the other side is gone.
using Side = std::function<Status(std::uint64_t messages)>;
// Opens this process's side. `first`: the one that sends first, and whose clock counts.
using OpenSide = std::function<Result<Side>(const Talk& talk, bool first)>;

// For sides that only know whether they could go on. kPeerLost: they could not.
inline Status gone_unless(bool ok) { return ok ? Status() : Status(Code::kPeerLost, "the other process ended early"); }

// Nanoseconds that the messages take an open side after the warm-up.
Result<double> side_ns(const Side& side, const SidesJob& job);

// The same of the first of two sides, this process and a child of it; neither closes before both are done. Errors of
// the second side go to stderr. kUnavailable: as PinnedGroup::start(). kPeerLost: the other process ended early; or
// what the first side says.
Result<double> run_two_sides(const SidesJob& job, const OpenSide& open);

}  // namespace woa::bench
