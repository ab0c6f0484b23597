// The physical limit of a pipeline: three workers and a client in processes of their own, raw mailboxes between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/status.h"

namespace woa::bench {

enum class Route : std::uint8_t {
  kForward,  // client -> A -> B -> C -> client: 4 messages
  kHub       // client -> A -> client -> B -> client -> C -> client: 6 messages, as a caller of three servers sends
};
enum class Carried : std::uint8_t {
  kPayload,  // every message copies it into its reader's mailbox
  kIndex     // it stays in a pool that all share, messages carry its number
};

// Processors of the client and of A, B and C.
using PipelineCores = std::array<std::size_t, 4>;

struct RawPipeline {
  Route route = Route::kForward;
  Carried carried = Carried::kPayload;
  std::uint64_t size = 0;    // bytes of a payload, at least 2
  std::uint32_t window = 1;  // items under way at most
  PipelineCores cores{0, 1, 0, 1};
};

// Nanoseconds for `items` items, after a warm-up. Whoever waits polls, then yields. Every worker changes the first and
// the last byte, and the client checks that all three did. kUnavailable, kExhausted: as raw_mailbox_ns(). kPeerLost: a
// worker ended early. kDataLoss: an item came back wrong.
Result<double> raw_pipeline_ns(const RawPipeline& pipeline, std::uint64_t items);

}  // namespace woa::bench
