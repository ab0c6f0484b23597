// RandomAccess by one-sided updates (runtime/messaging/onesided).
#pragma once

#include "bench/micro/random_stream.h"
#include "runtime/messaging/onesided/update.h"
#include "runtime/transport/transport.h"

namespace woa::bench {

// Nanoseconds for all updates of `table`, half of which each of two processes owns and makes. Errors as race_ns();
// kUnsupported: the transport's memory does not cross processes; kDataLoss: the table was wrong afterwards.
//
// A packet for every update of the other's half; the own half is updated where it lies.
Result<double> naive_updates_ns(Transport& transport, const RandomTable& table);
// A bucket per half, the own one's too, and both are sent after every 1024 numbers.
Result<double> aggregated_updates_ns(Transport& transport, const RandomTable& table);
// The processor's atomics on both halves.
Result<double> hardware_updates_ns(Transport& transport, const RandomTable& table);

// What a number does to the part of its owner.
inline onesided::Update exclusive_or(const RandomTable& table, std::uint64_t number) noexcept {
  return onesided::accumulate<std::uint64_t>(onesided::Operation::kXor, table.index_of(number) * sizeof(number),
                                             number);
}

// Ring of the naive way, and of the bare headers that it is held against.
inline constexpr std::uint32_t kNaiveRingSlots = kLookAhead;

}  // namespace woa::bench
