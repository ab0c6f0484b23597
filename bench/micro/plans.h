// The plans that the benchmarks of the fabric run, made by hand so that nothing but the fabric is measured.
#pragma once

#include <cstdint>

#include "runtime/plan/plan.h"

namespace woa::bench {

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

}  // namespace woa::bench
