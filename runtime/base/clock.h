// The clock of a run: nanoseconds of CLOCK_MONOTONIC, which every process of one host shares.
#pragma once

#include <cstdint>

namespace woa {

// Nanoseconds since an arbitrary point, never decreasing. Any thread; no system call where the vDSO serves it.
std::uint64_t now_ns() noexcept;

}  // namespace woa
