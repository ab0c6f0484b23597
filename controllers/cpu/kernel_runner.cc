#include "controllers/cpu/kernel_runner.h"

#include <algorithm>
#include <new>
#include <string>

#include "runtime/base/sanitizers.h"
#ifdef WOA_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

#include "runtime/base/clock.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

constexpr std::align_val_t kAlignment{kPayloadAlignment};

#ifdef WOA_ADDRESS_SANITIZER
// While it lives, nobody may write what lies behind the outputs in the last lines of their blocks. Blocks lie in
// memory that the sanitizer takes for one piece.
class OverrunGuard {
 public:
  explicit OverrunGuard(std::span<const woa_output> outputs) : outputs_(outputs) {
    for (const woa_output& output : outputs_) ASAN_POISON_MEMORY_REGION(end(output), rest(output));
  }
  ~OverrunGuard() {
    for (const woa_output& output : outputs_) ASAN_UNPOISON_MEMORY_REGION(end(output), rest(output));
  }
  OverrunGuard(const OverrunGuard&) = delete;
  OverrunGuard& operator=(const OverrunGuard&) = delete;

 private:
  // A port that scatters has no memory of its own here.
  static const std::uint8_t* end(const woa_output& output) { return output.data + output.capacity; }
  static std::size_t rest(const woa_output& output) {
    return output.data == nullptr ? 0 : in_whole_lines(output.capacity) - output.capacity;
  }

  std::span<const woa_output> outputs_;
};
#else
struct OverrunGuard {
  explicit OverrunGuard(std::span<const woa_output>) {}
};
#endif

}  // namespace

void KernelRunner::Release::operator()(std::uint8_t* memory) const noexcept { ::operator delete(memory, kAlignment); }

Status KernelRunner::reserve(std::span<const LoadedStage> stages, bool guarded, Isolation* isolation) {
  if (guarded) guard_.emplace();
  if (isolation != nullptr) isolated_.emplace(*isolation);
  std::uint64_t scratch = 0;
  for (const LoadedStage& stage : stages) {
    const bool here = stage.plan != nullptr && !(isolated_ && stage.plan->isolated);
    if (here) scratch = std::max(scratch, stage.plan->scratch_bytes);
  }
  if (scratch == 0) return {};
  scratch_.reset(static_cast<std::uint8_t*>(::operator new(scratch, kAlignment, std::nothrow)));
  if (scratch_ != nullptr) return {};
  return {Code::kExhausted,
          "no memory for " + std::to_string(scratch) + " bytes of scratch; lower `scratch` or `workers`"};
}

Status KernelRunner::call(const LoadedStage& stage, Firing& firing, std::span<const woa_input> inputs,
                          std::span<woa_output> outputs) noexcept {
  firing.started_ns = firing.ended_ns = firing.timed ? now_ns() : 0;
  Status status = call_kernel("run", [&](woa_error& error) {
    return stage.kernel->run(stage.self, &firing, inputs.data(), outputs.data(), &error);
  });
  if (firing.timed) firing.ended_ns = now_ns();
  return status;
}

Status KernelRunner::call_guarded(const LoadedStage& stage, Firing& firing) {
  WOA_RETURN_IF_ERROR(guard_->enter(*stage.plan, firing));
  const Status called = call(stage, firing, guard_->inputs(), guard_->outputs());
  const Status left = guard_->leave(*stage.plan, firing);
  return left.ok() ? called : left;  // a kernel that damages memory may fail for that
}

IsolatedRunner* KernelRunner::process_of(const LoadedStage& stage, const Firing& firing) noexcept {
  const bool here = stage.brief_here && firing.in_call;
  return isolated_ && stage.plan->isolated && !here ? &*isolated_ : nullptr;
}

void KernelRunner::run(const LoadedStage& stage, Firing& firing) noexcept {
  if (IsolatedRunner* const process = process_of(stage, firing)) {
    process->give(stage, firing);
    (void)process->take();
    return;
  }
  firing.scratch_bytes = stage.plan->scratch_bytes;
  firing.scratch = firing.scratch_bytes == 0 ? nullptr : scratch_.get();
  // A guard finds by itself what is written there.
  [[maybe_unused]] const OverrunGuard guard(guard_ ? std::span<woa_output>() : firing.outputs);
  const Status status = guard_ ? or_no_memory([&] { return call_guarded(stage, firing); })
                               : call(stage, firing, firing.inputs, firing.outputs);
  firing.code = status.code();
  if (!status.ok()) firing.message.assign(status.message());
}

}  // namespace woa
