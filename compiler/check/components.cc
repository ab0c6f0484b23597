#include "compiler/check/components.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace woa {
namespace {

// Tarjan's algorithm with its own stack.
class Tarjan {
 public:
  Tarjan(const Adjacency& next, const std::vector<std::uint32_t>& part, std::uint32_t number)
      : next_(next), part_(part), number_(number) {}

  std::vector<std::vector<std::uint32_t>> run(const std::vector<std::uint32_t>& nodes) {
    state_.reserve(nodes.size());
    for (const std::uint32_t node : nodes) {
      if (!state_.contains(node)) walk(node);
    }
    return std::move(found_);
  }

 private:
  struct State {
    std::uint32_t index = 0, low = 0;
    bool open = true;
  };
  struct Frame {
    std::uint32_t node;
    std::size_t position;
  };

  void enter(std::uint32_t node) {
    state_[node] = {count_, count_, true};
    ++count_;
    open_.push_back(node);
    frames_.push_back({node, 0});
  }

  void walk(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const std::uint32_t node = frames_.back().node;
      if (frames_.back().position == next_[node].size()) {
        leave(node);
        continue;
      }
      const std::uint32_t to = next_[node][frames_.back().position++];
      if (part_[to] != number_) continue;
      const auto seen = state_.find(to);
      if (seen == state_.end()) {
        enter(to);
      } else if (seen->second.open) {
        State& state = state_[node];
        state.low = std::min(state.low, seen->second.index);
      }
    }
  }

  void leave(std::uint32_t node) {
    const State state = state_[node];
    frames_.pop_back();
    if (!frames_.empty()) {
      State& above = state_[frames_.back().node];
      above.low = std::min(above.low, state.low);
    }
    if (state.low != state.index) return;
    std::vector<std::uint32_t> component;
    std::uint32_t member = 0;
    do {
      member = open_.back();
      open_.pop_back();
      state_[member].open = false;
      component.push_back(member);
    } while (member != node);
    std::sort(component.begin(), component.end());
    found_.push_back(std::move(component));
  }

  const Adjacency& next_;
  const std::vector<std::uint32_t>& part_;
  const std::uint32_t number_;
  std::unordered_map<std::uint32_t, State> state_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint32_t>> found_;
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> strong_components(const Adjacency& next,
                                                          const std::vector<std::uint32_t>& nodes,
                                                          const std::vector<std::uint32_t>& part,
                                                          std::uint32_t number) {
  return Tarjan(next, part, number).run(nodes);
}

}  // namespace woa
