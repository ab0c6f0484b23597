// RandomAccess with nothing but the job itself: what our ways of updating are held against.
#pragma once

#include "bench/micro/random_stream.h"
#include "runtime/base/status.h"

namespace woa::bench {

// All updates by one process, one after another, to memory of its own: nanoseconds. kExhausted: no memory. kDataLoss:
// the table was wrong afterwards.
Result<double> local_updates_ns(const RandomTable& table);

// Two processes with half of the table each. Each makes 1024 numbers, copies those that are the other's into a slot of
// the other's mailbox, applies its own, and applies what came: the number alone travels, since it also says where.
// Errors as race_ns(), and as above.
Result<double> raw_buckets_ns(const RandomTable& table);

}  // namespace woa::bench
