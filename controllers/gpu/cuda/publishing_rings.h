// The rings whose packets a CUDA device publishes, each with a stream of its own: a ring's packets go out in the order
// of the starts, whatever queue their firings run on.
#pragma once

#include <cstdint>
#include <deque>

#include "controllers/gpu/cuda/counting_stream.h"
#include "controllers/gpu/cuda/firings_under_way.h"
#include "controllers/gpu/cuda/mapped_memory.h"

namespace woa {

class PublishingRings {
 public:
  // All of them outlive this.
  Status open(const CudaContext& context, const MappedMemory& mapped, const WordStore& store, DriverCalls& calls);
  // Publishes what the launch's firing shall, when `ready` has happened, and marks the end of that in each ring. Leaves
  // the launch without marks if the device publishes nothing of it. After an error, marks are left that no stream
  // reaches: what is missing is not taken for done.
  Status publish(Launch& launch, cuda::Event ready) noexcept;
  [[nodiscard]] std::deque<CountingStream>& streams() noexcept { return streams_; }

 private:
  const MappedMemory* mapped_ = nullptr;
  PinnedMemory counters_;
  std::deque<CountingStream> streams_;  // by number of the ring
};

}  // namespace woa
