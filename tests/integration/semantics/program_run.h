// Runs of random programs, and checks of their outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/integration/semantics/graph_run.h"
#include "tests/integration/semantics/program_kernels.h"
#include "tests/support/random_program.h"

namespace woa::test {

inline constexpr std::uint64_t kProgramInstances = 12;

// Each instance must give the program's output for its number, or take too many turns if the program does.
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
