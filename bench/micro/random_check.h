// Work of every launch of RandomAccess before and after its clock runs.
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

// kDataLoss: updates of the part of `process` were lost or done twice.
inline Status check_part(const RandomTable& table, std::span<std::uint64_t> part, std::uint64_t process) {
  const std::uint64_t wrong = wrong_words(table, part, process);
  if (wrong == 0) return {};
  return {Code::kDataLoss, "RandomAccess: " + std::to_string(wrong) + " of " + std::to_string(table.part_words()) +
                               " words of process " + std::to_string(process) +
                               " are wrong after the updates were done again; expected none"};
}
inline Status check_table(const RandomTable& table, const std::array<std::span<std::uint64_t>, 2>& parts) {
  WOA_RETURN_IF_ERROR(check_part(table, parts[0], 0));
  return check_part(table, parts[1], 1);
}

}  // namespace woa::bench
