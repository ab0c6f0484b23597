// Runs opencl variants on one OpenCL device. Queues overlap the transfers of one firing with the kernel of another.
// Firings whose payloads stay in the device are ordered: their readers are started before they have run.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "controllers/gpu/opencl/device_blocks.h"
#include "controllers/gpu/opencl/device_program.h"
#include "controllers/gpu/opencl/devices.h"
#include "controllers/gpu/opencl/opencl_queue.h"
#include "runtime/controller/backend.h"

namespace woa {

class OpenClBackend final : public Backend {
 public:
  OpenClBackend(const OpenCl& cl, OpenClDevice device, std::uint32_t queues);

  const DeviceDescription& description() const noexcept override { return device_.description; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  Status allocate(std::span<const DeviceRegion> regions) override;
  [[nodiscard]] Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override;

 private:
  const OpenCl& cl_;
  const OpenClDevice device_;
  const std::uint32_t queue_count_;
  ClOwned<cl_context> context_;
  std::size_t running_ = 0, most_running_ = 0;  // firings
  std::vector<DeviceProgram> programs_;         // by number in the plan; empty for stages of other controllers
  DeviceBlocks blocks_;
  std::deque<OpenClQueue> queues_;  // last: its commands use the rest
};

}  // namespace woa
