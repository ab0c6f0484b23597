// The pipeline as a plain program writes it: a process for each stage, which blocks in read() and write().
#pragma once

#include <cstdint>

#include "bench/micro/blocking_link.h"
#include "runtime/base/status.h"

namespace woa::bench {

struct BlockingPipeline {
  BlockingWay way = BlockingWay::kPipe;
  std::uint64_t size = 0;     // bytes of an item, at least 2
  std::uint32_t window = 1;   // items under way at most
  std::uint32_t workers = 3;  // in a row; source and sink are this process
};

// Nanoseconds for `items` items, after a warm-up. The system chooses the processors. Every worker reads an item whole,
// adds one to its first and its last byte, and writes it on; this process checks that all did. kUnavailable,
// kExhausted: the system refuses a process, a thread or a descriptor. kPeerLost: a worker ended early. kDataLoss: an
// item came back wrong.
Result<double> blocking_pipeline_ns(const BlockingPipeline& pipeline, std::uint64_t items);

}  // namespace woa::bench
