// Counts the allocations of a test program, to show that a path makes none. Link tests/support/alloc_counter.cc into
// it.
#pragma once

#include <cstdint>

namespace woa::test {

// Allocations of the whole process so far, all threads: malloc, calloc, realloc, aligned ones, and so operator new.
// Never resets.
std::uint64_t allocations() noexcept;
// Those of the calling thread.
std::uint64_t own_allocations() noexcept;

}  // namespace woa::test
