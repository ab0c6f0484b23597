// A run in one thread: controllers of the runtime over loopback, one duty cycle of one of them at a time. A seed
// decides which of them goes on, when instances are admitted and when kernels end, so runs are reproducible; a stall is
// known, not guessed by a clock.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/controller/stats.h"
#include "runtime/plan/plan.h"
#include "tests/support/function_backend.h"

namespace woa::test {

struct Driven {
  std::map<std::uint64_t, std::vector<std::string>> outputs;  // by instance that succeeded; an absent one is "absent"
  std::map<std::uint64_t, Code> failures;
  bool stands_still = false;  // no controller and no kernel can do anything, and not every instance has ended
  Status status;              // why it could not be started, or go on
  // Set by drive_counted() only:
  std::vector<EdgeStats> edges;                 // by edge: its traffic, as the controllers count it
  std::vector<std::vector<TraceEvent>> traces;  // by controller
};

// Devices that WOA_DEVICES chooses (devices_under_test.h) run kernels when they start. Without it kernels may run in
// any order.
bool kernels_run_in_any_order();

// The short way lets a token that is alone in its firing pass by the match table, which the general way never does.
// Each gives the same.
enum class Way { kShort, kGeneral };
inline constexpr Way kWays[] = {Way::kShort, Way::kGeneral};
inline const char* name_of(Way way) { return way == Way::kShort ? "the short way" : "the general way"; }

// Runs instances 0 to `instances` - 1, whose inputs are their numbers in decimal. On half of the controllers of kind
// cpu kernels end at once, on all others some polls later and in any order.
Driven drive(const Plan& plan, const Functions& kernels, std::uint64_t instances, std::uint32_t seed, Way way);

// Drives one instance after another, traced. Each is retired when nothing more can be done for it, so tokens that
// nobody waits for count, too. `alike` instances in a row have the same input: their numbers divided by `alike`.
Driven drive_counted(const Plan& plan, const Functions& kernels, std::uint64_t instances, std::uint32_t seed,
                     std::uint64_t alike = 1);

}  // namespace woa::test
