// How long the parts of the transport wait.
#pragma once

#include <time.h>

#include <cstdint>

namespace woa::ofi {

// An end that closes waits so long for what is still on the way, and looks again after each nap.
inline constexpr std::uint64_t kCloseNs = 1'000'000'000;
inline constexpr timespec kNap{0, 100'000};

// A wait on libfabric's descriptor may be refused since something has come already. After so many refusals in a row,
// should a provider always say so or nobody read what has come, a thread looks again after this time.
inline constexpr unsigned kMostRefused = 16;
inline constexpr std::uint64_t kLookNs = 1'000'000;

}  // namespace woa::ofi
