#include "compiler/assign/ascent.h"

#include <algorithm>

#include "compiler/assign/neighbours.h"
#include "compiler/assign/priced.h"

namespace woa::assign {
namespace {

class Ascent {
 public:
  Ascent(const Problem& problem, Multipliers& multipliers)
      : problem_(problem),
        multipliers_(multipliers),
        priced_(problem, multipliers),
        neighbours_(problem),
        here_(problem.components) {}

  void pass() {
    const auto count = static_cast<std::uint32_t>(problem_.nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) visit(i, true, false);
    for (std::uint32_t i = count; i > 0; --i) visit(i - 1, false, false);
  }
  // A last visit of each node, whose shares go into the edges with its messages.
  void close() {
    for (std::uint32_t i = 0; i < problem_.nodes.size(); ++i) visit(i, true, true);
  }

 private:
  [[nodiscard]] std::vector<Sum>& price(std::uint32_t edge, std::uint32_t node) const {
    return problem_.edges[edge].from == node ? multipliers_.from[edge] : multipliers_.to[edge];
  }
  // Sends what the node costs, shared out to the trees that go on from it, to those of its neighbours that come later.
  void visit(std::uint32_t node, bool forward, bool last) {
    std::int64_t later = 0, earlier = 0;
    for (const std::uint32_t e : neighbours_.of(node))
      ++((across(problem_.edges[e], node) > node) == forward ? later : earlier);
    if (later == 0) return;
    for (std::uint32_t l = 0; l < problem_.components; ++l) {
      here_[l] = priced_.node(node, l);
      for (const std::uint32_t e : neighbours_.of(node)) here_[l] += price(e, node)[l];
    }
    for (Sum& share : here_) share /= std::max(later, earlier);
    for (const std::uint32_t e : neighbours_.of(node)) {
      if ((across(problem_.edges[e], node) > node) != forward) continue;
      send(node, e);
      for (std::uint32_t l = 0; last && l < problem_.components; ++l)
        if (problem_.nodes[node][l] != kForbidden) price(e, node)[l] -= here_[l];
    }
  }
  void send(std::uint32_t node, std::uint32_t e) {
    const Edge& edge = problem_.edges[e];
    const std::uint32_t other = across(edge, node);
    const std::vector<Sum>& mine = price(e, node);
    std::vector<Sum>& theirs = price(e, other);
    Sum least = kNowhere;
    for (std::uint32_t there = 0; there < problem_.components; ++there) {
      if (problem_.nodes[other][there] == kForbidden) continue;
      Sum best = kNowhere;
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (problem_.nodes[node][l] == kForbidden) continue;
        const Sum between = edge.from == node ? priced_.edge(e, l, there) : priced_.edge(e, there, l);
        best = std::min(best, here_[l] - mine[l] + between);
      }
      theirs[there] = best;
      least = std::min(least, best);
    }
    // Only differences count; the least of them is not to grow with each pass.
    for (std::uint32_t there = 0; there < problem_.components; ++there)
      if (problem_.nodes[other][there] != kForbidden) theirs[there] -= least;
  }

  const Problem& problem_;
  Multipliers& multipliers_;
  Priced priced_;
  Neighbours neighbours_;
  std::vector<Sum> here_;
};

}  // namespace

Multipliers ascend(const Problem& problem, Multipliers& messages, std::uint32_t passes) {
  Ascent ascent(problem, messages);
  for (std::uint32_t k = 0; k < passes; ++k) ascent.pass();
  Multipliers multipliers = messages;
  Ascent(problem, multipliers).close();
  return multipliers;
}

}  // namespace woa::assign
