// Pinned processes that each open their own side of something and do the same job over it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/status.h"

namespace woa::bench {

struct SidesJob {
  std::uint64_t warm_up = 0;   // messages that nobody times: until all sides are connected, awake and have their pages
  std::uint64_t messages = 0;  // or round trips
  std::vector<std::size_t> processors{0, 1};  // of each side, at least two; the first one's first
};

// Over which the sides tell each other where they are: each of the others has a socket to the first.
class Talk {
 public:
  Talk(std::size_t number, std::vector<int> sockets) : number_(number), sockets_(std::move(sockets)) {}
  [[nodiscard]] std::size_t number() const noexcept { return number_; }  // of this side, from 0
  [[nodiscard]] bool first() const noexcept { return number_ == 0; }
  // Sends this side's text, which is not empty, to all and waits for theirs; by number, this side's among them. Empty
  // if one of them is gone.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine) const;
  // Of two sides: the other's text, empty if that is gone.
  [[nodiscard]] std::string swap(const std::string& mine) const;

 private:
  std::size_t number_;
  std::vector<int> sockets_;  // of the first side: to the second and so on; of another one: to the first
};

// A side that is open: does so many messages. It fails when another side is gone.
using Side = std::function<Status(std::uint64_t messages)>;
// Opens this process's side. The first one's clock counts; of two, it sends first.
using OpenSide = std::function<Result<Side>(const Talk& talk)>;

// For sides that only know whether they could go on. kPeerLost: they could not.
inline Status gone_unless(bool ok) { return ok ? Status() : Status(Code::kPeerLost, "another process ended early"); }

// Nanoseconds that the messages take an open side after the warm-up.
Result<double> side_ns(const Side& side, const SidesJob& job);

// The same of the first side, which is this process; the others are children of it. None closes before all are done.
// Errors of the others go to stderr. kUnavailable: as PinnedGroup::start(). kPeerLost: another process ended early; or
// what the first side says.
Result<double> run_sides(const SidesJob& job, const OpenSide& open);

}  // namespace woa::bench
