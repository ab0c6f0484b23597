// Costs, and their text in messages.
#pragma once

#include <cstdint>
#include <string>

namespace woa {

// Picoseconds, or the units of a resource. All arithmetic is exact.
using Cost = std::int64_t;
__extension__ using Sum = __int128;
inline constexpr Cost kMostCost = Cost{1} << 50;  // of one entry: 18 minutes

// "20.0325 ms": six digits, as values of placements are shown everywhere.
std::string time_text(Sum ps);

// "20032500ns" or "10ms": rounded up to whole ns.
std::string option_text(Sum ps);

}  // namespace woa
