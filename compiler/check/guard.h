// Guards: conditions under which a token comes. Canonical multi-valued decision diagrams.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace woa {

// A guard of one Guards. Two of them are equal if and only if they are the same condition.
using Guard = std::uint32_t;

// One decision that a guard asks about, and the choice taken.
struct Choice {
  std::uint32_t variable = 0, value = 0;
};

// Makes and combines guards. A variable may be used in conditions on variables made before it; the later a variable,
// the nearer it is to the root of a diagram, so that adding a condition shares the whole diagram that it is added to.
class Guards {
 public:
  static constexpr Guard kNever = 0, kAlways = 1;

  // A decision with `choices` outcomes, exactly one of which occurs.
  std::uint32_t add_variable(std::uint32_t choices);
  // `condition`, and `variable` is one of `values`. The condition must not involve `variable` or later ones.
  Guard choose(Guard condition, std::uint32_t variable, const std::vector<bool>& values);

  Guard both(Guard a, Guard b) { return apply(Operation::kAnd, a, b); }
  Guard either(Guard a, Guard b) { return apply(Operation::kOr, a, b); }
  Guard without(Guard a, Guard b) { return apply(Operation::kWithout, a, b); }  // a and not b
  bool implies(Guard a, Guard b) { return without(a, b) == kNever; }

  // Choices under which `guard` holds; empty for kAlways. Not for kNever.
  [[nodiscard]] std::vector<Choice> example(Guard guard) const;

  // The work is bounded. Once the bound is reached, results are meaningless.
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }

 private:
  enum class Operation : std::uint8_t { kAnd, kOr, kWithout };
  struct Node {
    std::uint32_t variable = 0;
    std::vector<Guard> next;  // by choice
    auto operator<=>(const Node&) const = default;
  };

  [[nodiscard]] static std::optional<Guard> shortcut(Operation operation, Guard a, Guard b);
  Guard apply(Operation operation, Guard a, Guard b);
  Guard make(Node node);
  [[nodiscard]] std::uint32_t level(Guard guard) const { return guard <= kAlways ? 0 : nodes_[guard].variable + 1; }
  [[nodiscard]] Guard child(Guard guard, std::uint32_t variable, std::size_t choice) const;

  std::vector<std::uint32_t> choices_;       // by variable
  std::vector<Node> nodes_{Node{}, Node{}};  // [0] never, [1] always
  std::map<Node, Guard> unique_;
  std::unordered_map<std::uint64_t, Guard> done_[3];
  std::uint64_t work_ = 0;
  bool overflowed_ = false;
};

}  // namespace woa
