// What processes that were killed leave of libfabric's provider "shm": a file of 16 MiB each.
#pragma once

#include <cstddef>
#include <string>

namespace woa::ofi {

// Removes files named PID:DOMAIN:ENDPOINT of this user, whose process has gone and that nobody has open or mapped;
// returns how many. Where the system cannot tell, they stay.
std::size_t remove_shm_leftovers(const std::string& folder = "/dev/shm");

}  // namespace woa::ofi
