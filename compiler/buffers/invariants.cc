#include "compiler/buffers/invariants.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/certificate/live_blocks.h"

namespace woa {
namespace {

// Edges visited in the search for all invariants together; beyond, the search finds none.
constexpr std::uint64_t kMaxSearch = 50'000'000;
constexpr std::size_t kMaxWeights = 4'000'000;  // in the plan; beyond, no invariant is searched

class InvariantSearch {
 public:
  explicit InvariantSearch(const Plan& plan)
      : plan_(plan), flow_(plan), weights_(plan.edges.size()), reached_(plan.edges.size()), input_(plan.stages.size()) {
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e) proved_.push_back(flow_.by_tags(e));
  }

  [[nodiscard]] std::uint64_t proved(std::uint32_t edge) const { return proved_[edge]; }

  // An invariant that bounds the edge by its min_blocks; nothing: none was found.
  std::optional<Invariant> find(std::uint32_t edge) {
    reach(edge);
    // The tokens' weight may come from outside one of the surrounding loops, or from the source.
    std::vector<std::optional<std::uint32_t>> outside;
    for (const std::uint32_t counter : around(edge)) outside.emplace_back(counter);
    outside.emplace_back(std::nullopt);
    for (const std::optional<std::uint32_t> counter : outside) {
      if (auto found = follow(edge, counter)) return found;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] const std::vector<std::uint32_t>& around(std::uint32_t edge) const {
    return flow_.counters(plan_.edges[edge].from_stage);
  }

  // Marks the edges downstream of this one in the same turn of every loop around it.
  void reach(std::uint32_t edge) {
    ++mark_;
    const std::vector<std::uint32_t>& loops = around(edge);
    std::vector<std::uint32_t> open;
    if (plan_.edges[edge].loop < 0) open.push_back(edge);  // else it ends the turn itself
    reached_[edge] = mark_;
    while (!open.empty() && work_ < kMaxSearch) {
      const std::uint32_t stage = plan_.edges[open.back()].to_stage;
      open.pop_back();
      const std::vector<std::uint32_t>& inside = flow_.counters(stage);
      if (std::none_of(loops.begin(), loops.end(), [&](auto l) { return has(inside, l); })) continue;
      for (std::uint32_t p = 0; p < plan_.stages[stage].outputs.size(); ++p) {
        for (const std::uint32_t e : flow_.out_of(stage, p)) {
          ++work_;
          const std::int32_t loop = plan_.edges[e].loop;
          if (loop >= 0 && has(loops, static_cast<std::uint32_t>(loop))) {
            reached_[e] = mark_;  // ends the turn
          } else if (std::exchange(reached_[e], mark_) != mark_) {
            open.push_back(e);
          }
        }
      }
    }
  }

  static bool has(const std::vector<std::uint32_t>& sorted, std::uint32_t number) {
    return std::binary_search(sorted.begin(), sorted.end(), number);
  }

  // Raises inputs of stages that write more weight than they consume, from the edge backwards. Then raises the edge's
  // own weight, up to kMostTries times, while its bound exceeds min_blocks.
  std::optional<Invariant> follow(std::uint32_t edge, std::optional<std::uint32_t> counter) {
    edges_.clear();
    stages_.clear();
    held_count_ = !is_held(edge);
    raise(edge, 1);
    std::optional<Invariant> found;
    for (int tries = 0; tries < kMostTries && !found && settle(counter); ++tries) found = finish(edge);
    for (const std::uint32_t e : edges_) weights_[e] = 0;
    for (const std::uint32_t e : edges_) input_[plan_.edges[e].from_stage].reset();
    return found;
  }

  // Balances all stages but the source and, with `counter`, those outside its loop, which bring what they write from
  // outside. False: a stage cannot be balanced, or the weights never settle.
  bool settle(std::optional<std::uint32_t> counter) {
    for (std::size_t steps = 0; !stages_.empty(); ++steps) {
      if (steps > kMostSteps * (edges_.size() + 1)) return false;  // weights grow around a cycle
      const std::uint32_t stage = *stages_.begin();
      stages_.erase(stages_.begin());
      if (stage == kSourceStage || (counter && !has(flow_.counters(stage), *counter))) continue;
      if (!balance(stage)) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_held(std::uint32_t edge) const {
    return plan_.stages[plan_.edges[edge].to_stage].inputs[plan_.edges[edge].to_port].hold;
  }

  void raise(std::uint32_t edge, std::uint64_t weight) {
    if (weights_[edge] >= weight) return;
    if (weights_[edge] == 0) edges_.push_back(edge);
    weights_[edge] = weight;
    stages_.insert(plan_.edges[edge].from_stage);
  }

  // Raises an input of the stage until it consumes what it writes. False: that is impossible.
  bool balance(std::uint32_t stage) {
    const std::uint64_t out = flow_.written(stage, weights_), in = flow_.consumed(stage, weights_, held_count_);
    if (out <= in) return true;
    if (!input_[stage]) input_[stage] = choose(stage);
    if (!input_[stage] || out > TokenFlow::kMaxWeight || work_ > kMaxSearch) return false;
    const std::uint32_t port = *input_[stage];
    const std::uint64_t each = std::max(plan_.stages[stage].inputs[port].gather, 1U);
    const std::uint64_t weight = (out + each - 1) / each;
    for (const std::uint32_t e : flow_.into(stage, port)) {
      ++work_;
      if (!plan_.edges[e].count) raise(e, weight);
    }
    return flow_.consumed(stage, weights_, held_count_) >= out;
  }

  // The input whose tokens carry the stage's weight: preferably one downstream of the edge in its turn.
  [[nodiscard]] std::optional<std::uint32_t> choose(std::uint32_t stage) const {
    std::optional<std::uint32_t> first;
    for (std::uint32_t p = 0; p < plan_.stages[stage].inputs.size(); ++p) {
      if (plan_.stages[stage].inputs[p].hold && !(held_count_ && flow_.read_once(stage, p))) continue;
      const std::vector<std::uint32_t>& into = flow_.into(stage, p);
      if (std::any_of(into.begin(), into.end(), [&](std::uint32_t e) { return reached_[e] == mark_; })) return p;
      if (!first) first = p;
    }
    return first;
  }

  // The invariant if it bounds the edge by min_blocks; else nothing, and the edge's weight is raised.
  std::optional<Invariant> finish(std::uint32_t edge) {
    const std::vector<std::uint64_t> bounds = flow_.bounds(edges_, weights_);
    const auto at = static_cast<std::size_t>(std::find(edges_.begin(), edges_.end(), edge) - edges_.begin());
    if (const std::uint64_t wanted = plan_.edges[edge].min_blocks; bounds[at] > wanted) {
      const std::uint64_t most = TokenFlow::kMaxWeight;
      raise(edge, std::min(most, (weights_[edge] * std::min(bounds[at], most) + wanted - 1) / wanted));
      return std::nullopt;
    }
    Invariant found;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      proved_[edges_[i]] = std::min(proved_[edges_[i]], bounds[i]);
      found.weights.emplace_back(edges_[i], static_cast<std::uint32_t>(weights_[edges_[i]]));
    }
    std::sort(found.weights.begin(), found.weights.end());
    return found;
  }

  static constexpr int kMostTries = 4;
  static constexpr std::size_t kMostSteps = 16;  // for each edge, until weights no longer change

  const Plan& plan_;
  const TokenFlow flow_;
  TokenFlow::Weights weights_;
  std::vector<std::uint64_t> proved_;                // by edge
  std::vector<std::uint32_t> edges_;                 // that have a weight
  std::set<std::uint32_t> stages_;                   // that may write more than they consume
  std::vector<std::uint32_t> reached_;               // by edge: mark_, if it is downstream of the edge searched for
  std::vector<std::optional<std::uint32_t>> input_;  // by stage: the port whose tokens carry what it writes
  bool held_count_ = false;                          // argument of TokenFlow::consumed()
  std::uint32_t mark_ = 0;
  std::uint64_t work_ = 0;
};

// Edges by their writers, the last writer first: an invariant that traces an edge back to the source also bounds the
// edges on the way. In the other order each edge would need a longer invariant of its own.
std::vector<std::uint32_t> last_first(const Plan& plan) {
  std::vector<std::size_t> place(plan.stages.size());
  std::size_t at = 0;
  for (const std::uint32_t stage : stages_in_order(plan)) place[stage] = at++;
  std::vector<std::uint32_t> edges(plan.edges.size());
  std::iota(edges.begin(), edges.end(), 0U);
  std::stable_sort(edges.begin(), edges.end(), [&](std::uint32_t a, std::uint32_t b) {
    return place[plan.edges[a].from_stage] > place[plan.edges[b].from_stage];
  });
  return edges;
}

}  // namespace

void add_invariants(CertifiedPlan& plan) {
  InvariantSearch search(plan);
  std::size_t weights = 0;
  for (const std::uint32_t e : last_first(plan)) {
    if (search.proved(e) <= plan.edges[e].min_blocks) continue;
    auto found = weights < kMaxWeights ? search.find(e) : std::nullopt;
    if (!found) continue;
    weights += found->weights.size();
    plan.invariants.push_back(std::move(*found));
  }
  // Only now: an invariant found for one edge may prove another.
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
    plan.edges[e].claimed = search.proved(e) > plan.edges[e].min_blocks;
}

}  // namespace woa
