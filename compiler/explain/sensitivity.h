// Sensitivity of a placement: what each stage would cost elsewhere, and how far a cost may be off before another
// placement is better.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// The value with the stage there and all others placed as well as they can be.
struct Elsewhere {
  std::vector<std::uint32_t> components;  // several: a copy on each
  std::int64_t value_ps = 0;
  bool proved = false;  // no value is less; false: the best that was found
};

// A range of factors of a cost in which the placement is proved to stay the best, with the problem's rounded numbers.
// The search covers 0 to kMostFactor. An end is `sharp` if within two per cent beyond it another placement is better,
// or this one breaks a limit. Otherwise the true range may be wider: a largest load counts, a reader's nearest copy
// changes, or no proof was found in time.
struct SafeRange {
  static constexpr double kMostFactor = 1000;
  double least = 0, most = kMostFactor;
  bool least_sharp = false, most_sharp = false;

  [[nodiscard]] bool is_known() const noexcept { return least != 1 || most != 1 || least_sharp || most_sharp; }
};

struct StageReason {
  std::uint32_t stage = 0;                // of the plan; with copies the first
  std::vector<std::uint32_t> components;  // where it is: several, if it has copies
  std::int64_t time_ps = 0;               // of all firings of an instance, where it is
  SafeRange time;                    // of a firing, on all controllers of these kinds: a profile has one entry per kind
  std::vector<Elsewhere> elsewhere;  // the cheapest first; none: it may run nowhere else
};

struct LinkReason {
  std::uint32_t from = 0, to = 0;  // components; counts both directions, and traffic by way of the host over it
  std::size_t alike = 0;  // other links between the same kinds of controllers at the same costs, changed with it
  SafeRange latency, ps_per_kib;
};

struct PlacementReasons {
  std::vector<StageReason> stages;  // of kernels, in order
  std::vector<LinkReason> links;    // direct ones, between components that the placement uses
  bool complete = true;             // false: the time ran out; stages and links are left out
};

// Solves the placement problem anew some tens of times for each stage and link. Overruns `limit` by half a second at
// most. kInvalid: the certificate is not true (verify_certificate()). kUnsupported: the placement was not proved to be
// the best, so nothing can be said of better ones. kNotFound: the plan has no certificate.
Result<PlacementReasons> explain_placement(const CertifiedPlan& plan, std::chrono::milliseconds limit);

}  // namespace woa
