#include "compiler/place/solver/local_search.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "compiler/place/solver/forest.h"
#include "compiler/place/solver/loads.h"
#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {
namespace {

// By node: the largest cost of itself and its edges.
std::vector<Sum> most_by_node(const Problem& problem) {
  std::vector<Sum> most(problem.nodes.size(), 0);
  for (std::size_t i = 0; i < problem.nodes.size(); ++i)
    for (const Cost cost : problem.nodes[i])
      if (cost != kForbidden) most[i] = std::max<Sum>(most[i], cost);
  for (const Edge& edge : problem.edges) {
    const Cost cost = *std::ranges::max_element(edge.cost);
    most[edge.from] += cost, most[edge.to] += cost;
  }
  return most;
}

std::uint32_t best_place(const Problem& problem, Loads& loads, std::uint32_t node) {
  std::uint32_t best = kUnplaced;
  Score least;
  for (std::uint32_t l = 0; l < problem.components; ++l) {
    if (problem.nodes[node][l] == kForbidden) continue;
    loads.move(node, l);
    if (const Score score = loads.score(); best == kUnplaced || score < least) best = l, least = score;
  }
  return best;
}

}  // namespace

Placement list_schedule(const Problem& problem, const Neighbours& neighbours) {
  const std::vector<Sum> most = most_by_node(problem);
  std::vector<std::uint32_t> list(problem.nodes.size());
  std::iota(list.begin(), list.end(), 0U);
  std::ranges::stable_sort(list, std::greater<>(), [&](std::uint32_t node) { return most[node]; });
  Loads loads(problem, neighbours, Placement(problem.nodes.size(), kUnplaced));
  for (const std::uint32_t node : list) loads.move(node, best_place(problem, loads, node));
  return loads.placement();
}

namespace {

using Random = std::mt19937_64;

constexpr std::size_t kManyNodes = 1000;  // with more only the best start is improved
constexpr Sum kWorthwhile = 10'000;       // a round in vain gains less than 1/kWorthwhile of the sum

std::vector<std::uint32_t> shuffled(std::size_t count, Random& random) {
  std::vector<std::uint32_t> nodes(count);
  std::iota(nodes.begin(), nodes.end(), 0U);
  std::ranges::shuffle(nodes, random);
  return nodes;
}

// Union-find: the trees that nodes are in.
class Trees {
 public:
  explicit Trees(std::size_t nodes) : above_(nodes) { std::iota(above_.begin(), above_.end(), 0U); }
  std::uint32_t of(std::uint32_t node) {
    while (above_[node] != node) node = above_[node] = above_[above_[node]];
    return node;
  }
  void join(std::uint32_t a, std::uint32_t b) { above_[of(a)] = of(b); }

 private:
  std::vector<std::uint32_t> above_;
};

// Nodes in random order, without those that close a cycle with earlier ones.
std::vector<std::uint32_t> random_forest(const Problem& problem, const Neighbours& neighbours, Random& random) {
  Trees trees(problem.nodes.size());
  std::vector<bool> in(problem.nodes.size(), false);
  std::vector<std::uint32_t> chosen, met;
  for (const std::uint32_t node : shuffled(problem.nodes.size(), random)) {
    met.clear();
    bool closes = false;
    for (const std::uint32_t e : neighbours.of(node)) {
      const std::uint32_t other = across(problem.edges[e], node);
      if (!in[other]) continue;
      const std::uint32_t tree = trees.of(other);
      closes = closes || std::ranges::find(met, tree) != met.end();
      met.push_back(tree);
    }
    if (closes) continue;
    in[node] = true;
    chosen.push_back(node);
    for (const std::uint32_t tree : met) trees.join(tree, node);
  }
  return chosen;
}

Placement cheapest(const Problem& problem) {
  Placement placement;
  for (const auto& costs : problem.nodes)
    placement.push_back(static_cast<std::uint32_t>(std::ranges::min_element(costs) - costs.begin()));
  return placement;
}

// Every node that may be on the component there, the others where they are cheapest. Single moves hardly reach that if
// communication is dear.
Placement together(const Problem& problem, std::uint32_t component) {
  Placement placement = cheapest(problem);
  for (std::size_t i = 0; i < placement.size(); ++i)
    if (problem.nodes[i][component] != kForbidden) placement[i] = component;
  return placement;
}

std::vector<Placement> starts(const Problem& problem, const Neighbours& neighbours) {
  std::vector<Placement> all{list_schedule(problem, neighbours), cheapest(problem)};
  for (std::uint32_t l = 0; l < problem.components; ++l) all.push_back(together(problem, l));
  return all;
}

bool over(const SearchOptions& options) { return std::chrono::steady_clock::now() > options.end; }

Placement improve_sum(const Problem& problem, const Neighbours& neighbours, Placement placement,
                      const SearchOptions& options, Random& random) {
  Sum sum = evaluate(problem, placement).objective;
  for (std::uint32_t vain = 0; vain < options.rounds && !over(options); ++vain) {
    place_forest(problem, neighbours, random_forest(problem, neighbours, random), placement);
    const Sum now = evaluate(problem, placement).objective;
    if (now < sum - sum / kWorthwhile) vain = 0;
    sum = now;
  }
  return placement;
}

// Moves each node in turn to its best component, until none moves.
void descend(const Problem& problem, Loads& loads, const SearchOptions& options, Random& random) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::uint32_t node : shuffled(problem.nodes.size(), random)) {
      if (over(options)) return;
      const std::uint32_t here = loads.placement()[node];
      std::uint32_t best = here;
      Score least = loads.score();
      for (std::uint32_t l = 0; l < problem.components; ++l) {
        if (l == here || problem.nodes[node][l] == kForbidden) continue;
        loads.move(node, l);
        if (const Score score = loads.score(); score < least) best = l, least = score;
      }
      loads.move(node, best);
      moved = moved || best != here;
    }
  }
}

// Moves a few neighbouring nodes anywhere.
void shake(const Problem& problem, const Neighbours& neighbours, Loads& loads, Random& random) {
  constexpr std::uint32_t kNodes = 8;
  auto node = static_cast<std::uint32_t>(random() % problem.nodes.size());
  for (std::uint32_t k = 0; k < kNodes; ++k) {
    const auto to = static_cast<std::uint32_t>(random() % problem.components);
    if (problem.nodes[node][to] != kForbidden) loads.move(node, to);
    const auto edges = neighbours.of(node);
    node = edges.empty() || random() % 4 == 0 ? static_cast<std::uint32_t>(random() % problem.nodes.size())
                                              : across(problem.edges[edges[random() % edges.size()]], node);
  }
}

Placement improve_rows(const Problem& problem, const Neighbours& neighbours, Placement placement,
                       const SearchOptions& options, Random& random) {
  Loads first(problem, neighbours, std::move(placement));
  descend(problem, first, options, random);
  Placement best = first.placement();
  Score least = first.score();
  for (std::uint32_t vain = 0; vain < options.rounds && !over(options); ++vain) {
    Loads loads(problem, neighbours, best);
    shake(problem, neighbours, loads, random);
    descend(problem, loads, options, random);
    if (const Score score = loads.score(); score < least) best = loads.placement(), least = score, vain = 0;
  }
  return best;
}

// Fewer rounds if each takes long.
std::uint32_t rounds_for(const Problem& problem) {
  constexpr std::size_t kStepsInAll = 200'000, kFewest = 10, kMost = 200;
  const std::size_t steps = (problem.nodes.size() + problem.edges.size() + 1) * problem.components;
  return static_cast<std::uint32_t>(std::clamp(kStepsInAll / steps, kFewest, kMost));
}

}  // namespace

Placement improve(const Problem& problem, Placement placement, const SearchOptions& options) {
  const Neighbours neighbours(problem);
  Random random(options.seed);
  SearchOptions chosen = options;
  if (chosen.rounds == 0) chosen.rounds = rounds_for(problem);
  const auto way = sum_alone(problem) ? improve_sum : improve_rows;
  return way(problem, neighbours, std::move(placement), chosen, random);
}

Placement search(const Problem& problem, const SearchOptions& options) {
  Placement best;
  Score least;
  if (problem.nodes.empty()) return best;
  const Neighbours neighbours(problem);
  const auto take = [&](Placement placement) {
    const Score score = Loads(problem, neighbours, placement).score();
    if (best.empty() || score < least) best = std::move(placement), least = score;
  };
  const bool large = problem.nodes.size() > kManyNodes;
  for (Placement& start : starts(problem, neighbours))
    take(large ? std::move(start) : improve(problem, std::move(start), options));
  return large ? improve(problem, std::move(best), options) : best;
}

}  // namespace woa::assign
