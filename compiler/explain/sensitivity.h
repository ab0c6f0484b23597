// Why a placement is as it is: what each stage would cost elsewhere, and how far a cost may be from what was measured
// before another placement is better.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// The value with the stage there, all others placed as well as they can be then.
struct Elsewhere {
  std::vector<std::uint32_t> components;  // several: a copy on each
  std::int64_t value_ps = 0;
  bool proved = false;  // none is less; else it is the best that was found
};

// Factors of a cost from one of which to the other the placement is proved to stay the best, as the problem's numbers
// are rounded. The search looks from 0 to kMostFactor. An end is `sharp` if another placement is better within two per
// cent beyond it, or this one breaks a limit there; where a largest load counts, a reader's nearest copy changes, or
// no proof was found in time, it may not be, and the truth wider.
struct SafeRange {
  static constexpr double kMostFactor = 1000;
  double least = 0, most = kMostFactor;
  bool least_sharp = false, most_sharp = false;

  [[nodiscard]] bool is_known() const noexcept { return least != 1 || most != 1 || least_sharp || most_sharp; }
};

struct StageReason {
  std::uint32_t stage = 0;                // of the plan; of copies the first
  std::vector<std::uint32_t> components;  // that it is on: several, if it has copies
  std::int64_t time_ps = 0;               // of all firings of an instance, where it is
  SafeRange time;                    // a firing's on every controller of these kinds: a profile has one entry for each
  std::vector<Elsewhere> elsewhere;  // the cheapest first; none: it may run nowhere else
};

struct LinkReason {
  std::uint32_t from = 0, to = 0;  // components; both ways are one link, and what goes over it by way of the host, too
  std::size_t alike = 0;  // others, between the same kinds of controllers at the same costs, that change with it
  SafeRange latency, ps_per_kib;
};

struct PlacementReasons {
  std::vector<StageReason> stages;  // of kernels, in order
  std::vector<LinkReason> links;    // direct ones, between components that the placement uses
  bool complete = true;             // false: the time was over before all were looked at; the others are left out
};

// Solves the placement problem anew some tens of times for each stage and link. `limit` is overrun by half a second at
// most. kInvalid: the certificate is not true (verify_certificate()). kUnsupported: its placement was not proved to be
// the best, so that nothing can be said of what is better. kNotFound: there is none.
Result<PlacementReasons> explain_placement(const CertifiedPlan& plan, std::chrono::milliseconds limit);

}  // namespace woa
