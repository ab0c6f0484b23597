// What a link between controllers costs, for the model that places stages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/harness/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct LinkTime {
  double latency_ns = 0;  // one way, of a token of 64 bytes
  double ns_per_kib = 0;  // of payload; 0 where it was not to be seen
};

struct LinkOptions {
  std::uint64_t repetitions = 5;
  std::uint64_t count = 0;              // hops of a launch; 0: 20,000 of 64 bytes, 256 of 1 MiB
  std::function<void()> launched = {};  // after each; may be empty
};
// Launches of calibrate_link(), of measure_device() and of measure_wake_ns().
std::uint64_t link_launches(const LinkOptions& chosen) noexcept;
inline constexpr std::uint64_t kDeviceLaunches = 2;
inline constexpr std::uint64_t kWakeLaunches = 2;

struct LinkCalibration {
  LinkTime cpu;            // between two cpu controllers
  std::string host_state;  // HostProbe::state()
};

// Hops (token_hop.h) between two controllers over options.transport, beside the same within one. Latency is that of a
// small hop; what a KiB costs is by how much a large hop is dearer between controllers than within one, whose kernels
// read and write as much: where memory is shared nothing is copied, and the cost is that of cache lines which change
// their core. Errors as token_hop_ns(), and kUnavailable as PinnedPair.
Result<LinkCalibration> calibrate_link(const RunOptions& options, const LinkOptions& chosen);

// A round trip from the host through one stage and back, but for the time of its kernel: medians of 64 bytes and 1 MiB.
// `plan` has one input of at least 1 MiB of type bytes, one kernel and one output. Devices with memory of their own
// spend what it takes to copy payloads to it and from it. Errors as Run::start().
Result<LinkTime> measure_device(const RunOptions& options, const Plan& plan, const LinkOptions& chosen);

// How much later a kernel starts whose controller was asleep when its input was written than one whose controller was
// waiting: medians, of 64 bytes. `plan` and errors as above. Sleeps between instances, so that the controller does.
Result<double> measure_wake_ns(const RunOptions& options, const Plan& plan, const LinkOptions& chosen);

}  // namespace woa::bench
