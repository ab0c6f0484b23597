// The plans that the benchmarks of the fabric run, made by hand so that nothing but the fabric is measured.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/measure/task_graph.h"
#include "runtime/plan/plan.h"

namespace woa::measure {

inline constexpr std::uint64_t kToken = 64;  // bytes of a ping-pong's token, whose first eight are its counter

// Stages 2 and 3, on cpu:0 and cpu:1, that send a token of at most `bytes` to each other until its counter is down; up
// to `inline_bytes` it travels behind its header.
Plan ping_pong(std::uint32_t window, std::uint64_t bytes = kToken, std::uint32_t inline_bytes = kDefaultInlineBytes);
// A chain of `copy` stages, each on a controller of its own.
Plan copies(std::uint32_t stages, std::uint64_t max_bytes, std::uint32_t window);
// A chain of `touch` stages, each on a controller of its own, that pass the block of their input on.
Plan touches(std::uint32_t stages, std::uint64_t max_bytes, std::uint32_t window);
// One output of the source, read by `consumers` stages that look at none of it and write nothing, on as many
// controllers as given, in turns.
Plan fan_out(std::uint32_t consumers, std::uint32_t controllers, std::uint64_t max_bytes);
// On cpu:0 alone, a stage for each task, in their order; the graph is run again until the counter in front of the token
// is down. The first stage's kernel is `ping`, the others pass their first input on.
Plan task_loop(const TaskGraph& graph);
// On cpu:0 alone, stage 2 sends stage 3 up to 12 bytes, stage 3 sends it up to 1,200 back, or the result out. Input 0
// of the graph starts stage 2, input 1, of 40,000 bytes, is held by stage 3.
Plan two_stage_loop(const std::string& kernel, const std::string& next_kernel, Stateful stateful);

}  // namespace woa::measure
