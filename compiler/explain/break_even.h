// Where remote procedure calls would be as good as WOA: at which latency of links, and at which size of payloads.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// Factors of a cost between which WOA takes less than the best of the RPC models, each placed as well as it can be
// (BreakEven::kLeftOut is not compared). The search looks from 1/kMostFactor to kMostFactor, finds the range around 1,
// or the nearest to it that its steps meet, and ends within one per cent. There may be more.
struct GainRange {
  static constexpr double kMostFactor = 1000;
  double least = 0;            // 0: down to nothing
  std::optional<double> most;  // none: however large
};

struct BreakEven {
  static constexpr double kAsGood = 1.01;  // times what WOA takes
  static constexpr std::string_view kLeftOut = "rpc-nested";
  static constexpr std::string_view kWhyLeftOut =
      "which way its outputs ride back depends on the placement of others, so placement counts less than it may take";
  std::string rpc;   // the best of the RPC models that are compared
  double ratio = 1;  // what that takes, of what WOA takes
  // Of the latency of all links; of the bytes of all payloads, whatever their size kernels taking what they did. None:
  // WOA gains nothing at any factor.
  std::optional<GainRange> latency, payload;
  std::uint64_t latency_ps = 0;     // at factor 1: the largest of a direct link that an edge goes over
  std::uint64_t payload_bytes = 0;  // likewise: the largest mean of an edge's tokens
  std::string why_nothing;          // where ratio is at most kAsGood: why WOA gains nothing here; else empty
  bool exact = true;                // false: the time was over, or a placement could not be proved to be the best
};

// `certificate`: of call model `woa`. Solves the placement problem anew some hundred times; `limit` is overrun by half
// a second at most. kInvalid: its costs are no problem (placement_problem.h). kExhausted: no placement keeps its
// bounds.
Result<BreakEven> find_break_even(const Certificate& certificate, std::chrono::milliseconds limit);

}  // namespace woa
