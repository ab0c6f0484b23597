// RandomAccess by one-sided updates (runtime/messaging/onesided).
#pragma once

#include "bench/micro/random_stream.h"
#include "runtime/messaging/onesided/update.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

// Nanoseconds for all updates of `table`; each of two processes owns and makes half of them. Errors: as race_ns();
// kUnsupported: the transport's memory does not cross processes; kDataLoss: the table was wrong afterwards.
//
// Sends a packet for every update of the other's half; updates its own half in place.
Result<double> naive_updates_ns(SharedMemory& transport, const RandomTable& table);
// Fills a bucket per half, its own too, and sends both after every 1024 numbers.
Result<double> aggregated_updates_ns(SharedMemory& transport, const RandomTable& table);
// Uses the processor's atomics on both halves.
Result<double> hardware_updates_ns(SharedMemory& transport, const RandomTable& table);

// The update that a number makes in its owner's part.
inline onesided::Update exclusive_or(const RandomTable& table, std::uint64_t number) noexcept {
  return onesided::accumulate<std::uint64_t>(onesided::Operation::kXor, table.index_of(number) * sizeof(number),
                                             number);
}

// Ring slots of the naive way, and of the bare headers that are its limit.
inline constexpr std::uint32_t kNaiveRingSlots = kLookAhead;

}  // namespace woa::bench
