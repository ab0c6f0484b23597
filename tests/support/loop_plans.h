// Graphs with a loop, of the kernels in functions.h.
#pragma once

#include "tests/support/plan_builder.h"

namespace woa::test {

// count_down on cpu:0, its loop through a copy on cpu:1
inline Plan loop(std::uint32_t max, bool through_copy) {
  PlanBuilder builder(1, 1);
  const auto step = builder.stage("step", "count_down", "cpu:0", 1, 2);
  builder.raw().stages[step].outputs[0].one_of = builder.raw().stages[step].outputs[1].one_of = 0;
  builder.raw().loops.push_back({"step", 0, 8, max});
  builder.edge(kSourceStage, 0, step, 0).keep = 0;
  builder.edge(step, 1, kSinkStage, 0).keep = 0;
  EdgePlan back{step, 0, step, 0, ~std::uint64_t{0}, 1, 0, 2, 0};
  if (through_copy) {
    const auto body = builder.stage("body", "copy", "cpu:1");
    builder.edge(step, 0, body, 0);
    back = {body, 0, step, 0, ~std::uint64_t{0}, 1, 0, 1, 0};
  }
  builder.raw().edges.push_back(back);
  return builder.build();
}

// "n" goes round add_held on cpu:0 until it is 100 or more, and each turn adds what the second input brought once.
inline Plan held_in_loop() {
  PlanBuilder builder(2, 1);
  const auto step = builder.stage("step", "add_held", "cpu:0", 2, 2);
  builder.raw().stages[step].outputs[0].one_of = builder.raw().stages[step].outputs[1].one_of = 0;
  builder.raw().stages[step].inputs[1].hold = true;
  builder.raw().loops.push_back({"step", 0, 8, 100});
  builder.edge(kSourceStage, 0, step, 0).keep = 0;
  builder.edge(kSourceStage, 1, step, 1).keep = 0;
  builder.edge(step, 1, kSinkStage, 0).keep = 0;
  EdgePlan& back = builder.edge(step, 0, step, 0, 2);
  back.step = 1, back.loop = 0;
  return builder.build();
}

}  // namespace woa::test
