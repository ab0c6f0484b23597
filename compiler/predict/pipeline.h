// A plan as a queueing network: each instance is a set of jobs that wait at stations, with the times of the
// certificate. Made from the same numbers as prediction.h, so that the period of many instances (pipelined_run.h) can
// be compared with the predicted PERIOD.
//
// The model:
// - A stage is one job for each instance, of the mean time of all its firings together. Its station is its controller.
// - A message takes its time of the jobs of its writer and its reader (ComponentCosts::message_ps); the rest of the
//   latency is a delay.
// - A token's payload is a job on each link that it crosses; its latency is a delay behind, which occupies no station.
//   All tokens of an edge are one, as in CRITICAL PATH.
// - A replica that shares the instances has a job in its own ones only.
// - Every instance takes every branch, in the share of its mean firings.
// - The stages of a loop have one job each, in the order in which a turn passes them; what leaves the loop waits for
//   all of them, and its edges keep their blocks until then.
// - Blocks of an edge are claimed as the job of its writer starts. They are free again when that of its reader has
//   ended and the news has come back over the link. If the reader writes over its input, that is when its own reader
//   has ended; for held tokens, when their reader has heard from the host that the instance has retired.
// - The host is one thread: it writes the inputs of one instance after the other.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/cost.h"
#include "runtime/base/status.h"

namespace woa {

inline constexpr std::uint32_t kNoStation = ~std::uint32_t{0};

// A set of instances: bit by number modulo Pipeline::turns.
inline constexpr std::size_t kMostInstancesApart = 256;
using InstanceSet = std::bitset<kMostInstancesApart>;

struct PipelineJob {
  std::uint32_t station = kNoStation;  // where it takes a worker
  Sum time_ps = 0;                     // for which it takes it
  Sum delay_ps = 0;                    // from its end until the jobs after it hear of it
  InstanceSet turns;                   // instances that have it; in others it is over at once
  bool in_order = false;               // it ends in one instance before it starts in the next
  std::uint32_t waits = 0;             // the number of jobs that it waits for
  std::vector<std::uint32_t> next = {};
  std::vector<std::uint32_t> claims = {}, frees = {};  // edges whose blocks it claims and gives back
};

struct PipelineStation {
  std::uint32_t workers = 1;
  std::uint32_t pool = 0;  // of processor cores; stations without a group have one of their own
};

struct PipelineEdge {
  InstanceSet turns;         // instances that claim its blocks
  std::uint32_t writer = 0;  // the job that claims them
  // Station of the controller that gives them back once it has heard that the instance has retired; absent: a job does.
  std::optional<std::uint32_t> holder = std::nullopt;
  Sum news_ps = 0;  // from then until the writer knows
};

struct Pipeline {
  std::uint32_t window = 1;
  std::uint32_t turns = 1;                // instances after which the same replicas are due again
  std::vector<PipelineJob> jobs;          // those that wait for none begin an instance
  std::vector<PipelineStation> stations;  // controllers first
  std::vector<Sum> told_ps;               // by controller: from an instance's end until it hears of it
  std::vector<std::uint32_t> pools;       // cores of each
  std::vector<PipelineEdge> edges;        // as in the plan
};

// `plan` has passed validate() and verify_certificate(), and its certificate is for call model `woa`. kUnsupported: the
// same replicas are due again only after more than kMostInstancesApart instances.
Result<Pipeline> make_pipeline(const CertifiedPlan& plan);

}  // namespace woa
