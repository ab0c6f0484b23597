// The devices of a run in one thread, as the environment variable WOA_DEVICES chooses them. A seed decides when their
// firings end.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/semantics/late_backend.h"
#include "tests/support/ordered_backend.h"
#include "tests/support/publishing_backend.h"

namespace woa::test {

enum class Devices {
  kPlain,      // without the variable: kernels end at once, or late
  kOrdered,    // "ordered": devices keep payloads and order their firings
  kPublishing  // "publishing": devices publish what they can; some keep payloads, some order their firings
};

inline Devices devices_under_test() {
  const char* const chosen = std::getenv("WOA_DEVICES");
  if (chosen == nullptr) return Devices::kPlain;
  if (chosen == std::string("ordered")) return Devices::kOrdered;
  if (chosen == std::string("publishing")) return Devices::kPublishing;
  throw std::invalid_argument("WOA_DEVICES is neither 'ordered' nor 'publishing': " + std::string(chosen));
}

template <class Act>
void each_type(Plan& plan, const Act& act) {
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) act(port.type);
    for (OutputPortPlan& port : stage.outputs) act(port.type);
  }
}

// Devices publish payloads of a fixed size only: all get the size of the largest, or what is enough for any text here.
inline void fix_sizes(Plan& plan) {
  constexpr std::uint64_t kEnough = 4096;
  std::uint64_t most = 0;
  each_type(plan, [&](const PortType& type) { most = std::max(most, std::min(type.max_bytes, kEnough)); });
  each_type(plan, [&](PortType& type) { type = {"u8", {{"", static_cast<std::uint32_t>(most), 0}}, most}; });
}

// The traits and stages of `plan` as such devices need them.
inline Plan for_devices(Plan plan, Devices devices) {
  for (ControllerPlan& controller : plan.controllers) controller.traits.memory = MemoryKind::kCpu;
  if (devices == Devices::kOrdered) return with_device(std::move(plan));
  if (devices == Devices::kPlain) return plan;
  fix_sizes(plan);
  for (std::size_t c = 1; c < plan.controllers.size(); ++c) {
    plan.controllers[c].traits.publishes = Publisher::kQueue;
    if (c % 2 == 0) plan.controllers[c].traits.memory = kDeviceTraits.memory;
  }
  for (StagePlan& stage : plan.stages)
    if (stage.role == StageRole::kKernel && may_publish(stage)) stage.publishes = Publisher::kQueue;
  return plan;
}

// Texts in payloads of a fixed size have zeros behind them.
inline void pad(woa_output& output) {
  if (output.written != 0) std::fill(output.data + output.bytes, output.data + output.capacity, std::uint8_t{0});
  if (output.written != 0) output.bytes = output.dims[0] = static_cast<std::uint32_t>(output.capacity);
  for (std::uint32_t e = 0; e < output.count; ++e) pad(output.elements[e]);
}
inline void unpad(woa_input& input) {
  while (input.bytes > 0 && input.data[input.bytes - 1] == 0) --input.bytes;
  for (std::uint32_t e = 0; e < input.count; ++e) unpad(const_cast<woa_input&>(input.elements[e]));
}
// `function`, which sees no padding, for payloads of a fixed size.
inline Function with_padding(Function function) {
  return [function = std::move(function)](Firing& firing, const StagePlan& stage) {
    for (woa_input& input : firing.inputs) unpad(input);
    function(firing, stage);
    for (woa_output& output : firing.outputs) pad(output);
  };
}

class DevicesUnderTest {
 public:
  // `random` outlives it.
  DevicesUnderTest(Devices devices, Functions kernels, std::mt19937& random)
      : devices_(devices), kernels_(std::move(kernels)), random_(random) {
    if (devices_ != Devices::kPublishing) return;
    for (auto& [name, kernel] : kernels_) kernel = with_padding(std::move(kernel));
  }

  std::unique_ptr<Backend> make(const ControllerPlan& controller) {
    if (devices_ == Devices::kOrdered) return known(std::make_unique<OrderedBackend>(kernels_, ordered()));
    if (devices_ == Devices::kPublishing) return known(std::make_unique<PublishingBackend>(kernels_, publishing()));
    if (controller.kind == ControllerKind::kCpu && random_() % 2 == 0)
      return std::make_unique<FunctionBackend>(kernels_);
    return known(std::make_unique<LateBackend>(kernels_, random_));
  }
  // True if a firing is under way.
  [[nodiscard]] bool busy() const {
    return std::ranges::any_of(busy_, [](const auto& is_busy) { return is_busy(); });
  }
  // True if an input changed before its firing had completed.
  [[nodiscard]] bool read_what_changed() const {
    return std::ranges::any_of(ordered_, [](const OrderedScript& script) { return script.changed > 0; });
  }
  // A text as a payload, and a payload as a text.
  [[nodiscard]] std::string payload(std::string text, std::size_t room) const {
    if (devices_ == Devices::kPublishing) text.resize(room, '\0');
    return text;
  }
  [[nodiscard]] std::string text(std::string payload) const {
    if (devices_ == Devices::kPublishing) payload.resize(payload.find_last_not_of('\0') + 1);
    return payload;
  }

 private:
  static constexpr std::size_t kMostPlaces = 5, kLongest = 12;  // polls without a start

  template <class Made>
  std::unique_ptr<Backend> known(std::unique_ptr<Made> made) {
    busy_.push_back([device = made.get()] { return device->busy(); });
    return made;
  }
  OrderedScript& ordered() {
    return ordered_.emplace_back(
        OrderedScript{.places = 1 + random_() % kMostPlaces, .patience = random_() % kLongest});
  }
  PublishingScript& publishing() {
    PublishingScript& script = publishing_.emplace_back();
    script.places = 1 + random_() % kMostPlaces;
    script.patience = random_() % kLongest;
    script.ordered = random_() % 2 == 0;
    script.threaded = false;
    return script;
  }

  const Devices devices_;
  Functions kernels_;
  std::mt19937& random_;
  std::deque<OrderedScript> ordered_;
  std::deque<PublishingScript> publishing_;
  std::vector<std::function<bool()>> busy_;  // by device that does not run kernels in the call
};

}  // namespace woa::test
