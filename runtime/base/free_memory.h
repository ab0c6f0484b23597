// Memory, as /proc and control groups count it.
#pragma once

#include <cstdint>
#include <string_view>

namespace woa {

// The KiB that a file of /proc has behind `key`; 0 if it does not say.
std::uint64_t kib_of(const char* file, std::string_view key);

// Bytes that the system, and its control group, can give this process without swapping. 0: the system does not say.
std::uint64_t available_bytes();

// Bytes that a process has written and shares with nobody. 0: there is no such process, or it is another user's.
// Without memory of its own.
std::uint64_t anonymous_bytes(int process) noexcept;

}  // namespace woa
