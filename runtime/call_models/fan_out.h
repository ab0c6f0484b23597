// Fan-out between sites as a rewrite of the plan: an output that readers of several other sites want goes to some of
// them, who pass it on to the rest. Decided when the sites are known, before the layout
// (docs/adr/0022-fan-out-trees.md).
//
// A reader's controller that passes on gets a relay stage. It hands the token to the readers there, and to those of its
// site, by reference; to its children it writes the payload from this site's own replica of the block. Every controller
// receives the payload once, as without a tree, and no output has more packets.
//
// The shape. Two sites exchange s bytes in s/B + L; a sender may begin the next packet after s/B. Each reader in turn
// is sent to by whoever can begin first, be it the writer or one that has the payload already: no tree has the last
// reader served sooner (the postal model; Bar-Noy and Kipnis, "Designing broadcasting algorithms in the postal model
// for message passing systems", 1992). Where L is much longer than n packets take, that is the writer sending n times,
// n s/B + L; where L is nothing, it is a binomial tree of ceil(log2(n + 1)) rounds, in each of which everybody sends
// who has it. s is the output's largest payload: the plan knows no better.
#pragma once

#include <cstdint>

#include "runtime/plan/plan.h"
#include "runtime/plan/sites.h"

namespace woa {

enum class FanOut : std::uint8_t {
  kAuto,  // as the costs below say
  kFlat,  // never: the writer sends to every reader itself
  kTree   // as if packets took no time on the way: from three sites on a binomial tree
};

// L x B: bytes that a sender could have written in the time that a packet is on the way. 6.9 us and 4 GB/s between two
// processes over libfabric (docs/performance.md); 25 us and 10 Gbit/s between two hosts come to about the same.
inline constexpr std::uint64_t kBytesPerLatency = 28 << 10;
// The same for what a token takes from one controller of a site to another, in bytes of the slower way between sites.
inline constexpr std::uint64_t kBytesPerHop = 4 << 10;

// `plan` has passed validate(). Left as they are: outputs within a site; those with an edge that is held, takes a loop
// or has b(e) above 1, or that comes to one controller by several lanes; and plans of other call models than woa, whose
// routes are the model's. Stages, loops and controllers keep their numbers, relays come behind; edges do not. The
// result may be too large for validate(), and is otherwise valid.
Plan fan_out_by_tree(const Plan& plan, const Sites& sites, FanOut how);

}  // namespace woa
