#include "tests/integration/semantics/enumerate.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace woa::test {
namespace {

// From stage to stage; the source is -1, the end is the number of stages.
using Shape = std::vector<std::pair<int, int>>;

// Every way to put `count` things together: by thing, the number of its block. Blocks are numbered as they come.
std::vector<std::vector<int>> partitions(std::size_t count) {
  std::vector<std::vector<int>> all{{}};
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& begun : all) {
      const int blocks = begun.empty() ? 0 : *std::max_element(begun.begin(), begun.end()) + 1;
      for (int block = 0; block <= blocks; ++block) {
        longer.push_back(begun);
        longer.back().push_back(block);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// One form of a shape, for every numbering of its stages.
Shape canonical(const Shape& shape, int stages) {
  std::vector<int> number(static_cast<std::size_t>(stages));
  std::iota(number.begin(), number.end(), 0);
  Shape least;
  do {
    Shape renamed;
    const auto name = [&](int s) { return s < 0 || s == stages ? s : number[static_cast<std::size_t>(s)]; };
    for (const auto& [from, to] : shape) renamed.emplace_back(name(from), name(to));
    std::sort(renamed.begin(), renamed.end());
    if (least.empty() || renamed < least) least = std::move(renamed);
  } while (std::next_permutation(number.begin(), number.end()));
  return least;
}

class Shapes {
 public:
  explicit Shapes(const Enumeration& what) : what_(what), n_(what.stages) {
    for (int from = 0; from < n_; ++from) {
      for (int to = 0; to < n_; ++to) (from < to ? forward_ : back_).emplace_back(from, to);
    }
    for (int s = 0; s < n_; ++s) ends_.emplace_back(kSource, s), ends_.emplace_back(s, n_);
  }

  [[nodiscard]] std::set<Shape> all() {
    std::set<Shape> shapes;
    for (std::uint64_t f = 0; f < 1ULL << forward_.size(); ++f) {
      for (std::uint64_t e = 0; e < 1ULL << ends_.size(); ++e) {
        Shape shape = chosen(forward_, f);
        for (const auto& end : chosen(ends_, e)) shape.push_back(end);
        if (!all_are_written(shape)) continue;
        for (std::uint64_t b = 0; b < 1ULL << back_.size(); ++b) {
          if (std::popcount(b) != what_.edges_back) continue;
          Shape whole = shape;
          for (const auto& edge : chosen(back_, b)) whole.push_back(edge);
          if (fits(whole) && connected(whole) && seen_.insert(canonical(whole, n_)).second) shapes.insert(whole);
        }
      }
    }
    return shapes;
  }

 private:
  static Shape chosen(const Shape& from, std::uint64_t bits) {
    Shape some;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if ((bits >> k & 1) != 0) some.push_back(from[k]);
    }
    return some;
  }
  [[nodiscard]] bool connected(const Shape& shape) const {
    std::set<int> reached{0};
    for (int round = 0; round < n_; ++round) {
      for (const auto& [from, to] : shape) {
        if (from == kSource || to == n_) continue;
        if (reached.contains(from) || reached.contains(to)) reached.insert({from, to});
      }
    }
    return static_cast<int>(reached.size()) == n_;
  }
  [[nodiscard]] bool all_are_written(const Shape& shape) const {
    std::set<int> written;
    for (const auto& edge : shape) written.insert(edge.second);
    return static_cast<int>(written.size()) == n_ + 1;
  }
  // Each stage has readers, and not too many edges.
  [[nodiscard]] bool fits(const Shape& shape) const {
    for (int s = 0; s < n_; ++s) {
      int writers = 0, readers = 0;
      for (const auto& [from, to] : shape) writers += to == s, readers += from == s;
      if (writers > what_.most_writers || readers > what_.most_readers || readers == 0) return false;
    }
    return true;
  }

  const Enumeration& what_;
  int n_;
  Shape forward_, back_, ends_;
  std::set<Shape> seen_;
};

// Every graph of one shape, choice by choice.
class Graphs {
 public:
  Graphs(const Enumeration& what, const Visit& visit) : what_(what), visit_(visit) {}

  void of(const Shape& shape) {
    graph_ = {};
    graph_.stages.resize(static_cast<std::size_t>(what_.stages));
    for (const auto& [from, to] : shape) graph_.edges.push_back({from, 0, to, 0});
    graph_.max_turns = what_.edges_back > 1 ? 1 : 2;
    ports_of(0);
  }

 private:
  SmallStage& stage(int s) { return graph_.stages[static_cast<std::size_t>(s)]; }
  std::vector<SmallEdge*> edges_where(const std::function<bool(const SmallEdge&)>& wanted) {
    std::vector<SmallEdge*> some;
    for (SmallEdge& edge : graph_.edges) {
      if (wanted(edge)) some.push_back(&edge);
    }
    return some;
  }
  // Every partition of some edges: writes the block's number into a field of each, and goes on.
  void each_partition(const std::vector<SmallEdge*>& edges, int SmallEdge::*field, int& blocks,
                      const std::function<void()>& next) {
    for (const std::vector<int>& partition : partitions(edges.size())) {
      for (std::size_t k = 0; k < edges.size(); ++k) edges[k]->*field = partition[k];
      blocks = partition.empty() ? 1 : *std::max_element(partition.begin(), partition.end()) + 1;
      next();
    }
  }

  void ports_of(int s) {
    const std::vector<SmallEdge*> in = edges_where([s](const SmallEdge& edge) { return edge.to == s; });
    if (s == graph_.sink()) return each_partition(in, &SmallEdge::in, graph_.outputs, [this] { loops(); });
    const std::vector<SmallEdge*> out = edges_where([s](const SmallEdge& edge) { return edge.from == s; });
    each_partition(in, &SmallEdge::in, stage(s).inputs,
                   [&] { each_partition(out, &SmallEdge::out, stage(s).outputs, [&] { ports_of(s + 1); }); });
  }

  void loops() {
    const auto back = edges_where([](const SmallEdge& edge) { return edge.from >= edge.to; });
    int loops = 0;
    each_partition(back, &SmallEdge::loop, loops, [this] { holds(0); });
  }

  void holds(int s) {
    if (!what_.holds || s == graph_.sink()) {
      const bool some = std::any_of(graph_.edges.begin(), graph_.edges.end(), [](const auto& e) { return e.hold; });
      if (some == what_.holds) kinds(0);
      return;
    }
    const int ports = stage(s).inputs;
    for (int held = 0; held < (1 << ports) - 1; ++held) {  // never all
      for (SmallEdge* edge : edges_where([s](const SmallEdge& e) { return e.to == s; }))
        edge->hold = (held >> edge->in & 1) != 0;
      holds(s + 1);
    }
  }

  void kinds(int s) {
    if (s == graph_.sink()) return last();
    SmallStage& here = stage(s);
    const SmallStage plain = here;
    kinds(s + 1);
    if (what_.scatters && plain.outputs == 1) here.scatters = true, kinds(s + 1), here = plain;
    if (what_.scatters && plain.inputs == 1) here.gathers = true, kinds(s + 1), here = plain;
    if (what_.optional) {
      here.may_lack = true, kinds(s + 1);
      if (plain.outputs == 1) here.leaves_out = true, kinds(s + 1), here.may_lack = false, kinds(s + 1);
      here = plain;
    }
  }

  void last() {
    const auto some = [this](bool SmallStage::*kind) {
      return std::any_of(graph_.stages.begin(), graph_.stages.end(), [kind](const auto& s) { return s.*kind; });
    };
    if (what_.scatters && !some(&SmallStage::scatters)) return;
    if (what_.optional && !some(&SmallStage::leaves_out)) return;
    visit_(graph_);
  }

  const Enumeration& what_;
  const Visit& visit_;
  SmallGraph graph_;
};

}  // namespace

int enumerate(const Enumeration& what, const Visit& visit) {
  const std::set<Shape> shapes = Shapes(what).all();
  Graphs graphs(what, visit);
  for (const Shape& shape : shapes) graphs.of(shape);
  return static_cast<int>(shapes.size());
}

}  // namespace woa::test
