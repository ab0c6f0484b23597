// How many blocks an edge needs so that no run of the plan deadlocks, checked from tags and invariants alone
// (docs/liveness.md has the argument, docs/adr/0032-liveness-is-shown-from-the-plan.md the choice).
//
// A stage fires once for each tag, so outside loops and scatters it claims one block of each of its edges. If turns
// follow one another, an invariant shows that fewer blocks than turns are occupied at once. It is a place invariant of
// the plan as a Petri net (T. Murata, "Petri nets: properties, analysis and applications", Proc. IEEE 77(4), 1989,
// section VIII): weights of edges such that a firing writes no more weight than it consumes. If a stage writes more,
// the difference counts once for each firing that it can have. The sum of these differences, divided by the weight of
// an edge, bounds the edge's tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"
#include "runtime/plan/index.h"

namespace woa {

// Blocks of an edge to a port whose held tokens are renewed (InputPortPlan), in loops whose turns follow one another:
// one for the token that is read, one for a token that a caller on the host keeps and nobody reads (rpc-hub), and one
// for the next, whose arrival frees the others.
inline constexpr std::uint64_t kRenewedBlocks = 3;

// Bounds on the firings, claims and tokens of one instance. The plan has passed validate(), has no relays, as in a
// file, and outlives this.
class TokenFlow {
 public:
  using Weights = std::vector<std::uint64_t>;  // by edge

  explicit TokenFlow(const Plan& plan);

  // The most firings of a stage, and claims of blocks of an edge, that one instance can have: one for each tag. At most
  // kMany.
  [[nodiscard]] std::uint64_t firings(std::uint32_t stage) const;
  [[nodiscard]] std::uint64_t claims(std::uint32_t edge) const;
  // The most blocks of the edge that can be occupied at once, by the tags of its tokens alone: those of its claims; if
  // its port is renewed, kRenewedBlocks for each combination of counters that its reader does not share.
  [[nodiscard]] std::uint64_t by_tags(std::uint32_t edge) const;
  // The counters of the tags of a stage's firings, ascending: numbers of loops, then of outputs that scatter.
  [[nodiscard]] const std::vector<std::uint32_t>& counters(std::uint32_t stage) const { return counters_[stage]; }
  // Edges that lead to a port, or from it: those of tokens, and those of counts.
  [[nodiscard]] const std::vector<std::uint32_t>& into(std::uint32_t stage, std::uint32_t port) const {
    return index_.all_in[stage][port];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& out_of(std::uint32_t stage, std::uint32_t port) const {
    return index_.all_out[stage][port];
  }

  // The least weight of the tokens that a firing consumes, and the most of those that it may write. Unwritten elements
  // of a scatter count as written: the count of the others stands for them. A held token is kept, not consumed; with
  // `held_count`, one that a single firing reads counts as consumed by it, and weighs nothing afterwards.
  [[nodiscard]] std::uint64_t consumed(std::uint32_t stage, const Weights& weights, bool held_count) const;
  [[nodiscard]] std::uint64_t written(std::uint32_t stage, const Weights& weights) const;
  // True if at most one firing reads a token at this port.
  [[nodiscard]] bool read_once(std::uint32_t stage, std::uint32_t port) const;
  // The most blocks of each of `edges` that can be occupied at once by these weights, in the order of `edges`. Weights
  // are at most kMaxWeight, and 0 outside `edges`.
  [[nodiscard]] std::vector<std::uint64_t> bounds(const std::vector<std::uint32_t>& edges,
                                                  const Weights& weights) const;

  static constexpr std::uint64_t kMany = 1ULL << 40;
  static constexpr std::uint32_t kMaxWeight = 1U << 24;

 private:
  struct Counter {
    std::uint64_t field = 0;   // bits of the tag
    std::uint64_t values = 1;  // that it can take
  };
  void find_counters();
  [[nodiscard]] std::vector<std::uint32_t> sent_counters(std::uint32_t edge) const;
  [[nodiscard]] std::uint64_t product(const std::vector<std::uint32_t>& counters, const ReplicaChoice& choice) const;
  [[nodiscard]] std::uint64_t least(const std::vector<std::uint32_t>& edges, const Weights& weights, bool count) const;
  [[nodiscard]] std::uint64_t most(const std::vector<std::uint32_t>& edges, const Weights& weights, bool count) const;
  [[nodiscard]] std::uint64_t given(const std::vector<std::uint32_t>& edges, const Weights& weights,
                                    bool held_count) const;
  [[nodiscard]] bool is_held(std::uint32_t edge) const;

  const Plan& plan_;
  PlanIndex index_;
  std::vector<Counter> all_counters_;
  std::vector<std::vector<std::uint32_t>> counter_of_output_;  // [stage][port]: number of the counter, if it scatters
  std::vector<std::vector<std::uint32_t>> counters_;           // by stage
};

// By edge: the most blocks that one instance can occupy at once, as tags and the plan's invariants prove. kInvalid: an
// invariant's edges or weights are out of range, or its edges out of order. The plan has passed validate().
Result<std::vector<std::uint64_t>> proved_blocks(const CertifiedPlan& plan);

// With fewer blocks of this edge some course of one instance surely deadlocks: a firing claims all elements that it may
// scatter, a gathering one holds all of them (those from one replica: its share), and one that consumes its own token
// claims another. Often that many blocks suffice, but not always.
std::uint32_t necessary_blocks(const Plan& plan, const EdgePlan& edge);

// Checks that every edge is either proved, with at least proved_blocks() as min_blocks, or claimed, but not both.
// kInvalid names the first edge that fails.
Status verify_blocks(const CertifiedPlan& plan);

}  // namespace woa
