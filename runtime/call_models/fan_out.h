// Fan-out between sites as a rewrite of the plan: an output with readers on several other sites goes to some of them,
// who pass it on to the rest. The rewrite follows the choice of sites and precedes the layout
// (docs/adr/0022-fan-out-trees.md).
//
// A controller that passes payloads on gets a relay stage. It hands the token by reference to the readers there, and to
// those of its site; for its children it writes the payload from its own site's replica of the block. Every controller
// receives the payload once, as without a tree, and no output sends more packets.
//
// The shape. Two sites exchange s bytes in s/B + L; a sender may begin the next packet after s/B. Each reader in turn
// is served by the sender that can begin first: the writer, or a receiver of the payload. No tree serves the last
// reader sooner (the postal model; Bar-Noy and Kipnis, "Designing broadcasting algorithms in the postal model for
// message passing systems", 1992). If L is much longer than n packets take, the writer sends n times, n s/B + L; if L
// is 0, the tree is binomial, with ceil(log2(n + 1)) rounds. The plan knows only the largest payload of an output: that
// is s.
#pragma once

#include <cstdint>

#include "runtime/plan/plan.h"
#include "runtime/plan/sites.h"

namespace woa {

enum class FanOut : std::uint8_t {
  kAuto,  // by the costs below
  kFlat,  // never: the writer sends to every reader
  kTree   // as if L were 0: from three sites on a binomial tree
};

// L x B: bytes that a sender could write while a packet is on the way. 6.9 us and 4 GB/s between two processes over
// libfabric (docs/performance-log.md); 25 us and 10 Gbit/s between two hosts give about the same.
inline constexpr std::uint64_t kBytesPerLatency = 28 << 10;
// Latency of a token between two controllers of a site, in bytes that the slower path between sites carries meanwhile.
inline constexpr std::uint64_t kBytesPerHop = 4 << 10;

// `plan` has passed validate(). Left unchanged: outputs within a site; outputs with an edge that is held, takes a loop
// or has b(e) above 1, or that reach one controller by several lanes; and plans of call models other than woa, whose
// routes are the model's. Stages, loops and controllers keep their numbers, and relays follow them; edges are
// renumbered. The result may be too large for validate(); otherwise it is valid.
Plan fan_out_by_tree(const Plan& plan, const Sites& sites, FanOut how);

}  // namespace woa
