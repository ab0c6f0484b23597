// Two pinned processes that each open their own end of a wire and do the same job over it, raw or by the transport.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "bench/micro/pinned_pair.h"
#include "runtime/base/clock.h"
#include "runtime/base/status.h"

namespace woa::bench {

struct WireJob {
  std::string provider;
  std::uint64_t bytes = 0;  // of a payload
  std::uint32_t slots = 1;
  std::uint64_t messages = 0;  // or round trips
  bool wakeable = false;       // of the raw job: a descriptor tells of arrivals, as ours has one to sleep on
};

inline constexpr std::uint64_t kWireWarmUp = 200;  // messages: until both sides are connected and awake

// Over which the two tell each other where they are.
class Talk {
 public:
  explicit Talk(int socket) : socket_(socket) {}
  // Sends this side's text and returns the other's, which is as long; empty if the other is gone.
  [[nodiscard]] std::string swap(const std::string& mine) const {
    std::string theirs(mine.size(), '\0');
    if (::write(socket_, mine.data(), mine.size()) != static_cast<ssize_t>(mine.size())) return {};
    if (::recv(socket_, theirs.data(), theirs.size(), MSG_WAITALL) != static_cast<ssize_t>(theirs.size())) return {};
    return theirs;
  }

 private:
  int socket_;
};

// A side that is open; `run` does so many messages, false when the other side is gone.
using WireSide = std::function<bool(std::uint64_t messages)>;
// Opens this process's side. `first`: the one that sends first, and whose clock counts.
using OpenWireSide = std::function<Result<WireSide>(const Talk& talk, bool first)>;

// Nanoseconds that the messages take after a warm-up. kPeerLost: the other process ended early; or what `open` says.
Result<double> run_wire_job(const WireJob& job, const OpenWireSide& open);

}  // namespace woa::bench
