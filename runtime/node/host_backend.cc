#include "runtime/node/host_backend.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/text.h"

namespace woa {

HostBackend::HostBackend(OnOutputs on_outputs) : on_outputs_(std::move(on_outputs)) {}

void HostBackend::set_inputs(std::uint64_t instance, FillInput fill) {
  inputs_[instance % kMaxWindow] = std::move(fill);
}

Status HostBackend::load(const Plan& plan, std::span<const LoadedStage>, Doorbell) {
  plan_ = &plan;
  return {};
}

bool HostBackend::start(Firing& firing) noexcept {
  firing.started_ns = firing.ended_ns = now_ns();
  if (firing.stage == kSourceStage) {
    fire_source(firing);
    firing.ended_ns = now_ns();
  }
  done_.push_back(&firing);
  return true;
}

void HostBackend::fire_source(Firing& firing) {
  const FillInput fill = std::exchange(inputs_[firing.instance % kMaxWindow], nullptr);
  for (std::uint32_t port = 0; port < firing.outputs.size(); ++port) {
    const OutputPortPlan& input = plan_->stages[kSourceStage].outputs[port];
    FiringOutput& output = firing.outputs[port];
    const std::span<std::byte> room = output.block.first(input.type.prefix_bytes() + input.type.max_bytes);
    auto bytes = fill(port, room);
    woa_input checked;
    Status status = bytes.status();
    if (bytes.ok() && *bytes > room.size()) {
      status = {Code::kTooLarge,
                counted(*bytes, "byte") + " given, but there is room for " + std::to_string(room.size())};
    } else if (bytes.ok()) {
      status = to_kernel_input(input.type, room.first(*bytes), checked);
    }
    if (!status.ok()) {
      firing.code = status.code();
      firing.message = "input '" + input.name + "': " + status.message();
      return;
    }
    output.payload_bytes = *bytes;
    output.written = true;
  }
}

void HostBackend::fire_sink(const Firing& firing) {
  outputs_.clear();
  for (const FiringInput& input : firing.inputs) outputs_.push_back({input.payload, input.absent});
  on_outputs_(firing.instance, outputs_);
}

std::size_t HostBackend::poll(std::span<Firing*> done) noexcept {
  const std::size_t count = std::min(done.size(), done_.size());
  std::copy_n(done_.begin(), count, done.begin());
  done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(count));
  for (Firing* firing : done.first(count)) {
    // Here and not in start(): the program may submit the next instance from its callback.
    if (firing->stage != kSinkStage) continue;
    firing->started_ns = now_ns();  // times the call alone: other firings came after start()
    fire_sink(*firing);
    firing->ended_ns = now_ns();
  }
  return count;
}

}  // namespace woa
