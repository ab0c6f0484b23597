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
  std::uint64_t warm_up = 0;   // untimed messages: until all sides are connected, awake and have their pages
  std::uint64_t messages = 0;  // or round trips
  std::vector<std::size_t> processors{0, 1};  // one for each side, the first side's first; at least two
};

// Lets the sides exchange addresses: each of the others has a socket to the first.
class Talk {
 public:
  Talk(std::size_t number, std::vector<int> sockets) : number_(number), sockets_(std::move(sockets)) {}
  [[nodiscard]] std::size_t number() const noexcept { return number_; }  // of this side, from 0
  [[nodiscard]] bool first() const noexcept { return number_ == 0; }
  // Sends this side's text, which is not empty, to all and waits for theirs. Returns the texts by number, this side's
  // too; empty if a side is gone.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine) const;
  // For two sides: swaps texts and returns the other's; empty if the other side is gone.
  [[nodiscard]] std::string swap(const std::string& mine) const;

 private:
  std::size_t number_;
  std::vector<int> sockets_;  // of the first side: to each other side; of another one: to the first
};

// An open side: sends or answers `messages` messages. It fails when another side is gone.
using Side = std::function<Status(std::uint64_t messages)>;
// Opens this process's side. The first side's clock counts; of two sides, the first sends first.
using OpenSide = std::function<Result<Side>(const Talk& talk)>;

// For sides that only know whether they could go on. kPeerLost: they could not.
inline Status gone_unless(bool ok) { return ok ? Status() : Status(Code::kPeerLost, "another process ended early"); }

// Nanoseconds of an open side for the messages after the warm-up.
Result<double> side_ns(const Side& side, const SidesJob& job);

// side_ns() of the first side, which is this process; the others are its children. None closes before all are done.
// Errors of the others go to stderr. kUnavailable: as PinnedGroup::start(). kPeerLost: another process ended early.
// Other errors: those of the first side.
Result<double> run_sides(const SidesJob& job, const OpenSide& open);

}  // namespace woa::bench
