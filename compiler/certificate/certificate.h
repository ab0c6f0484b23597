// The certificate of a placement, which anybody can check (`woa verify`): the costs by which it was chosen, its value
// under them, and a proof that no placement has a lower value (compiler/place/solver/proof.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/certificate/cost_table.h"
#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// `latency`: the serial time of one instance, its communication included. `throughput`: the time between two instances
// of many in flight: the largest load of a controller, of a group of processor cores, or of a link.
struct PlacementGoal {
  std::string model{kWoa};            // call model that the placement is for (docs/call-models.md)
  std::string objective = "latency";  // or "throughput"
  std::optional<std::uint64_t> most_latency_ps = std::nullopt;  // bounds on what is not the objective
  std::optional<std::uint64_t> most_period_ps = std::nullopt;
  // Bounds on all controllers in use together; price in the unit of the machine file.
  std::optional<std::uint64_t> most_price = std::nullopt, most_power_mw = std::nullopt;
  std::uint32_t copies = 1;  // most components that a copyable stage may be on at once
  bool operator==(const PlacementGoal&) const = default;
};

// One case of a proof: the fixings that define it, and the multipliers of its bound (compiler/place/solver/bound.h).
struct ProofLeaf {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixings;  // stage, component
  std::int64_t scale = 1, sum = 0;
  std::vector<std::int64_t> rows;      // multipliers of rows
  std::vector<std::int64_t> from, to;  // multipliers of edges' ends: by edge of the problem x components + component
  // Bit by component: closed, so that no stage is on it, if price or power is bounded
  // (compiler/place/solver/affordable.h).
  std::uint64_t closed = 0;
  bool operator==(const ProofLeaf&) const = default;
};

// Predicted messages and times of one instance by the costs, under the goal's call model
// (compiler/predict/prediction.h). Means of the profiled inputs; `messages`, `calls`, `hops` and `payload_bytes` in
// millionths, as tokens are.
struct Prediction {
  std::uint64_t messages = 0;       // packets between controllers, one for each token and each poll, return, ...
  std::uint64_t calls = 0;          // the same if all that a firing sends to one place were one packet
  std::uint64_t hops = 0;           // most messages in a row from source to sink, mean over its courses
  std::uint64_t payload_bytes = 0;  // bytes that cross, once per controller as a run counts them
  // All firings and messages, one after another. Under rpc-nested each hop of an output's way back counts; placement
  // with copies counts one (compiler/place/legs.h).
  std::int64_t serial_ps = 0;
  // The critical path from source to sink, mean over the courses that an instance may take, and the firings' part of it
  // (compiler/predict/critical_path.h).
  std::int64_t critical_path_ps = 0, critical_kernels_ps = 0;
  // The critical path of one instance alone, which finds controllers asleep: a long firing (kAwake_ps) wakes each
  // that waits for it, once (CostTable::wake_ps).
  std::int64_t alone_ps = 0;
  std::int64_t period_ps = 0;  // the largest load of a controller, group of cores or link: `bottleneck`
  std::string bottleneck;
  // The time of one instance alone: its critical path, or the largest load if that is longer.
  [[nodiscard]] std::int64_t time_ps() const noexcept { return std::max(alone_ps, period_ps); }
  bool operator==(const Prediction&) const = default;
};

struct Certificate {
  PlacementGoal goal;
  CostTable costs;
  std::string costs_hash;                // tells tables apart (compiler/place/cost_table.h)
  std::vector<std::uint32_t> placement;  // by stage: its component in `costs`
  std::string status;                    // "proved", "claimed", "gap" or "heuristic" (docs/placement.md)
  std::string method;                    // what found the placement
  std::int64_t value_ps = 0;             // of the placement
  std::int64_t bound_ps = 0;             // the leaves prove that no placement has less; 0 without leaves
  std::vector<ProofLeaf> leaves;
  Prediction prediction;
  bool operator==(const Certificate&) const = default;
};

// Part of the proof that min_blocks are enough: weights of tokens such that no firing adds more to their sum than what
// is given from outside (compiler/certificate/live_blocks.h, docs/liveness.md).
struct Invariant {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> weights;  // edge (ascending) and weight; other edges weigh 0
  bool operator==(const Invariant&) const = default;
};

// A plan with its proofs. The runtime takes the plan alone; a plan file holds both.
struct CertifiedPlan : Plan {
  CertifiedPlan() = default;
  explicit CertifiedPlan(Plan plan) : Plan(std::move(plan)) {}  // without proofs

  std::vector<Invariant> invariants = {};
  // Absent: the stages were placed by pins and rules alone.
  std::optional<Certificate> certificate = std::nullopt;
  bool operator==(const CertifiedPlan&) const = default;
};

// Returns the workers by controller of the plan, as its certificate counts them; it has one.
std::vector<std::uint32_t> workers_counted(const CertifiedPlan& plan);
// Returns `plan` with the proofs of `of`, but without a certificate of another call model. `plan` is `of` with the
// routes of its call model.
CertifiedPlan with_proofs(Plan plan, const CertifiedPlan& of);
// Checks what validate() checks of the plan alone, and the texts of the certificate.
Status validate(const CertifiedPlan& plan);

// The functions of runtime/plan/plan_file.h for a plan with proofs, which obey the same rules.
std::string serialize(const CertifiedPlan& plan);
Result<CertifiedPlan> parse_certified_plan(std::span<const std::byte> bytes);
Result<CertifiedPlan> read_certified_plan(const std::filesystem::path& path);
Status write_plan(const CertifiedPlan& plan, const std::filesystem::path& path);

}  // namespace woa
