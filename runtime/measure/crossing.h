// The size at which two ways of doing the same job cross.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace woa::measure {

// Times of a job of that size by the way for small sizes and by the way for large ones; both above 0.
struct TwoWays {
  std::uint64_t size = 0;
  double small_way = 0, large_way = 0;
};

// The largest measured size that should go the way for small ones; 0: none should. The choice minimises the sum of
// log(chosen / better way) over all sizes, so that a single figure that is off does not decide. Choices within 2 % of
// one size count as equal; the smallest wins. `by_size`: ascending.
std::uint64_t crossing(std::span<const TwoWays> by_size);

// Times of a job of that size, by round; each at least one, and as many of either way.
struct TwoWaysRepeated {
  std::uint64_t size = 0;
  std::vector<double> small_way, large_way;
};

// The smaller of the crossings of the medians and of the least times, lowered to a size at which the small way is
// quicker in three quarters of the rounds. Load moves medians, and one quick round moves the least time: a limit that
// only one of them shows, or that half of the rounds contradict, is noise. A limit that is too small costs little,
// since near the crossing both ways take as long.
std::uint64_t steady_crossing(std::span<const TwoWaysRepeated> by_size);

}  // namespace woa::measure
