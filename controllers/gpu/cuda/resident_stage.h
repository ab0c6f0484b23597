// A stage whose firings a resident worker takes: its regions are registered, and nothing of it lies in the device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/gpu/cuda/cuda_stage.h"
#include "controllers/gpu/cuda/firings_under_way.h"
#include "controllers/gpu/cuda/mapped_memory.h"
#include "controllers/gpu/cuda/resident_worker.h"
#include "runtime/plan/plan.h"

namespace woa {

class ResidentStage {
 public:
  // For a stage that may have a worker. `stage` and `mapped` outlive it. `number`: of the agent, for traces.
  // kExhausted: no memory.
  static Result<std::unique_ptr<ResidentStage>> make(const CudaContext& context, const CudaStage& stage,
                                                     const MappedMemory& mapped, const Plan& plan,
                                                     std::uint32_t number);

  [[nodiscard]] FiringsUnderWay& under_way() noexcept { return under_way_; }
  [[nodiscard]] bool full() const noexcept { return under_way_.full() || !worker_->has_room(); }
  // start() and finish() do what CudaQueue's do.
  Status start(Firing& firing, std::uint64_t order) noexcept;
  Firing* finish() noexcept;
  // The worker has done firings that finish() has not told of. Any thread; calls no driver.
  [[nodiscard]] bool has_done() const noexcept { return worker_->done() > finished_.load(std::memory_order_relaxed); }
  [[nodiscard]] ResidentWorker& worker() noexcept { return *worker_; }

 private:
  ResidentStage(const CudaStage& stage, const MappedMemory& mapped, std::uint32_t number)
      : stage_(stage), mapped_(mapped), number_(number) {}
  Status submit(Firing& firing) noexcept;

  const CudaStage& stage_;
  const MappedMemory& mapped_;
  const std::uint32_t number_;
  std::unique_ptr<ResidentWorker> worker_;
  FiringsUnderWay under_way_;
  std::atomic<std::uint64_t> finished_{0};
  std::uint64_t last_ended_ns_ = 0;
  // Scratch of start(), for its firing.
  std::vector<std::uint64_t> words_;
  std::vector<cuda::DevicePtr> ports_;
  std::vector<std::uint32_t> rings_;
  std::vector<DevicePublication> publications_;
};

}  // namespace woa
