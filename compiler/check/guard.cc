#include "compiler/check/guard.h"

#include <algorithm>
#include <optional>

namespace woa {
namespace {

constexpr std::uint32_t kMaxVariables = 5'000;      // bounds the recursion too
constexpr std::uint64_t kMaxGuardWork = 1'000'000;  // outcomes of decisions visited

}  // namespace

std::uint32_t Guards::add_variable(std::uint32_t choices) {
  choices_.push_back(choices);
  overflowed_ = overflowed_ || choices_.size() > kMaxVariables;
  return static_cast<std::uint32_t>(choices_.size() - 1);
}

Guard Guards::choose(Guard condition, std::uint32_t variable, const std::vector<bool>& values) {
  Node node{variable, {}};
  for (const bool value : values) node.next.push_back(value ? condition : kNever);
  return make(std::move(node));
}

Guard Guards::make(Node node) {
  if (std::all_of(node.next.begin(), node.next.end(), [&](Guard g) { return g == node.next[0]; })) return node.next[0];
  const auto [entry, added] = unique_.emplace(node, static_cast<Guard>(nodes_.size()));
  if (added) nodes_.push_back(std::move(node));
  return entry->second;
}

Guard Guards::child(Guard guard, std::uint32_t variable, std::size_t choice) const {
  return level(guard) == variable + 1 ? nodes_[guard].next[choice] : guard;
}

std::optional<Guard> Guards::shortcut(Operation operation, Guard a, Guard b) {
  switch (operation) {
    case Operation::kAnd:
      if (a == kNever || b == kAlways || a == b) return a;
      if (b == kNever || a == kAlways) return b;
      break;
    case Operation::kOr:
      if (a == kAlways || b == kNever || a == b) return a;
      if (b == kAlways || a == kNever) return b;
      break;
    case Operation::kWithout:
      if (a == kNever || b == kAlways || a == b) return kNever;
      if (b == kNever) return a;
      break;
  }
  return std::nullopt;
}

Guard Guards::apply(Operation operation, Guard a, Guard b) {
  if (overflowed_) return kNever;
  if (const auto known = shortcut(operation, a, b)) return *known;
  if (operation != Operation::kWithout && a > b) std::swap(a, b);
  auto& done = done_[static_cast<std::size_t>(operation)];
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  if (const auto known = done.find(key); known != done.end()) return known->second;
  const std::uint32_t variable = std::max(level(a), level(b)) - 1;
  const std::uint32_t choices = choices_[variable];
  work_ += choices;
  overflowed_ = overflowed_ || work_ > kMaxGuardWork;
  Node node{variable, {}};
  node.next.reserve(choices);
  for (std::size_t c = 0; c < choices; ++c) {
    node.next.push_back(apply(operation, child(a, variable, c), child(b, variable, c)));
  }
  const Guard result = make(std::move(node));
  done.emplace(key, result);
  return result;
}

std::vector<Choice> Guards::example(Guard guard) const {
  std::vector<Choice> choices;
  while (guard > kAlways) {
    const Node& node = nodes_[guard];
    const auto open = std::find_if(node.next.begin(), node.next.end(), [](Guard g) { return g != kNever; });
    choices.push_back({node.variable, static_cast<std::uint32_t>(open - node.next.begin())});
    guard = *open;
  }
  return choices;
}

}  // namespace woa
