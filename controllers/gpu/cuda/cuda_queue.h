// Runs firings on a CUDA stream of its own, one after the other: inputs over, kernel, outputs back, publications,
// completion. Payloads that stay in the device are not moved; a firing waits there for those that wrote them, on
// whatever queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/gpu/cuda/counting_stream.h"
#include "controllers/gpu/cuda/cuda_stage.h"
#include "controllers/gpu/cuda/device_blocks.h"
#include "controllers/gpu/cuda/firing_memory.h"
#include "controllers/gpu/cuda/firings_under_way.h"
#include "controllers/gpu/cuda/kernel_clock.h"
#include "controllers/gpu/cuda/mapped_memory.h"
#include "controllers/gpu/cuda/publishing_rings.h"
#include "runtime/controller/layout.h"

namespace woa {

// The needs of queues that run any firing of their stages: the largest of each.
struct QueueNeeds {
  std::size_t words = 0, ports = 0;
  std::size_t memory_bytes = 0;   // of host and device, for a firing's small payloads
  std::size_t scratch_bytes = 0;  // of the device, for its large ones
  std::size_t staged_bytes = 0;   // of host and device, for large ones that lie in memory that is not registered
  std::size_t copies = 0;

  void include(const CudaStage& stage, const Layout& layout);
};

// All of it outlives the queues.
struct QueueSetup {
  const CudaContext& context;
  const WordStore& store;
  const MappedMemory& mapped;
  CudaBlocks& blocks;
  PublishingRings& rings;
  DriverCalls& calls;
};

class CudaQueue {
 public:
  // `under_way` is of this queue alone, and outlives the context: threads of the driver have addresses there.
  CudaQueue(const QueueSetup& setup, FiringsUnderWay& under_way, std::uint32_t number)
      : setup_(setup), under_way_(under_way), number_(number) {}
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  // Takes all memory, for `launches` firings at a time. kExhausted: no room.
  Status open(const QueueNeeds& needs, std::size_t launches);
  // Makes room in all launches for marks in so many rings.
  void reserve_marks(std::size_t rings) { under_way_.reserve(launches_, rings + 1, needs_.copies); }

  [[nodiscard]] FiringsUnderWay& under_way() noexcept { return under_way_; }
  [[nodiscard]] CountingStream& stream() noexcept { return stream_; }
  // Starts a firing, whose outputs have sizes; there is room. An error is the device's: it does nothing more, and the
  // firing is under way all the same.
  Status start(const CudaStage& stage, Firing& firing, std::uint64_t order) noexcept;
  // The oldest firing has completed.
  [[nodiscard]] bool has_done() noexcept;
  // Ends the oldest firing and returns it; null if it has not completed.
  Firing* finish() noexcept;

 private:
  Status enqueue(const CudaStage& stage, Launch& launch);
  Status send_input(const woa_input& input, PortMemory& memory, Launch& launch, FiringMemory& own);
  Status launch_kernel(const CudaStage& stage, const Firing& firing);
  Status place_output(const woa_output& output, const PortMemory& memory, FiringMemory& own);
  Status receive_output(std::size_t port, const woa_output& output, PortMemory& memory, Launch& launch);
  Status announce(Launch& launch);
  Status copy_by_host(Launch& launch, std::byte* to, const std::byte* from, std::size_t bytes);
  Status copy_staged(Launch& launch, cuda::DevicePtr device, std::byte* host, std::size_t bytes, bool to_device);
  cuda::DevicePtr take_scratch(std::size_t bytes) noexcept;

  const QueueSetup setup_;
  FiringsUnderWay& under_way_;
  const std::uint32_t number_;
  QueueNeeds needs_;
  std::size_t launches_ = 0;
  std::vector<KernelClock> clocks_;  // by place of the launch
  PinnedMemory counter_, memory_, staging_;
  DeviceMemory scratch_;  // commands run in order, so the firings share it, and `staging_`
  std::size_t scratch_used_ = 0;
  CudaOwned<cuda::Event> ready_{nullptr, nullptr};  // the firing that was started last: all but its publications
  CountingStream stream_;
  // Scratch of start(), for its firing.
  std::vector<std::uint64_t> words_;
  std::vector<cuda::DevicePtr> ports_;
  std::vector<std::byte*> own_outputs_;  // in its FiringMemory, or null
};

}  // namespace woa
