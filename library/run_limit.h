// The limit of a run: what held it back, and what would change that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/node/run.h"

namespace woa {

// Part of the time of all workers of a controller. More than 1 if a device has several firings under way.
double share_of(std::uint32_t workers, std::uint64_t busy_ns, double wall_s);

// In the order in which causes are looked for: the first that holds is the run's.
enum class Cause : std::uint8_t {
  kSource,      // the host's thread fetched the inputs most of the time
  kSink,        // ... passed the outputs on
  kPrograms,    // other programs had the processors
  kSerial,      // a stage of one firing at a time worked most of the time
  kWorkers,     // the workers of a controller worked most of the time, and processors were idle
  kController,  // the workers of a controller worked most of the time
  kProcessors,  // the run had all processors, and no controller's workers worked most of the time
  kMemory,      // instances waited for memory
  kBlocks,      // the window was full, and an edge has blocks for one instance
  kBrief,       // the window was full, and kernels take less time than a message
  kWindow,      // the window was full
  kWaiting,     // none of these
};
std::string_view to_string(Cause cause) noexcept;  // "source"

struct RunLimit {
  std::string controller, stage;      // the busiest controller, and its busiest stage
  double share = 0, stage_share = 0;  // by share_of()
  Cause cause = Cause::kWaiting;
  double cause_share = 0;                       // of the run's time, for causes that are not a controller's
  std::string remedy = {};                      // what to try; empty: nothing is known
  [[nodiscard]] bool is_full() const noexcept;  // the controller worked most of the time
  [[nodiscard]] std::string text() const;       // "limited by cpu:0: it worked 93 % of the time, 89 % on decode"
};

// Nothing if nobody worked, or the time is unknown.
std::optional<RunLimit> limit_of(const Plan& plan, const RunReport& report, double wall_s);

}  // namespace woa
