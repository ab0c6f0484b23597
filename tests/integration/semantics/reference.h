// The meaning of a small graph, by the rules of docs/graph-language.md alone: tokens with tags, without blocks,
// channels, controllers or plans.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/semantics/small_graph.h"

namespace woa::test {

// How one course of an instance ends, or what is wrong with it.
enum class Course : std::uint8_t {
  kRight,
  kTooManyTurns,  // fails at run time, as it should
  kRacy,          // two tokens for one port and tag
  kStuck,         // the sink never fires
  kLeft,          // the sink fires while a token is left that is not held, or a firing that it does not depend on
  kLacking,       // an absent token where none is accepted
  kNoMeaning      // the loops around a stage cannot be determined
};
const char* name_of(Course course) noexcept;
inline bool is_wrong(Course course) noexcept { return course > Course::kTooManyTurns; }

struct Meaning {
  Course course = Course::kRight;
  std::vector<std::string> outputs;  // of the graph
};

// The way, of `choices`, that a firing of `stage` with these inputs takes. For an optional output: 0 writes it; for a
// scatter: the number of elements.
using Choose = std::function<int(int stage, int choices, const std::vector<std::string>& inputs)>;

Meaning interpret(const SmallGraph& graph, const std::string& x, const Choose& choose);

// The first wrong course over all choices; kTooManyTurns if all are that; or kRight.
Course worst_course(const SmallGraph& graph);

// The value of output `out` of a stage for these inputs; of a scatter, its element number `out`.
std::string small_value(int stage, int out, const std::vector<std::string>& inputs);

}  // namespace woa::test
