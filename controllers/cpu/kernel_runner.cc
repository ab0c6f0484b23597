#include "controllers/cpu/kernel_runner.h"

#include <algorithm>
#include <new>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

constexpr std::align_val_t kAlignment{kPayloadAlignment};

}  // namespace

void KernelRunner::Release::operator()(std::uint8_t* memory) const noexcept { ::operator delete(memory, kAlignment); }

Status KernelRunner::reserve(std::span<const LoadedStage> stages) {
  std::uint64_t scratch = 0;
  for (const LoadedStage& stage : stages) scratch = std::max(scratch, stage.plan->scratch_bytes);
  if (scratch == 0) return {};
  scratch_.reset(static_cast<std::uint8_t*>(::operator new(scratch, kAlignment, std::nothrow)));
  if (scratch_ != nullptr) return {};
  return {Code::kExhausted,
          "no memory for " + std::to_string(scratch) + " bytes of scratch; lower `scratch` or `workers`"};
}

void KernelRunner::run(const LoadedStage& stage, Firing& firing) noexcept {
  firing.scratch_bytes = stage.plan->scratch_bytes;
  firing.scratch = firing.scratch_bytes == 0 ? nullptr : scratch_.get();
  firing.started_ns = firing.ended_ns = firing.timed ? now_ns() : 0;
  const Status status = call_kernel("run", [&](woa_error& error) {
    return stage.kernel->run(stage.self, &firing, firing.inputs.data(), firing.outputs.data(), &error);
  });
  if (firing.timed) firing.ended_ns = now_ns();
  firing.code = status.code();
  if (!status.ok()) firing.message.assign(status.message());
}

}  // namespace woa
