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
  std::size_t places = 1;      // firings that it takes at a time; none completes before they are taken, or no more come
  std::size_t patience = 100;  // polls without a start until it takes it that no more come
  bool fails = false;          // the first firing fails, and all behind it
  std::size_t most = 0;        // seen: firings under way at once
  std::size_t changed = 0;     // seen: inputs in host memory that changed before their firing had completed
};

class OrderedBackend final : public WithDeviceMemory {
 public:
  OrderedBackend(const Functions& functions, OrderedScript& script)
      : WithDeviceMemory(functions, {"function", "C++ functions in the order of their starts", false, "host", "none"}),
        script_(script) {}
  // Runs the function on the device's memory at once, which shows what later firings would read.
  Start start(Firing& firing) noexcept override {
    if (pending_.size() == script_.places) return Start::kBusy;
    std::vector<std::vector<std::uint8_t>> inputs;
    for (std::size_t p = 0; p < firing.inputs.size(); ++p)
      inputs.emplace_back(input_data(firing, p), input_data(firing, p) + firing.inputs[p].bytes);
    pending_.push_back({&firing, std::move(inputs), run_unseen(firing)});
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
    releasing_ = releasing_ || pending_.size() == script_.places || ++quiet_ >= script_.patience;
    if (!releasing_) return 0;
    complete(pending_.back());
    done[0] = pending_.back().firing;
    pending_.pop_back();
    return 1;
  }
  [[nodiscard]] bool busy() const noexcept { return !pending_.empty(); }

 private:
  struct Pending {
    Firing* firing;
    std::vector<std::vector<std::uint8_t>> inputs;  // as they were at the start
    Written outputs;
  };

  void complete(Pending& pending) {
    Firing& firing = *pending.firing;
    for (std::size_t p = 0; p < firing.inputs.size(); ++p) {
      if (!std::equal(pending.inputs[p].begin(), pending.inputs[p].end(), input_data(firing, p))) ++script_.changed;
    }
    show(firing, pending.outputs);
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
