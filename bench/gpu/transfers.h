// Copies between a GPU and memory of another process, as our back-end registers it.
#pragma once

#include <cstdint>

#include "bench/gpu/own_process.h"
#include "bench/gpu/random_payloads.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

// Microseconds of a transfer of `bytes` to the GPU, and of one to the host, by events of the device around `count` of
// them in a row. The bytes are checked. The driver pins the
// memory of the first function.
Result<Figures> pinned_transfer_us(std::uint64_t bytes, std::uint64_t count);
// The segments are of another process, which filled `from` with payload 0. The device reads that and writes `to`.
Result<Figures> segment_transfer_us(SharedSegment& from, SharedSegment& to, const RandomPayloads& payloads,
                                    std::uint64_t count);

}  // namespace woa::bench
