// Proves which firings within a loop begin only after an event has ended.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/check/flow.h"

namespace woa {

// An event in some turn of a loop: a firing of a stage ends, or an inner loop does, as seen through its exits.
struct Event {
  std::uint32_t item = 0;
  bool all_exits = true;             // of a loop: all its exits come after the event
  std::vector<std::uint32_t> exits;  // if not all: those that do, ascending
  Guard guard = Guards::kAlways;     // when it happens, in its turn
};

// Proves orders by walking from an event along inputs that must be there: a stage begins after the event if one of its
// inputs can only be written after it. An order without a proof may still hold.
class Orders {
 public:
  Orders(const Graph& graph, const TurnGraphs& turns, Flow& flow);

  // Analyses an event in a turn of loop `context`. The questions below are about the last event analysed.
  void look(std::int32_t context, const Event& event);
  // Every firing of `item` in the same turn begins after the event.
  [[nodiscard]] bool in_turn(std::uint32_t item) const;
  // Every firing of `item` in later turns begins after the event.
  [[nodiscard]] bool later(std::uint32_t item) const { return all_later_ || later_[item] == later_mark_; }
  // True once the work for the graph has reached its bound: later orders may lack a proof for that reason alone.
  [[nodiscard]] bool exhausted() const noexcept;
  // The last event, as seen from outside the loop.
  [[nodiscard]] Event from_outside();

 private:
  [[nodiscard]] bool is_cut(std::int32_t context, std::uint32_t item);
  void find_cuts(std::int32_t context);
  void mark_turn();
  void mark_later();
  [[nodiscard]] bool compatible(std::uint32_t edge, bool any_guard);
  [[nodiscard]] bool written_after(std::uint32_t edge, bool in_later_turn) const;
  [[nodiscard]] bool port_after(const PortId& port, bool in_later_turn);
  [[nodiscard]] bool item_after(std::uint32_t item, bool in_later_turn);
  [[nodiscard]] bool begins_turn(const PortId& port) const;

  const Graph& graph_;
  const TurnGraphs& turns_;
  Flow& flow_;
  std::int32_t context_ = -1;
  Event event_;
  bool cut_ = false;  // all that comes later in the turn comes after the event
  bool all_later_ = false, last_turn_ = false;
  std::uint32_t turn_mark_ = 0, later_mark_ = 0;
  std::vector<std::uint32_t> turn_, later_;  // by item: the mark, if it comes after the event
  std::vector<PortId> starts_;               // entries of the next turn that come after the event, ascending
  std::vector<bool> cuts_found_;             // by context
  std::vector<bool> cut_items_;              // by item
  std::uint64_t work_ = 0;
};

// State of an instance needs firings in tag order, one at a time (rule 9). Reports stages with such state that later
// turns of a loop may reach before earlier turns are through with them. In a scatter, reports those that cannot know if
// an earlier element is still to come: they get only some elements, or lie in a loop or another scatter inside it. All
// others know by the element's number, which is 0 or one above that of the last firing. The graph has passed
// analyse_flow.
void check_state_order(const Graph& graph, const TurnGraphs& turns, Flow& flow, Report& report);

}  // namespace woa
