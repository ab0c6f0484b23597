// A kernel of one block that stays on the device and takes the firings of one stage from a ring in host memory: no
// launch, no copy and no call of the driver for each. Protocol: kernels/woa_cuda.h. Why:
// docs/adr/0060-resident-workers.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "controllers/gpu/cuda/context.h"
#include "controllers/gpu/cuda/firing_memory.h"
#include "kernels/woa_cuda.h"
#include "runtime/base/status.h"

namespace woa {

// The store that publishes a packet, as the device makes it.
struct DevicePublication {
  cuda::DevicePtr word = 0;
  std::uint64_t value = 0;
  bool behind = false;  // the publication before it, of the same firing, must be visible first: they share a ring
};

struct WorkerShape {
  std::uint32_t words = 0;  // of a firing, as the kernel's module says
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::uint32_t firings = 1;       // at a time
  std::uint32_t memory_bytes = 0;  // of a slot's memory for payloads
};

// Used by the thread that has made the context current; never moves. From the first submit() until its end a kernel may
// run in the context: then nobody may allocate, free, register, load or synchronise there, which could wait for it.
class ResidentWorker {
 public:
  static constexpr std::size_t kMostPublications = WOA_CUDA_MOST_PUBLICATIONS;  // of one firing
  // Takes pinned memory and a stream. `context` and `entry` outlive the worker. kExhausted: no memory, with the
  // size that was asked for.
  static Result<std::unique_ptr<ResidentWorker>> make(const CudaContext& context, cuda::Function entry,
                                                      const WorkerShape& shape);
  ~ResidentWorker();  // after the kernel's end; a kernel that has not left keeps its memory until the process ends
  ResidentWorker(const ResidentWorker&) = delete;
  ResidentWorker& operator=(const ResidentWorker&) = delete;

  [[nodiscard]] bool has_room() const noexcept { return submitted_ - done() < slots_; }
  // For payloads of the next firing; the caller's until submit(), and the device's until that firing is done.
  [[nodiscard]] FiringMemory slot_memory() const noexcept;
  // Hands over the next firing, and launches the kernel if it has left. `words` and `publications` are copied. Not
  // while there is no room, nor more than kMostPublications. An error is of the driver: the device gets no more
  // firings.
  Status submit(std::span<const std::uint64_t> words, std::span<const DevicePublication> publications) noexcept;
  // How many firings the kernel has completed, in the order of submit(). Calls no driver. The publications of the last
  // ones may become visible a little later than this: whoever reports a completion looks at their words, too.
  [[nodiscard]] std::uint64_t done() const noexcept;
  // Asks the kernel to leave when it has no firing. It has ended when nothing is on the stream any more.
  void stop() noexcept;
  [[nodiscard]] cuda::Stream stream() const noexcept { return stream_.get(); }

 private:
  ResidentWorker(const CudaContext& context, cuda::Function entry, const WorkerShape& shape);
  Status open();
  Status launch() noexcept;
  [[nodiscard]] std::size_t slot(std::uint64_t firing) const noexcept;                   // its place in memory_
  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::size_t offset) const noexcept;  // of woa_worker_control
  [[nodiscard]] bool has_left() const noexcept;

  const CudaContext& context_;
  const cuda::Function entry_;
  const WorkerShape shape_;
  const std::uint64_t slots_;  // a power of two
  const std::size_t memory_offset_, slot_bytes_;
  PinnedMemory memory_;  // control, then the ring
  CudaOwned<cuda::Stream> stream_{nullptr, nullptr};
  std::uint64_t submitted_ = 0, epoch_ = 0;
};

}  // namespace woa
