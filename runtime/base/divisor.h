// Division by a number known at start: a multiplication instead, on paths where a division would cost time.
//
// Exact for every 32-bit dividend (Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019, section 3).
#pragma once

#include <cstdint>

namespace woa {

class Divisor {
 public:
  // `divisor` is not 0.
  explicit constexpr Divisor(std::uint32_t divisor) noexcept
      : divisor_(divisor), inverse_(divisor == 1 ? 0 : ~std::uint64_t{0} / divisor + 1) {}

  [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t dividend) const noexcept {
    __extension__ using Wide = unsigned __int128;
    return divisor_ == 1 ? dividend : static_cast<std::uint32_t>((static_cast<Wide>(inverse_) * dividend) >> 64);
  }
  [[nodiscard]] constexpr std::uint32_t value() const noexcept { return divisor_; }

 private:
  std::uint32_t divisor_;
  std::uint64_t inverse_;  // of the divisor, scaled by 2^64 and rounded up; 1 has none
};

}  // namespace woa
