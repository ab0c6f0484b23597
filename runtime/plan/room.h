// Room for instances in flight: the window of a plan and the blocks of its edges follow the workers that take its
// firings, which the compiler may not know.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

// Up to this size an edge has a block for each instance of the window: such blocks cost next to nothing.
inline constexpr std::uint64_t kSmallBlockBytes = 4096;

// Returns the workers of each controller; `all` where the plan leaves them to the node (kAllWorkers).
std::vector<std::uint32_t> workers_of(const Plan& plan, std::uint32_t all);

// Returns how many instances have a payload on an edge at once. More blocks would not help: each worker at either end
// fires one instance while another waits for it, and each end has one more under way. `for_all`: small blocks
// (kSmallBlockBytes), and outputs of the graph, which wait for those of earlier instances.
std::uint64_t instances_on_edge(std::uint64_t window, std::uint64_t workers_of_both_ends, bool for_all) noexcept;

// Returns how many blocks an edge may have: 64 GiB of them, and its share of the 255 GiB of an output with so many
// edges, which lie in one region.
std::uint64_t most_blocks(std::uint64_t block_bytes, std::uint64_t edges_of_output) noexcept;

// Raises window and blocks of a plan with Plan::raises_blocks. They were counted for the workers `from`, by controller,
// and are counted for `to` afterwards. The window becomes 32 instances for each worker of the controllers that have
// several, or isolated stages, if Plan::raises_window allows it; an edge gets instances_on_edge() x b(e) blocks. The
// plan stays valid: it gets less room where limits demand it. Nothing is lowered.
void raise_room(Plan& plan, const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to);
// Raises the window of a compiled plan to `window`, and the blocks with it, within the same limits.
void raise_window(Plan& plan, std::uint32_t window);

}  // namespace woa
