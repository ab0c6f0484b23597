#include "runtime/node/host_backend.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/text.h"
#include "runtime/controller/activity.h"

namespace woa {

HostBackend::HostBackend(OnOutputs on_outputs) : on_outputs_(std::move(on_outputs)) {}

void HostBackend::set_inputs(std::uint64_t instance, FillInput fill) { inputs_[instance] = std::move(fill); }

Status HostBackend::load(const Plan& plan, std::span<const LoadedStage>, Doorbell) {
  names_ = &plan.stages[kSourceStage];
  sinks_.reserve(activity_slots(plan, kHostController));
  given_back_.reserve(plan.window);
  inputs_ = ByInstance<FillInput>(plan.window);
  kept_ = ByInstance<Firing*>(plan.window);
  for (const OutputPortPlan& input : names_->outputs) source_.emplace_back(input.type);
  for (const InputPortPlan& output : plan.stages[kSinkStage].inputs) sink_.emplace_back(output.type);
  outputs_.reserve(sink_.size());
  return {};
}

Start HostBackend::start(Firing& firing) noexcept {
  if (firing.stage != kSourceStage) {
    sinks_.push_back(&firing);
    return Start::kStarted;
  }
  firing.started_ns = now_ns();
  fire_source(firing);
  firing.ended_ns = now_ns();
  return Start::kCompleted;
}

void HostBackend::give_back(std::uint64_t instance) {
  if (Firing* const firing = std::exchange(kept_[instance], nullptr); firing != nullptr) given_back_.push_back(firing);
}

// The sink's callbacks come here and not in start(): the program may submit the next instance from one, and the
// instance retires by it.
std::size_t HostBackend::poll(std::span<Firing*> done) noexcept {
  std::size_t count = std::min(done.size(), given_back_.size());
  std::copy_n(given_back_.begin(), count, done.begin());
  given_back_.erase(given_back_.begin(), given_back_.begin() + static_cast<std::ptrdiff_t>(count));
  const std::size_t fired = std::min(done.size() - count, sinks_.size());
  for (Firing* firing : std::span(sinks_).first(fired)) {
    firing->started_ns = now_ns();
    const Taken taken = fire_sink(*firing);
    firing->ended_ns = now_ns();
    if (taken == Taken::kDone) {
      done[count++] = firing;
    } else {
      kept_[firing->instance] = firing;
    }
  }
  sinks_.erase(sinks_.begin(), sinks_.begin() + static_cast<std::ptrdiff_t>(fired));
  return count;
}

void HostBackend::fire_source(Firing& firing) noexcept {
  const FillInput fill = std::exchange(inputs_[firing.instance], nullptr);
  for (std::uint32_t port = 0; port < firing.outputs.size(); ++port) {
    const Status status = or_no_memory([&] { return fill_output(fill, port, firing.outputs[port]); });
    if (status.ok()) continue;
    firing.code = status.code();
    const auto whole = [&] { return "input '" + names_->outputs[port].name + "': " + status.message(); };
    firing.message = if_memory(whole, std::string());
    return;
  }
}

// The program writes a whole payload, dimensions included.
Status HostBackend::fill_output(const FillInput& fill, std::uint32_t port, woa_output& output) {
  const PortShape& shape = source_[port];
  const std::span<std::byte> room = shape.block(output).first(shape.prefix_bytes() + output.capacity);
  const Result<std::uint64_t> bytes = fill(port, room);
  if (!bytes.ok()) return bytes.status();
  if (*bytes > room.size())
    return {Code::kTooLarge, counted(*bytes, "byte") + " given, but there is room for " + std::to_string(room.size())};
  woa_input filled;
  if (!shape.show(room.first(*bytes), filled)) return shape.why_not_shown(room.first(*bytes));
  std::copy(std::begin(filled.dims), std::end(filled.dims), std::begin(output.dims));
  output.bytes = filled.bytes;
  output.written = 1;
  return {};
}

HostBackend::Taken HostBackend::fire_sink(const Firing& firing) noexcept {
  outputs_.clear();
  for (std::size_t p = 0; p < firing.inputs.size(); ++p)
    outputs_.push_back({sink_[p].payload(firing.inputs[p]), firing.inputs[p].absent != 0});
  return on_outputs_(firing.instance, outputs_);
}

}  // namespace woa
