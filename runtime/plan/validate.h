// Shared by the parts of validate(). Private to runtime/plan.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/plan/plan.h"

namespace woa::validation {

// The packet's `offset` counts units of 64 bytes in 32 bits: 256 GiB.
inline constexpr std::uint64_t kMaxRegionBytes = 1ULL << 38;

// Checks texts that are shown: no control characters in names and kinds. Needs no other check before it.
Status validate_texts(const Plan& plan);

// Checks loops, edges and what they connect. Controllers and stages have passed.
Status validate_edges(const Plan& plan);

// Checks outputs that are written over an input's payload. Edges have passed.
Status validate_in_place(const Plan& plan);

// Checks edges that stay on a card. Outputs in place have passed.
Status validate_on_card(const Plan& plan);

// True if the bits are a field of the tag.
inline bool in_tag(std::uint32_t shift, std::uint32_t bits) { return bits >= 1 && bits <= 32 && shift <= 64 - bits; }

template <class... Parts>
Status broken(const Parts&... parts) {
  std::string text = "plan: ";
  (text.append(parts), ...);
  return {Code::kInvalid, std::move(text)};
}

inline std::string in_quotes(std::string_view name) { return std::string("'").append(name) + "'"; }

// Checks names of one kind in one place: none empty, no two alike.
template <class Items>
Status check_names(const Items& items, const std::string& what) {
  std::set<std::string_view> seen;
  for (const auto& item : items) {
    if (item.name.empty()) return broken(what, ": a name is empty");
    if (!seen.insert(item.name).second) return broken(what, ": the name ", in_quotes(item.name), " occurs twice");
  }
  return {};
}

}  // namespace woa::validation
