// What one instance of a plan sends and takes under the call model that it was placed for, computed from its
// certificate's costs alone: the numbers that `woa compare` puts beside those of a run.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// Of one instance; means where branches and loops decide.
struct Prediction {
  double messages = 0;       // packets between controllers, one for each token and each poll, return, ...
  double calls = 0;          // the same if all that goes at once from a firing to one place were one packet
  double hops = 0;           // messages one after another, at most, from source to sink
  double payload_bytes = 0;  // that crosses, once per controller as a run counts it
  // All firings and messages, one after another. Of rpc-nested with each hop of an output's way back, which placement
  // cannot know and counts as one (call_route.h).
  double serial_ps = 0;
  // The longest way from source to sink. A stage counts with all its firings, and with the tokens of the loop edges
  // that enter it; a branch counts as often as it is taken.
  double critical_path_ps = 0;
  std::string bottleneck;  // the largest load of a controller, of a group of cores or of a link
  double period_ps = 0;    // that load: the least time between two instances of many
};

// `plan`: as the compiler makes it, before rewrite(), with a certificate, whose model counts. kNotFound: without one.
// kInvalid: its costs are no problem (placement_problem.h).
Result<Prediction> predict(const Plan& plan);

}  // namespace woa
