// What every launch of RandomAccess does before and after its clock runs.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "bench/micro/random_stream.h"
#include "runtime/base/status.h"

namespace woa::bench {

// Maps every page of `memory` into this process. Always true.
inline bool touch_pages(std::span<const std::byte> memory) noexcept {
  constexpr std::size_t kPage = 4096;
  const volatile std::byte* bytes = memory.data();
  for (std::size_t at = 0; at < memory.size(); at += kPage) (void)bytes[at];
  return true;
}

// kDataLoss: updates were lost or done twice.
inline Status check_table(const RandomTable& table, const std::array<std::span<std::uint64_t>, 2>& parts) {
  const std::uint64_t wrong = wrong_words(table, parts[0], parts[1]);
  if (wrong == 0) return {};
  return {Code::kDataLoss, "RandomAccess: " + std::to_string(wrong) + " of " + std::to_string(table.words) +
                               " words are wrong after the updates were done again; expected none"};
}

}  // namespace woa::bench
