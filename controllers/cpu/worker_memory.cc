#include "controllers/cpu/worker_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

namespace woa {
namespace {

std::uint64_t most_inline(const Plan& plan, std::uint32_t stage) {
  std::uint64_t most = 0;
  for (const EdgePlan& edge : plan.edges)
    if (edge.to_stage == stage) most = std::max<std::uint64_t>(most, edge.inline_bytes);
  return in_whole_lines(most + kPayloadAlignment);  // and where the data begin
}

}  // namespace

WorkerShape WorkerShape::of(const Plan& plan, std::span<const WorkerStage> stages) {
  WorkerShape shape;
  for (const WorkerStage& of : stages) {
    const StagePlan& stage = plan.stages[of.id];
    if (!of.sent.empty()) shape.attached = kMostAttached;
    std::size_t inputs = stage.inputs.size(), outputs = stage.outputs.size();
    for (const InputPortPlan& port : stage.inputs) inputs += port.gather;
    for (const OutputPortPlan& port : stage.outputs) outputs += port.many;
    shape.inputs = std::max(shape.inputs, inputs);
    shape.outputs = std::max(shape.outputs, outputs);
    shape.inline_bytes = std::max<std::size_t>(shape.inline_bytes, inputs * most_inline(plan, of.id));
    if (stage.stateful != Stateful::kNo)
      shape.state_bytes = std::max<std::size_t>(shape.state_bytes, in_whole_lines(stage.state_bytes));
  }
  return shape;
}

std::size_t WorkerShape::bytes() const noexcept {
  const std::size_t slot = in_whole_lines(sizeof(WorkerExchange)) + in_whole_lines(inputs * sizeof(woa_input)) +
                           in_whole_lines(outputs * sizeof(woa_output)) + inline_bytes + state_bytes + attached;
  return in_whole_lines(sizeof(WorkerHeader)) + kWorkerSlots * slot;
}

WorkerMemory::WorkerMemory(std::span<std::byte> memory, const WorkerShape& shape) noexcept {
  std::byte* at = memory.data();
  const auto take = [&](std::size_t bytes) { return std::exchange(at, at + in_whole_lines(bytes)); };
  const auto take_bytes = [&](std::size_t bytes) {
    return std::span(reinterpret_cast<std::uint8_t*>(take(bytes)), bytes);
  };
  header_ = reinterpret_cast<WorkerHeader*>(take(sizeof(WorkerHeader)));
  for (WorkerSlot& slot : slots_) {
    slot.exchange = reinterpret_cast<WorkerExchange*>(take(sizeof(WorkerExchange)));
    slot.inputs = {reinterpret_cast<woa_input*>(take(shape.inputs * sizeof(woa_input))), shape.inputs};
    slot.outputs = {reinterpret_cast<woa_output*>(take(shape.outputs * sizeof(woa_output))), shape.outputs};
    slot.inline_payloads = take_bytes(shape.inline_bytes);
    slot.attachment = take_bytes(shape.attached);
    slot.state = take_bytes(shape.state_bytes);
  }
}

void WorkerSaid::say(const Status& status) noexcept {
  code = static_cast<std::uint32_t>(status.code());
  message[status.message().copy(message, sizeof message - 1)] = '\0';
}

// Each is read once.
Status WorkerSaid::hear() const {
  const std::uint32_t number = code;
  if (number > static_cast<std::uint32_t>(Code::kInternal))
    return {Code::kBrokenContract, "the worker process answered with a status that there is not"};
  if (number == 0) return {};
  std::array<char, sizeof message> text;
  std::memcpy(text.data(), message, text.size());
  text.back() = '\0';
  return {static_cast<Code>(number), text.data()};
}

void WorkerHeader::tell_thread(WorkerLife now) noexcept {
  life.store(static_cast<std::uint32_t>(now), std::memory_order_release);
  Doorbell(&thread_line).ring();
}

void WorkerHeader::tell_process(WorkerLife now) noexcept {
  life.store(static_cast<std::uint32_t>(now), std::memory_order_release);
  Doorbell(&process_line).ring();
}

void copy_answer(const woa_output& from, woa_output& to) noexcept {
  to.bytes = from.bytes;
  std::copy(std::begin(from.dims), std::end(from.dims), std::begin(to.dims));
  to.written = from.written;
  to.count = from.count;
}

}  // namespace woa
