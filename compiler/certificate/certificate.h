// Why a plan's stages are where they are, in a form that anybody can check (`woa verify`): the costs that the placement
// was chosen by, what it comes to under them, and a proof that none comes to less (compiler/place/solver/proof.h).
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
  std::string model = "woa";          // call model that the placement is for (architecture.md, section 7)
  std::string objective = "latency";  // or "throughput"
  std::optional<std::uint64_t> most_latency_ps = std::nullopt;  // bounds on what is not the objective
  std::optional<std::uint64_t> most_period_ps = std::nullopt;
  // Of the controllers that some stage is on together; price in the unit of the machine file.
  std::optional<std::uint64_t> most_price = std::nullopt, most_power_mw = std::nullopt;
  std::uint32_t copies = 1;  // components that a stage which is copyable may be on at once, at most
  bool operator==(const PlacementGoal&) const = default;
};

// One case of a proof: what holds where stages are as the fixings say, by prices.
struct ProofLeaf {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixings;  // stage, component
  std::int64_t scale = 1, sum = 0;
  std::vector<std::int64_t> rows;      // prices of rows
  std::vector<std::int64_t> from, to;  // prices of edges' ends: by edge of the problem x components + component
  // Bit by component: those that nobody is on, where price or power are bounded (compiler/place/solver/affordable.h).
  std::uint64_t closed = 0;
  bool operator==(const ProofLeaf&) const = default;
};

// The messages and times of one instance by the costs, under the goal's call model (compiler/predict/prediction.h).
// Means of the inputs that were profiled; `messages`, `calls`, `hops` and `payload_bytes` in millionths, as tokens are.
struct Prediction {
  std::uint64_t messages = 0;  // packets between controllers, one for each token and each poll, return, ...
  std::uint64_t calls = 0;     // the same if all that goes at once from a firing to one place were one packet
  std::uint64_t hops = 0;      // messages one after another, at most, from source to sink, in the mean of its courses
  std::uint64_t payload_bytes = 0;  // that crosses, once per controller as a run counts it
  // All firings and messages, one after another. Of rpc-nested with each hop of an output's way back, which placement
  // cannot know and counts as one (compiler/place/call_route.h).
  std::int64_t serial_ps = 0;
  // The longest way from source to sink, in the mean of the courses that an instance may take, and how much of it is
  // kernels' (compiler/predict/critical_path.h).
  std::int64_t critical_path_ps = 0, critical_kernels_ps = 0;
  // The longest way of one instance alone, which finds controllers asleep: each message of a firing that takes longer
  // than they wait wakes one (CostTable::wake_ps).
  std::int64_t alone_ps = 0;
  std::int64_t period_ps = 0;  // the largest load of a controller, of a group of cores or of a link, and which
  std::string bottleneck;
  // One instance alone takes its longest way, or as long as what it shares is busy with it.
  [[nodiscard]] std::int64_t time_ps() const noexcept { return std::max(alone_ps, period_ps); }
  bool operator==(const Prediction&) const = default;
};

struct Certificate {
  PlacementGoal goal;
  CostTable costs;
  std::string costs_hash;                // tells tables apart (compiler/place/cost_table.h)
  std::vector<std::uint32_t> placement;  // component of `costs` by stage
  std::string status;                    // "proved", "claimed", "gap" or "heuristic" (docs/placement.md)
  std::string method;                    // what found the placement
  std::int64_t value_ps = 0;             // what it comes to
  std::int64_t bound_ps = 0;             // no placement comes to less: so the leaves show; 0 without any
  std::vector<ProofLeaf> leaves;
  Prediction prediction;
  bool operator==(const Certificate&) const = default;
};

// Part of the proof that min_blocks are enough: weights of tokens such that no firing adds to their sum beyond what it
// is given from outside (compiler/certificate/live_blocks.h, docs/liveness.md).
struct Invariant {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> weights;  // edge, ascending, and weight; of all others 0
  bool operator==(const Invariant&) const = default;
};

// A plan with what is proved of it. The runtime takes the plan alone; a plan file holds both.
struct CertifiedPlan : Plan {
  CertifiedPlan() = default;
  explicit CertifiedPlan(Plan plan) : Plan(std::move(plan)) {}  // of which nothing is proved

  std::vector<Invariant> invariants = {};
  // Why the stages are where they are; absent: nothing was computed (pins and rules alone).
  std::optional<Certificate> certificate = std::nullopt;
  bool operator==(const CertifiedPlan&) const = default;
};

// `plan` is `of` with the routes of its call model: with the proofs of `of`, but for a certificate of another model.
CertifiedPlan with_proofs(Plan plan, const CertifiedPlan& of);
// Checks what validate() checks of the plan alone, and the texts of the certificate.
Status validate(const CertifiedPlan& plan);

// These do what runtime/plan/plan_file.h says of the plan alone, proofs included: those obey the same rules.
std::string serialize(const CertifiedPlan& plan);
Result<CertifiedPlan> parse_certified_plan(std::span<const std::byte> bytes);
Result<CertifiedPlan> read_certified_plan(const std::filesystem::path& path);
Status write_plan(const CertifiedPlan& plan, const std::filesystem::path& path);

}  // namespace woa
