// One run of a graph for `woa profile`: its trace of every firing and every token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/node/run.h"

namespace woa::measure {

struct FiringSample {
  std::uint64_t read = 0, written = 0;  // bytes of payload, all ports together
  double wall_ns = 0;                   // time of the kernel, without that of looking at the clock
  std::uint64_t cycles = 0;             // cycles of a simulated device
};

struct MeasuredStage {
  std::vector<FiringSample> firings;
  DeviceDescription device;
  std::uint32_t clock_mhz = 0;  // the variant's, if its device counts cycles
};

struct MeasuredEdge {
  std::vector<double> bytes;                   // payload of each token
  std::uint64_t unread = 0, unread_bytes = 0;  // held tokens that were never read
};

struct MeasuredRun {
  std::uint64_t instances = 0;                                        // counted ones: the first of each input is not
  std::map<std::string, MeasuredStage> stages;                        // by name
  std::vector<double> source_ns;                                      // time to write the inputs, by instance
  std::map<std::pair<std::string, std::string>, MeasuredEdge> edges;  // by "stage.port" of both ends, the host's too
};

struct ProfileRunOptions {
  std::uint64_t inputs = 1;        // different inputs, taken in turns
  std::uint64_t repetitions = 11;  // runs of each input, after one that does not count
  bool busy = false;               // as many instances in flight as the window has, in one round
  std::uint64_t limit_ns = 0;      // no round of repetitions begins later
  std::function<void(std::uint64_t instances)> progress = {};  // called with the instances completed
};

struct ProfileRun {
  std::optional<MeasuredRun> measured;
  Status status;      // why there is nothing: the run, or its first failed instance
  std::string stage;  // the stage that failed; empty: the run itself
};

// Writes the payload of an instance into `room`, and returns its size.
using ReadInput =
    std::function<Result<std::uint64_t>(std::uint32_t input, std::uint64_t instance, std::span<std::byte> room)>;

// Runs `plan`, one instance at a time unless chosen.busy, through the public API. `options`: as for Run::start();
// traces are switched on.
ProfileRun run_for_profile(Plan plan, const ReadInput& read, RunOptions options, const ProfileRunOptions& chosen);

}  // namespace woa::measure
