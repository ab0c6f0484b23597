// The clock of a run: nanoseconds of CLOCK_MONOTONIC, which all processes of a host share. A process on another host
// sets its lag behind the run's host.
#pragma once

#include <cstdint>
#include <ctime>

namespace woa {

// Nanoseconds since an arbitrary point, never decreasing. Any thread; no system call where the vDSO serves it.
std::uint64_t now_ns() noexcept;

// Adds `ahead_ns` to now_ns() from now on. Call once, before any thread keeps a time. Hosts whose
// clocks are not disciplined by the same source drift apart by up to 0.1 ms per second.
void set_clock_ahead(std::int64_t ahead_ns) noexcept;
std::int64_t clock_ahead_ns() noexcept;

// A duration as system calls take it.
constexpr std::timespec time_of(std::uint64_t ns) noexcept {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  return {static_cast<std::time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace woa
