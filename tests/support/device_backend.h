// A device with memory of its own, played by C++ functions: payloads that stay there lie where nobody else finds them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
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
  // Bytes that a firing writes, by output. Ports that scatter are not here: their elements are written where they go.
  using Written = std::vector<std::vector<std::uint8_t>>;

  // Runs the firing's function, in the device's blocks and in memory that nobody else sees.
  Written run_unseen(Firing& firing) {
    Written written;
    std::vector<std::uint8_t*> blocks;
    for (std::size_t p = 0; p < firing.inputs.size(); ++p) firing.inputs[p].data = input_data(firing, p);
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
      written.emplace_back(firing.outputs[p].capacity);
      blocks.push_back(std::exchange(firing.outputs[p].data, output_data(firing, p, written)));
    }
    const StagePlan& stage = plan_->stages[firing.stage];
    functions_.at(stage.kernel)(firing, stage);
    for (std::size_t p = 0; p < firing.inputs.size(); ++p)
      if (is_in_device(firing.input_memory[p])) firing.inputs[p].data = nullptr;
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) firing.outputs[p].data = blocks[p];
    return written;
  }
  const std::uint8_t* input_data(const Firing& firing, std::size_t port) {
    return is_in_device(firing.input_memory[port]) ? memory_.at(firing.input_memory[port]) : firing.inputs[port].data;
  }
  // The data of an output after run_unseen().
  std::uint8_t* output_data(const Firing& firing, std::size_t port, Written& written) {
    return is_in_device(firing.output_memory[port]) ? memory_.at(firing.output_memory[port]) : written[port].data();
  }
  // Copies each output that host memory has there.
  void show(Firing& firing, Written& written) {
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
      const woa_output& output = firing.outputs[p];
      if (output.data == nullptr) continue;
      std::copy_n(output_data(firing, p, written), output.bytes, output.data);
      firing.output_memory[p].copied_bytes = output.bytes;
    }
  }

  Doorbell wakeup_;

 private:
  const Functions& functions_;
  DeviceMemory memory_;
  const DeviceDescription description_;
  const Plan* plan_ = nullptr;
};

class DeviceBackend final : public WithDeviceMemory {
 public:
  explicit DeviceBackend(const Functions& functions)
      : WithDeviceMemory(functions, {"function", "C++ functions with memory of their own", false, "host", "none"}) {}
  Start start(Firing& firing) noexcept override {
    Written written = run_unseen(firing);
    show(firing, written);
    for (std::size_t p = 0; p < firing.inputs.size(); ++p)
      if (!is_in_device(firing.input_memory[p])) firing.input_memory[p].copied_bytes = firing.inputs[p].bytes;
    return Start::kCompleted;
  }
  std::size_t poll(std::span<Firing*>) noexcept override { return 0; }
};

}  // namespace woa::test
