// Something for each instance in flight, as a table: the place of an instance is free again when it has retired.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace woa {

template <class T>
class ByInstance {
 public:
  ByInstance() = default;  // has no place
  // For a window of so many instances: at most so many, one after the other, are in flight.
  explicit ByInstance(std::uint32_t window)
      : mask_(std::bit_ceil(window) - 1), places_(std::make_unique<T[]>(std::size_t{mask_} + 1)) {}

  [[nodiscard]] T& operator[](std::uint64_t instance) noexcept { return places_[instance & mask_]; }
  [[nodiscard]] const T& operator[](std::uint64_t instance) const noexcept { return places_[instance & mask_]; }
  [[nodiscard]] std::span<T> all() noexcept { return {places_.get(), places_ == nullptr ? 0 : std::size_t{mask_} + 1}; }

 private:
  std::uint32_t mask_ = 0;
  std::unique_ptr<T[]> places_;
};

}  // namespace woa
