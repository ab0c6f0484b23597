// Which way the payloads of an edge go, by their size. One table says what there is between two ends; the plan's limit,
// the stages at the ends and the edge's largest payload choose from it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

struct Layout;

enum class TransferMethod : std::uint8_t {
  kInline,       // behind the header: copied from its block into the ring's place, and from there to the waiting token
  kInPlace,      // the kernel wrote it into a block that the consumer reads; nobody copies
  kByReference,  // a relay, or a kernel that wrote over its input, passes on the block that it was given; nobody copies
  kEager,        // written into the consumer's replica of the block, with the header, in one go
  kOnCard        // the device passes it from kernel to kernel by itself: no block, no packet
};
std::string_view to_string(TransferMethod method) noexcept;  // "inline", "in place", "by reference", "eager", "on-card"

// Where the two ends of an edge are to each other.
enum class Reach : std::uint8_t {
  kCard,        // joined on one device (EdgePlan::on_card)
  kController,  // both in one controller: no packet crosses
  kHost,        // two controllers that map the same blocks (loopback, shm)
  kReplicas     // two controllers that have a replica each (ofi)
};

// All that decides.
struct EdgeFacts {
  Reach reach = Reach::kHost;
  bool passed_on = false;                            // the writer is a relay, or wrote over its input
  bool needs_block = false;                          // inline is no way: see facts_of()
  std::uint64_t payload_bytes = 0;                   // of the largest payload, dimensions included
  std::uint32_t inline_bytes = kDefaultInlineBytes;  // the plan's limit
  bool operator==(const EdgeFacts&) const = default;
};
// `plan` has passed validate(). `replicas`: the edge's ends share no memory. A payload needs its block where a
// device at one end reads or writes packets itself, since these name blocks only; where a device publishes them, since
// it writes the payload after the host has written the packet; and where a relay reads it from a replica: what it
// passes on by reference must lie there.
EdgeFacts facts_of(const Plan& plan, std::uint32_t edge, bool replicas = false);
// The same of a run's layout, in which a kernel that may write over its input need not do so.
EdgeFacts facts_of(const Plan& plan, const Layout& layout, std::uint32_t edge);

// Payloads of `from_bytes` to `to_bytes`, both included.
struct MethodRange {
  TransferMethod method = TransferMethod::kInPlace;
  std::uint64_t from_bytes = 0, to_bytes = 0;
  bool operator==(const MethodRange&) const = default;
};

// The edge's methods by ascending size: the first range begins at 0, each begins behind the one before, and the last
// ends at the largest payload. (An empty payload is a header alone, whatever the method.)
std::vector<MethodRange> choose_methods(const EdgeFacts& facts);

// Up to how many bytes payloads of such an edge travel inline; 0: none do.
std::uint32_t inline_limit(const EdgeFacts& facts);

}  // namespace woa
