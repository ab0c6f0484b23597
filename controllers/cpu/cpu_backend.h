// Runs cpu variants: brief ones in the controller's own thread, long ones in a worker's, if there are any.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/cpu/kernel_runner.h"
#include "controllers/cpu/register.h"
#include "controllers/cpu/workers.h"
#include "runtime/controller/backend.h"

namespace woa {

class CpuBackend final : public Backend {
 public:
  // `workers`: firings that run at once; with one, all run in the controller's thread but those of isolated stages.
  // `options`: register.h.
  CpuBackend(DeviceDescription description, std::uint32_t workers, CpuOptions options = {});
  ~CpuBackend() override;  // blocks until the firings that run have ended; kills processes that run some
  CpuBackend(const CpuBackend&) = delete;
  CpuBackend& operator=(const CpuBackend&) = delete;

  const DeviceDescription& description() const noexcept override { return description_; }
  // Beside what Backend says, kExhausted: no memory for the scratch.
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  // kPeerLost, or the error of a kernel's library: the first worker process could not load the isolated stages.
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings) override;
  [[nodiscard]] RunsIn runs_in() const noexcept override { return workers_ ? RunsIn::kEither : RunsIn::kCall; }
  [[nodiscard]] Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override { return workers_ ? workers_->take_done(done) : 0; }

 private:
  DeviceDescription description_;
  const std::uint32_t most_;
  const CpuOptions options_;
  std::vector<LoadedStage> stages_;     // by number in the plan; `plan` is null for those of other controllers
  std::optional<Isolation> isolation_;  // if stages are isolated
  KernelRunner runner_;                 // of the controller's thread
  std::optional<Workers> workers_;      // last: their threads use the rest; none if none would have firings
};

}  // namespace woa
