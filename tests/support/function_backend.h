// A back-end whose kernels are C++ functions, found by the stage's kernel name. The smallest real one: clone it to
// write another.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa::test {

// Reads firing.inputs, fills firing.outputs, may set firing.code and firing.message.
using Function = std::function<void(Firing&, const StagePlan&)>;
using Functions = std::map<std::string, Function>;

inline void write(Firing& firing, std::uint32_t port, const std::string& text) {
  std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), firing.outputs[port].block.begin());
  firing.outputs[port].payload_bytes = text.size();
  firing.outputs[port].written = true;
}
// The next element of a port that starts a scatter.
inline void write_element(Firing& firing, std::uint32_t port, const std::string& text) {
  FiringOutput& output = firing.outputs[port];
  FiringOutput& element = output.elements[output.count++];
  std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), element.block.begin());
  element.payload_bytes = text.size();
  element.written = true;
}
inline std::string read(const Firing& firing, std::uint32_t port) {
  const auto payload = firing.inputs[port].payload;
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}
inline std::string read_element(const Firing& firing, std::uint32_t port, std::size_t element) {
  const auto payload = firing.inputs[port].elements[element].payload;
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

inline Status find_functions(const Functions& functions, std::span<const LoadedStage> stages) {
  for (const LoadedStage& stage : stages) {
    if (!functions.contains(stage.plan->kernel))
      return {Code::kUnsupported, "no function '" + stage.plan->kernel + "'"};
  }
  return {};
}

class FunctionBackend final : public Backend {
 public:
  explicit FunctionBackend(const Functions& functions) : functions_(functions) {}
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell) override {
    plan_ = &plan;
    return find_functions(functions_, stages);
  }
  bool start(Firing& firing) noexcept override {
    functions_.at(plan_->stages[firing.stage].kernel)(firing, plan_->stages[firing.stage]);
    done_.push_back(&firing);
    return true;
  }
  std::size_t poll(std::span<Firing*> done) noexcept override {
    std::size_t count = 0;
    for (; count < done.size() && !done_.empty(); done_.pop_back()) done[count++] = done_.back();
    return count;
  }

 private:
  DeviceDescription description_{"function", "C++ functions", false, "host", "none"};
  const Functions& functions_;
  const Plan* plan_ = nullptr;
  std::vector<Firing*> done_;
};

// `Made`: FunctionBackend, or another that is made from functions.
template <class Made = FunctionBackend>
BackendFactory function_factory(const Functions& functions) {
  return {"function", ControllerKind::kCpu,
          [] {
            return Result<std::vector<DeviceDescription>>(
                std::vector<DeviceDescription>{{"function", "C++ functions", false}});
          },
          [&functions](std::uint32_t, const ControllerPlan&) {
            return Result<std::unique_ptr<Backend>>(std::make_unique<Made>(functions));
          }};
}

}  // namespace woa::test
