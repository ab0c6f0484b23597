// A plan as the work that each of its instances is: jobs that take turns at stations, by the times of its certificate.
// Compiled from the same numbers as prediction.h, so that what a pipeline of many instances reaches
// (pipelined_run.h) can be held against the PERIOD that is predicted.
//
// What stands for what:
// - A stage is one job for each instance, of all its firings' mean time together. Its station is its controller.
// - A token's payload is a job on each link that it goes over; its latency is a delay behind, during which it takes
//   nobody's turn. All tokens of an edge are one, as in CRITICAL PATH.
// - Of replicas that share the instances, each has a job in those that are its own, and none in the others.
// - Branches are taken by every instance, each in the share of its mean firings.
// - The stages of a loop have one job each, in the order in which a turn passes them; what leaves the loop waits for
//   all of them, and its edges keep their blocks until then.
// - Blocks of an edge are taken as the job of its writer starts, and are free again when that of its reader has ended
//   and the news has come back over the link; where the reader writes over its input, when its own reader has; held
//   tokens', when their reader has heard from the host that the instance has retired.
// - The host is one thread: it writes the inputs of one instance after the other.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/problem.h"
#include "runtime/base/status.h"

namespace woa {

inline constexpr std::uint32_t kNoStation = ~std::uint32_t{0};

// Bit by number of the instance modulo Pipeline::turns.
inline constexpr std::size_t kMostTurns = 256;
using Turns = std::bitset<kMostTurns>;

struct PipelineJob {
  std::uint32_t station = kNoStation;  // where it takes a lane
  assign::Sum time_ps = 0;             // that it takes it for
  assign::Sum delay_ps = 0;            // from its end until those behind it hear of it
  Turns turns;                         // instances that have it; in others it is over at once
  bool in_order = false;               // it ends in one instance before it starts in the next
  std::uint32_t waits = 0;             // for so many jobs
  std::vector<std::uint32_t> next = {};
  std::vector<std::uint32_t> claims = {}, frees = {};  // edges whose blocks it takes and gives back
};

struct PipelineStation {
  std::uint32_t lanes = 1;
  std::uint32_t pool = 0;  // of processor cores; stations without a group have one of their own
};

struct PipelineEdge {
  Turns turns;               // instances that take its blocks
  std::uint32_t writer = 0;  // the job that does
  // They come back when the controller of that station has heard that the instance has retired; absent: after a job.
  std::optional<std::uint32_t> holder = std::nullopt;
  assign::Sum news_ps = 0;  // from then until the writer knows
};

struct Pipeline {
  std::uint32_t window = 1;
  std::uint32_t turns = 1;                // after so many instances the same replicas are due again
  std::vector<PipelineJob> jobs;          // those that wait for none begin an instance
  std::vector<PipelineStation> stations;  // controllers first
  std::vector<assign::Sum> told_ps;       // by controller: from an instance's end until it hears of it
  std::vector<std::uint32_t> pools;       // cores
  std::vector<PipelineEdge> edges;        // as in the plan
};

// `plan` has passed validate() and verify_certificate(), and its certificate is for call model `woa`. kUnsupported:
// replicas that are due again after more than kMostTurns instances.
Result<Pipeline> make_pipeline(const CertifiedPlan& plan);

}  // namespace woa
