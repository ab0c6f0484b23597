// RandomAccess with nothing but the job itself: the limits of our ways of updating.
#pragma once

#include "bench/micro/random_stream.h"
#include "runtime/base/status.h"

namespace woa::bench {

// Nanoseconds for all updates by one process, one after another, in its own memory. kExhausted: no memory. kDataLoss:
// the table was wrong afterwards.
Result<double> local_updates_ns(const RandomTable& table);

// Two processes with half of the table each. Each makes 1024 numbers, copies those that are the other's into a slot of
// the other's mailbox, applies its own, and applies what came: the number alone travels, since it also gives the place.
// Errors: as race_ns() and local_updates_ns().
Result<double> raw_buckets_ns(const RandomTable& table);

}  // namespace woa::bench
