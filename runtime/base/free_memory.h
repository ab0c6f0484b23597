// Memory, as /proc and control groups count it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace woa {

// The number that a line of such a file has behind `key`: KiB in /proc, bytes of a control group. 0: it does not say.
std::uint64_t number_behind(const std::string& file, std::string_view key);

// Bytes that the system, and its control group, can give this process without swapping. 0: the system does not say.
std::uint64_t available_bytes();

// Bytes that a process has written and shares with nobody. 0: there is no such process, or it is another user's.
// Without memory of its own.
std::uint64_t anonymous_bytes(int process) noexcept;

}  // namespace woa
