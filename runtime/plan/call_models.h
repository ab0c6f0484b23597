// The call models, and how they differ (docs/call-models.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace woa {

struct CallModel {
  std::string_view name;
  bool by_host = false;     // a caller on the host passes tokens on; else they go straight to their readers
  bool fused = false;       // by_host: but tokens between stages of one controller stay there, and counts go straight
  bool nested = false;      // tokens are calls that return, and the graph's outputs ride on returns
  bool polled = false;      // by_host: results wait until the caller, who polls, asks for them
  std::uint32_t edges = 2;  // the most that one edge of a graph becomes; any plan may run by way of the host
  constexpr operator std::string_view() const noexcept { return name; }
};

// In the order in which they send more.
inline constexpr CallModel kCallModels[] = {
    {.name = "woa"},
    {.name = "rpc-fused", .by_host = true, .fused = true},
    {.name = "rpc-hub", .by_host = true},
    // Two more edges: a return, and the outputs beside it.
    {.name = "rpc-nested", .nested = true, .edges = 4},
    // Four more edges: a waiting result, its request, a poll and the answer.
    {.name = "rpc-polled", .by_host = true, .polled = true, .edges = 6},
};
inline constexpr std::string_view kWoa = kCallModels[0].name;  // forwards: has no calls

// Returns of nested calls have a lane of their own, since a device that writes its own packets numbers those of its
// sending channels. Nothing else is in it: that they come one after the other depends on it.
inline constexpr std::string_view kReturnLane = "return";

// The model of that name; `woa` if there is none.
constexpr const CallModel& call_model(std::string_view name) noexcept {
  const CallModel* const found = std::ranges::find(kCallModels, name, &CallModel::name);
  return found == std::end(kCallModels) ? kCallModels[0] : *found;
}

}  // namespace woa
