// A device with memory of its own, played by C++ functions: payloads that stay there lie where nobody else finds them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tests/support/chain_plan.h"
#include "tests/support/function_backend.h"

namespace woa::test {

// What its plans say of it.
inline constexpr BackendTraits kDeviceTraits{.memory = MemoryKind::kExtDev};

inline bool is_in_device(const PortMemory& port) noexcept { return port.memory == kDeviceTraits.memory; }
// All controllers but the host are such devices.
inline Plan with_device(Plan plan) {
  for (std::size_t c = 1; c < plan.controllers.size(); ++c) plan.controllers[c].traits = kDeviceTraits;
  return plan;
}
// A chain on one device.
inline Plan device_chain(std::uint32_t stages, const std::string& kernel = "append") {
  return with_device(chain_plan(stages, kernel, 1));
}

// The blocks of the device.
class DeviceMemory {
 public:
  void add(const DeviceRegion& region) {
    regions_[region.number] = {region.block_bytes, std::vector<std::uint8_t>(region.blocks * region.block_bytes)};
  }
  std::uint8_t* at(const PortMemory& port) {
    Region& region = regions_.at(port.region);
    return &region.bytes.at(port.block * region.block_bytes);
  }

 private:
  struct Region {
    std::uint64_t block_bytes = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::map<std::uint16_t, Region> regions_;
};

// What all such devices have in common.
class WithDeviceMemory : public Backend {
 public:
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override {
    plan_ = &plan;
    wakeup_ = wakeup;
    return find_functions(functions_, stages);
  }
  Status allocate(std::span<const DeviceRegion> regions) override {
    for (const DeviceRegion& region : regions) memory_.add(region);
    return {};
  }

 protected:
  WithDeviceMemory(const Functions& functions, DeviceDescription description)
      : functions_(functions), description_(std::move(description)) {}
  // Runs the firing's function on what its views show.
  void run(Firing& firing) const {
    const StagePlan& stage = plan_->stages[firing.stage];
    functions_.at(stage.kernel)(firing, stage);
  }

  Doorbell wakeup_;
  DeviceMemory memory_;

 private:
  const Functions& functions_;
  const DeviceDescription description_;
  const Plan* plan_ = nullptr;
};

class DeviceBackend final : public WithDeviceMemory {
 public:
  explicit DeviceBackend(const Functions& functions)
      : WithDeviceMemory(functions, {"function", "C++ functions with memory of their own", false, "host", "none"}) {}
  Start start(Firing& firing) noexcept override {
    std::vector<std::uint8_t*> blocks;  // of the outputs in host memory
    for (const woa_output& output : firing.outputs) blocks.push_back(output.data);
    each_port(firing, [&](auto& view, const PortMemory& at) { view.data = memory_.at(at); });
    run(firing);
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
      woa_output& output = firing.outputs[p];
      if (blocks[p] == nullptr) continue;
      if (output.data != blocks[p]) std::copy_n(output.data, output.bytes, blocks[p]);
      firing.output_memory[p].copied_bytes = output.bytes;
    }
    each_port(firing, [](auto& view, const PortMemory&) { view.data = nullptr; });
    for (std::size_t p = 0; p < firing.inputs.size(); ++p)
      if (!is_in_device(firing.input_memory[p])) firing.input_memory[p].copied_bytes = firing.inputs[p].bytes;
    return Start::kCompleted;
  }
  std::size_t poll(std::span<Firing*>) noexcept override { return 0; }

 private:
  // Calls back for the ports whose data lie in the device.
  template <class Do>
  static void each_port(Firing& firing, const Do& act) {
    for (std::size_t p = 0; p < firing.inputs.size(); ++p)
      if (is_in_device(firing.input_memory[p])) act(firing.inputs[p], firing.input_memory[p]);
    for (std::size_t p = 0; p < firing.outputs.size(); ++p)
      if (is_in_device(firing.output_memory[p])) act(firing.outputs[p], firing.output_memory[p]);
  }
};

}  // namespace woa::test
