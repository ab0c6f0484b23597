// How many blocks an edge needs so that no run of the plan deadlocks, checked without what the compiler knew: from tags
// and from invariants (docs/liveness.md has the argument, docs/adr/0032 the choice).
//
// A stage fires once for each tag, so outside loops and scatters it claims one block of each of its edges. Where turns
// follow one another, an invariant shows that fewer are occupied at once than there are turns. It is a place invariant
// of the plan as a Petri net (T. Murata, "Petri nets: properties, analysis and applications", Proc. IEEE 77(4), 1989,
// section VIII): weights of edges such that what a firing writes weighs no more than what it consumes. Where it does
// weigh more, the difference counts once for each firing that the stage can have. All of these together, over the
// weight of an edge, is the most tokens that the edge can hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "runtime/base/status.h"
#include "runtime/plan/index.h"

namespace woa {

// Edges by stage and port, and what one instance can make of them. The plan has passed validate(), is as in a file,
// without relays, and outlives this.
class TokenFlow {
 public:
  using Weights = std::vector<std::uint64_t>;  // by edge

  explicit TokenFlow(const Plan& plan);

  // The most firings of a stage, and claims of blocks of an edge, that one instance can have: one for each tag. At most
  // kMany.
  [[nodiscard]] std::uint64_t firings(std::uint32_t stage) const;
  [[nodiscard]] std::uint64_t claims(std::uint32_t edge) const;
  // The counters of the tags of a stage's firings, ascending: numbers of loops, then of outputs that scatter.
  [[nodiscard]] const std::vector<std::uint32_t>& counters(std::uint32_t stage) const { return counters_[stage]; }
  // Edges that lead to a port, or from it: those of tokens, and those of counts.
  [[nodiscard]] const std::vector<std::uint32_t>& into(std::uint32_t stage, std::uint32_t port) const {
    return index_.all_in[stage][port];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& out_of(std::uint32_t stage, std::uint32_t port) const {
    return index_.all_out[stage][port];
  }

  // The least that the tokens weigh that a firing consumes, and the most that those do which it may write. Elements of
  // a scatter that are not written count as written: the count of the others stands for them. A held token is kept, not
  // consumed; with `held_count`, one that a single firing reads counts as consumed by it, for then it weighs nothing.
  [[nodiscard]] std::uint64_t consumed(std::uint32_t stage, const Weights& weights, bool held_count) const;
  [[nodiscard]] std::uint64_t written(std::uint32_t stage, const Weights& weights) const;
  // Whether a token at this port is read by one firing at most.
  [[nodiscard]] bool read_once(std::uint32_t stage, std::uint32_t port) const;
  // The most blocks that each of `edges` can occupy at once by these weights, in their order. Weights are at most
  // kMaxWeight, and 0 outside `edges`.
  [[nodiscard]] std::vector<std::uint64_t> bounds(const std::vector<std::uint32_t>& edges,
                                                  const Weights& weights) const;

  static constexpr std::uint64_t kMany = 1ULL << 40;
  static constexpr std::uint32_t kMaxWeight = 1U << 24;

 private:
  struct Counter {
    std::uint64_t field = 0;   // of the tag
    std::uint64_t values = 1;  // that it takes
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

// By edge: the most blocks that one instance can occupy at once, as far as tags and the plan's invariants show.
// kInvalid: an invariant is none of edges and weights. The plan has passed validate().
Result<std::vector<std::uint64_t>> proved_blocks(const CertifiedPlan& plan);

// With fewer blocks of this edge the plan stands still for sure, in some course of one instance: a firing claims all
// elements that it may scatter, one that gathers holds all of them (those that come from one replica: its share), and
// one that consumes its own token claims another.
// Often that is all that is needed, but not always.
std::uint32_t necessary_blocks(const Plan& plan, const EdgePlan& edge);

// Whether every edge's min_blocks are as many as proved_blocks() shows to be enough, but where they are only claimed,
// and whether none is claimed that is shown. kInvalid names the first edge of which that is not so.
Status verify_blocks(const CertifiedPlan& plan);

}  // namespace woa
