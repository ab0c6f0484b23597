// The time of raw mailboxes along the way of a packet through several processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/report.h"

namespace woa::bench {

using namespace measure;

struct RawRoute {
  std::vector<std::size_t> cores;  // processors of the processes, this one first
  std::vector<std::size_t> stops;  // processes that a lap visits in turn; it begins and ends at process 0
  std::uint64_t size = 64;         // bytes of a message, at least 1
};

// kInvalid: fewer than two stops, the first is not process 0, neighbours are equal (also the last and the first), a
// process has no processor, or none of its own stops.
Status check(const RawRoute& route);

// Nanoseconds of a message on that way: of `laps` laps after a warm-up, by the number of their messages. Each message
// is copied into a mailbox and out of it. A process that waits polls; one that shares its processor yields after each
// look. kUnavailable, kExhausted: as raw_mailbox_ns(). kPeerLost: another process ended early. kDataLoss: the message
// came back without the marks of all stops.
Result<double> raw_route_ns(const RawRoute& route, std::uint64_t laps);

struct RouteOptions {
  RawRoute route{{0, 1}, {}, 64};  // without stops: each process once
  std::uint64_t count = 20'000;    // messages of a launch, about
  std::uint64_t repetitions = 11;
};

// Errors: as check() and raw_route_ns().
Result<Report> bench_route(const RouteOptions& chosen);

}  // namespace woa::bench
