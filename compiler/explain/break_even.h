// The break-even of WOA and remote procedure calls: the latency of links, and the size of payloads, at which RPC is as
// good.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"

namespace woa {

// A range of factors of a cost in which WOA takes less than the best of the RPC models, each placed as well as it can
// be (BreakEven::kLeftOut is not compared). The search covers 1/kMostFactor to kMostFactor, finds the range around 1,
// or the nearest to it that its steps meet, and its ends within one per cent. Other ranges may exist.
struct GainRange {
  static constexpr double kMostFactor = 1000;
  double least = 0;            // 0: down to nothing
  std::optional<double> most;  // none: however large
};

struct BreakEven {
  static constexpr double kAsGood = 1.01;  // RPC is as good up to this multiple of WOA's time
  static constexpr std::string_view kLeftOut = std::ranges::find(kCallModels, true, &CallModel::nested)->name;
  static constexpr std::string_view kWhyLeftOut =
      "it runs few graphs, since it refuses loops, choices, merges and scatters";
  std::string rpc;   // the best of the RPC models that are compared
  double ratio = 1;  // the time of `rpc` divided by WOA's
  // Factors of the latency of all links, and of the bytes of all payloads, with unchanged times of kernels. None: WOA
  // gains nothing at any factor.
  std::optional<GainRange> latency, payload;
  std::uint64_t latency_ps = 0;     // at factor 1: the largest of a direct link that an edge goes over
  std::uint64_t payload_bytes = 0;  // at factor 1: the largest mean size of an edge's tokens
  std::string why_nothing;          // if ratio is at most kAsGood: why WOA gains nothing here; else empty
  bool exact = true;                // false: the time was over, or a placement could not be proved to be the best
};

// `certificate`: of call model `woa`. Solves the placement problem anew some hundred times; overruns `limit` by half a
// second at most. kInvalid: another call model, or costs that make no problem (compiler/place/placement_problem.h).
// kExhausted: no placement keeps the certificate's bounds.
Result<BreakEven> find_break_even(const Certificate& certificate, std::chrono::milliseconds limit);

}  // namespace woa
