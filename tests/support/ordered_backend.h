// A device that orders its firings, as one with queues does: start() fixes sizes and dimensions, and the firing
// completes much later. What it wrote to host memory shows only then.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/device_backend.h"

namespace woa::test {

// What the device does, and what was seen of it.
struct OrderedScript {
  std::size_t places = 1;   // firings that it takes at a time; none completes before they are taken, or no more come
  bool fails = false;       // the first firing fails, and all behind it
  std::size_t most = 0;     // seen: firings under way at once
  std::size_t changed = 0;  // seen: inputs in host memory that changed before their firing had completed
};

class OrderedBackend final : public WithDeviceMemory {
 public:
  OrderedBackend(const Functions& functions, OrderedScript& script)
      : WithDeviceMemory(functions, {"function", "C++ functions in the order of their starts", false, "host", "none"}),
        script_(script) {}
  // Runs the function on the device's memory at once, which shows what later firings would read.
  Start start(Firing& firing) noexcept override {
    if (pending_.size() == script_.places) return Start::kBusy;
    Pending& pending = pending_.emplace_back(Pending{&firing, {}, {}});
    for (std::size_t p = 0; p < firing.inputs.size(); ++p) {
      woa_input& input = firing.inputs[p];
      if (is_in_device(firing.input_memory[p])) input.data = memory_.at(firing.input_memory[p]);
      pending.inputs.emplace_back(input.data, input.data + input.bytes);
    }
    std::vector<std::uint8_t*> blocks;
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
      woa_output& output = firing.outputs[p];
      blocks.push_back(output.data);
      pending.outputs.emplace_back(output.capacity);
      output.data =
          is_in_device(firing.output_memory[p]) ? memory_.at(firing.output_memory[p]) : pending.outputs[p].data();
    }
    run(firing);
    for (std::size_t p = 0; p < firing.inputs.size(); ++p)
      if (is_in_device(firing.input_memory[p])) firing.inputs[p].data = nullptr;
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) firing.outputs[p].data = blocks[p];
    script_.most = std::max(script_.most, pending_.size());
    quiet_ = 0;
    return firing.code == Code::kOk ? Start::kOrdered : Start::kStarted;
  }
  // The youngest first, one at a time: a completion says nothing of those that were started before it.
  std::size_t poll(std::span<Firing*> done) noexcept override {
    if (pending_.empty()) {
      releasing_ = false;
      return 0;
    }
    wakeup_.ring();  // until the last has completed
    releasing_ = releasing_ || pending_.size() == script_.places || ++quiet_ >= kQuiet;
    if (!releasing_) return 0;
    complete(pending_.back());
    done[0] = pending_.back().firing;
    pending_.pop_back();
    return 1;
  }

 private:
  static constexpr std::size_t kQuiet = 100;  // polls without a start

  struct Pending {
    Firing* firing;
    std::vector<std::vector<std::uint8_t>> inputs, outputs;  // by port: as they were at the start; as they will be
  };

  void complete(const Pending& pending) {
    Firing& firing = *pending.firing;
    for (std::size_t p = 0; p < firing.inputs.size(); ++p) {
      const bool in_device = is_in_device(firing.input_memory[p]);
      const std::uint8_t* const data = in_device ? memory_.at(firing.input_memory[p]) : firing.inputs[p].data;
      if (!std::equal(pending.inputs[p].begin(), pending.inputs[p].end(), data)) ++script_.changed;
    }
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
      const woa_output& output = firing.outputs[p];
      if (output.data == nullptr) continue;
      const bool in_device = is_in_device(firing.output_memory[p]);
      std::copy_n(in_device ? memory_.at(firing.output_memory[p]) : pending.outputs[p].data(), output.bytes,
                  output.data);
    }
    if (!script_.fails) return;
    firing.code = Code::kUnavailable;
    firing.message = "the device went away in instance " + std::to_string(firing.instance);
  }

  OrderedScript& script_;
  std::vector<Pending> pending_;
  bool releasing_ = false;
  std::size_t quiet_ = 0;
};

inline BackendFactory ordered_factory(const Functions& functions, OrderedScript& script) {
  BackendFactory factory = function_factory(functions);
  factory.make = [&](std::uint32_t, const ControllerPlan&) {
    return Result<std::unique_ptr<Backend>>(std::make_unique<OrderedBackend>(functions, script));
  };
  return factory;
}

}  // namespace woa::test
