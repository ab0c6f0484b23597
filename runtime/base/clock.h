// The clock of a run: nanoseconds of CLOCK_MONOTONIC, which every process of one host shares. A process on another host
// sets how far the run's host is ahead.
#pragma once

#include <cstdint>

namespace woa {

// Nanoseconds since an arbitrary point, never decreasing. Any thread; no system call where the vDSO serves it.
std::uint64_t now_ns() noexcept;

// From now on now_ns() is that much later. Once, before anything has looked at the clock that lives on. Hosts whose
// clocks are not disciplined by the same source drift apart by up to 0.1 ms a second.
void set_clock_ahead(std::int64_t ahead_ns) noexcept;

}  // namespace woa
