// One turn of a loop (or the graph as a whole) as an acyclic graph. Its items are the stages and the loops directly
// inside, each loop as one.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/check/graph.h"

namespace woa {

struct PortId {
  std::uint32_t stage = 0, port = 0;
  auto operator<=>(const PortId&) const = default;
};

struct TurnGraph {
  std::vector<std::uint32_t> order;  // items, writers before readers
  std::vector<PortId> entries;       // open ports that the turn begins with: written from before the loop
  std::vector<std::uint32_t> again;  // loop edges of this loop
  std::vector<std::uint32_t> exits;  // edges that leave the loop
};

// Items: a stage has its own number, a loop the number of stages plus its own.
class TurnGraphs {
 public:
  explicit TurnGraphs(const Graph& graph);

  // By context; -1 is the graph as a whole.
  [[nodiscard]] const TurnGraph& of(std::int32_t context) const {
    return turns_[static_cast<std::size_t>(context + 1)];
  }
  // The item of `context` that contains a stage; the context must contain it.
  [[nodiscard]] std::uint32_t item(std::int32_t context, std::uint32_t stage) const;
  [[nodiscard]] bool is_loop(std::uint32_t item) const { return item >= graph_.stages.size(); }
  [[nodiscard]] std::int32_t loop_of(std::uint32_t item) const {
    return static_cast<std::int32_t>(item - graph_.stages.size());
  }
  [[nodiscard]] std::uint32_t item_of(std::int32_t loop) const {
    return static_cast<std::uint32_t>(graph_.stages.size()) + static_cast<std::uint32_t>(loop);
  }
  // Held ports inside the item whose writers lie in the item's own context.
  [[nodiscard]] const std::vector<PortId>& held(std::uint32_t item) const { return held_[item]; }
  // Position in the order of its context.
  [[nodiscard]] std::uint32_t position(std::uint32_t item) const { return position_[item]; }
  // Contexts from the innermost outwards; the last is -1.
  [[nodiscard]] std::vector<std::int32_t> inner_first() const;

 private:
  void add_edge(std::uint32_t edge);
  void sort_items();

  const Graph& graph_;
  std::vector<TurnGraph> turns_;
  std::vector<std::vector<PortId>> held_;
  std::vector<std::vector<std::uint32_t>> next_;  // items that read an item, within one context
  std::vector<std::uint32_t> open_;               // writers of an item not yet in the order
  std::vector<std::uint32_t> position_;
};

}  // namespace woa
