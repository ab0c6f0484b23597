// Random programs run, and what comes out of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/integration/semantics/graph_run.h"
#include "tests/integration/semantics/program_kernels.h"
#include "tests/support/random_program.h"

namespace woa::test {

inline constexpr std::uint64_t kProgramInstances = 12;

// Every instance gave what the program means by its number, or took too many turns as it means, too.
inline void check_program(const RandomProgram& program, const Outcome& outcome) {
  REQUIRE(outcome.status.ok());
  for (std::uint64_t i = 0; i < kProgramInstances; ++i) {
    const std::optional<std::string> expected = program.expect(instance_number(i, 0));
    INFO("instance " << i);
    REQUIRE(outcome.outputs.contains(i) == expected.has_value());
    if (expected) REQUIRE(outcome.outputs.at(i)[0] == *expected);
    if (!expected) REQUIRE(outcome.failures.at(i).code == Code::kLoopLimit);
  }
}

}  // namespace woa::test
