// Where two ways of doing the same job cross.
#pragma once

#include <cstdint>
#include <span>

namespace woa::bench {

// What a job of that size takes in the way that is for small ones and in the way that is for large ones; both above 0.
struct TwoWays {
  std::uint64_t size = 0;
  double small_way = 0, large_way = 0;
};

// Up to which of the measured sizes the way for small ones is to be taken; 0: never. The choice loses least against the
// better way of each size (the sum over all sizes of the logarithm of chosen by better), so that a single figure that
// is off does not decide. Of choices that are as good within 2 % of one size, the smallest. `by_size`: ascending.
std::uint64_t crossing(std::span<const TwoWays> by_size);

}  // namespace woa::bench
