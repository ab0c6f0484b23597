// Runs cuda variants on one CUDA device: by queues, which overlap the transfers of one firing with the kernel of
// another, and by resident workers. The device publishes what its firings send. Firings whose payloads stay in the
// device are ordered: their readers are started before they have run.
//
// A device error ends everything that is under way, and the controller with it.
#pragma once

#include <memory>

#include "controllers/gpu/cuda/devices.h"
#include "runtime/controller/backend.h"

namespace woa {

class CudaBackend final : public Backend {
 public:
  // `connections`: hardware queues of the device that the process has.
  CudaBackend(const cuda::Library& cuda, CudaDevice device, std::uint32_t queues, std::uint32_t connections);
  // A kernel that has not ended after 5 s is left to the driver, with all memory that it may use: the end of the
  // process stops it.
  ~CudaBackend() override;

  const DeviceDescription& description() const noexcept override;
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  Status allocate(std::span<const DeviceRegion> regions) override;
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings) override;
  [[nodiscard]] Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace woa
