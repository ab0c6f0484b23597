// Plans in which a token visits one stage after the other, or two at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/plan_builder.h"

namespace woa::test {

// source -> a -> b -> c ... -> sink, each on the controller that `on` names.
inline Plan chain_on(const std::vector<std::string>& on, const std::string& kernel, std::uint64_t max_bytes = 1024) {
  PlanBuilder builder(1, 1, max_bytes);
  std::uint32_t last = kSourceStage;
  for (const std::string& controller : on) {
    const std::string name(1, static_cast<char>('a' + (&controller - on.data())));
    const std::uint32_t next = builder.stage(name, kernel, controller);
    builder.edge(std::exchange(last, next), 0, next, 0);
  }
  builder.edge(last, 0, kSinkStage, 0);
  return builder.build();
}

// The same on cpu:0, cpu:1, cpu:2 ...; behind the last controller the first comes again.
inline Plan chain_plan(std::uint32_t stages, const std::string& kernel = "copy", std::uint32_t controllers = 26) {
  std::vector<std::string> on;
  for (std::uint32_t k = 0; k < stages; ++k) on.push_back("cpu:" + std::to_string(k % controllers));
  return chain_on(on, kernel);
}

// source -> a (cpu:0) -> b -> sink, and a -> c (cpu:1) -> sink.
inline Plan fork_plan(const std::string& kernel, const std::string& b_on) {
  PlanBuilder builder(1, 2);
  const auto a = builder.stage("a", kernel, "cpu:0"), b = builder.stage("b", kernel, b_on),
             c = builder.stage("c", kernel, "cpu:1");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(a, 0, c, 0);
  builder.edge(b, 0, kSinkStage, 0);
  builder.edge(c, 0, kSinkStage, 1);
  return builder.build();
}

// source -> choose -> E or O -> sink: the stage E takes even numbers, O odd ones.
inline Plan branch_plan(const std::string& even_on = "cpu:1") {
  PlanBuilder builder(1, 1);
  const auto choose = builder.stage("choose", "odd_even", "cpu:0", 1, 2);
  builder.raw().stages[choose].outputs[0].one_of = builder.raw().stages[choose].outputs[1].one_of = 0;
  const auto even = builder.stage("E", "append", even_on), odd = builder.stage("O", "append", "cpu:0");
  builder.edge(kSourceStage, 0, choose, 0);
  builder.edge(choose, 0, even, 0);
  builder.edge(choose, 1, odd, 0);
  builder.edge(even, 0, kSinkStage, 0);
  builder.edge(odd, 0, kSinkStage, 0);
  return builder.build();
}

}  // namespace woa::test
