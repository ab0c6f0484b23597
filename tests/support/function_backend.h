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

// Reads firing.inputs, fills firing.outputs, may set firing.code and firing.message. Its ports are of type `bytes`.
using Function = std::function<void(Firing&, const StagePlan&)>;
using Functions = std::map<std::string, Function>;

inline void write(woa_output& output, const std::string& text) {
  std::copy_n(text.data(), text.size(), reinterpret_cast<char*>(output.data));
  output.bytes = text.size();
  output.written = 1;
}
inline void write(Firing& firing, std::uint32_t port, const std::string& text) { write(firing.outputs[port], text); }
// The next element of a port that starts a scatter.
inline void write_element(Firing& firing, std::uint32_t port, const std::string& text) {
  woa_output& output = firing.outputs[port];
  write(output.elements[output.count++], text);
}
inline std::string text_of(const woa_input& token) {
  if (token.absent != 0) return "absent";
  return {reinterpret_cast<const char*>(token.data), token.bytes};
}
inline std::string read(const Firing& firing, std::uint32_t port) { return text_of(firing.inputs[port]); }
inline std::string read_element(const Firing& firing, std::uint32_t port, std::size_t element) {
  return text_of(firing.inputs[port].elements[element]);
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
  Start start(Firing& firing) noexcept override {
    functions_.at(plan_->stages[firing.stage].kernel)(firing, plan_->stages[firing.stage]);
    return Start::kCompleted;
  }
  std::size_t poll(std::span<Firing*>) noexcept override { return 0; }

 private:
  DeviceDescription description_{"function", "C++ functions", false, "host", "none"};
  const Functions& functions_;
  const Plan* plan_ = nullptr;
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
