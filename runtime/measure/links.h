// The cost of a link between controllers, for the model that places stages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::measure {

struct LinkTime {
  double latency_ns = 0;  // one way, for a token of 64 bytes
  double ns_per_kib = 0;  // of payload; 0 where it was too small to see
};

struct LinkOptions {
  std::uint64_t repetitions = 5;
  std::uint64_t count = 0;              // hops of a launch; 0: 20,000 of 64 bytes, 256 of 1 MiB
  std::function<void()> launched = {};  // called after each launch; may be empty
};
// Numbers of launches by calibrate_link(), measure_device() (measure_small(): half) and measure_wake_ns().
std::uint64_t link_launches(const LinkOptions& chosen) noexcept;
inline constexpr std::uint64_t kDeviceLaunches = 2;
inline constexpr std::uint64_t kWakeLaunches = 2;

struct LinkCalibration {
  LinkTime cpu;            // between two cpu controllers
  double firing_ns = 0;    // what a firing takes a cpu controller
  double message_ns = 0;   // for which a message occupies its sender, and its receiver
  std::string host_state;  // HostProbe::state()
};

// Times hops (token_hop.h) between two controllers over options.transport, beside hops within one. Latency is what a
// small hop takes more between controllers than within one, where it takes a firing (of a kernel that copies 64 bytes).
// With many small tokens on their way each controller receives, fires and sends all the time: what that takes more than
// a firing is two ends of messages. The cost of a KiB is how much dearer a large hop is between controllers than within
// one, whose kernels read and write as much: shared memory copies nothing, so it is the cost of cache lines that change
// cores. Errors: as token_hop_ns(), and kUnavailable as PinnedPair.
Result<LinkCalibration> calibrate_link(const RunOptions& options, const LinkOptions& chosen);

// Times a round trip from the host through a chain of stages and back, less their kernels' time: medians of 64 bytes
// and 1 MiB. `plan` has one input of at least 1 MiB of type bytes and one output. For devices with memory of their own
// this includes the copies to it and from it. Errors: as Run::start().
Result<LinkTime> measure_device(const RunOptions& options, const Plan& plan, const LinkOptions& chosen);

// The round trip of measure_device() for 64 bytes alone, in nanoseconds.
Result<double> measure_small(const RunOptions& options, const Plan& plan, const LinkOptions& chosen);

// Median delay of a kernel's start, at 64 bytes, if its controller slept when its input was written, against one that
// was waiting. One stage; otherwise `plan` and errors: as measure_device(). Sleeps between instances, so that the
// controller does.
Result<double> measure_wake_ns(const RunOptions& options, const Plan& plan, const LinkOptions& chosen);

}  // namespace woa::measure
