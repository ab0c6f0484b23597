#include "bench/micro/direct_calls.h"

#include "runtime/base/clock.h"

namespace woa::bench {
namespace {

// A stage, with the views of its reader that each output fills in.
struct Call {
  const woa_kernel* kernel = nullptr;
  void* self = nullptr;
  std::vector<MemoryLine> state;
  woa_firing firing{};
  std::vector<woa_input> ins;
  std::vector<woa_output> outs;
  std::vector<std::vector<MemoryLine>> memory;   // by output
  std::vector<std::vector<woa_input*>> readers;  // by output
};

class Calls {
 public:
  Calls(const LoopJob& job, const KernelLibraries& kernels) : calls_(job.plan.stages.size()) {
    for (std::size_t s = 0; s < calls_.size(); ++s) prepare(calls_[s], job.plan.stages[s], kernels[s]);
    for (const EdgePlan& edge : job.plan.edges)
      calls_[edge.from_stage].readers[edge.from_port].push_back(&calls_[edge.to_stage].ins[edge.to_port]);
    for (std::size_t k = 0; k < job.inputs.size(); ++k) {
      const auto* data = reinterpret_cast<const std::uint8_t*>(job.inputs[k].data());
      for (woa_input* in : calls_[kSourceStage].readers[k]) show_token(*in, data, job.inputs[k].size());
    }
  }

  Result<DirectCalls> run() {
    DirectCalls done;
    const woa_input& answer = output();
    const std::uint64_t start_ns = now_ns();
    while (answer.data == nullptr) {
      for (std::size_t s = kSinkStage + 1; s < calls_.size() && answer.data == nullptr; ++s, ++done.firings)
        if (const woa_status status = call(calls_[s]); status != WOA_OK)
          return Status(static_cast<Code>(status), error_.message);
    }
    done.ns = now_ns() - start_ns;
    return done;
  }

  [[nodiscard]] const woa_input& output() const { return calls_[kSinkStage].ins.front(); }

 private:
  static void prepare(Call& call, const StagePlan& plan, const std::optional<KernelLibrary>& library) {
    if (library) {
      call.kernel = library->kernel();
      call.self = library->self();
      call.state = lines(call.kernel->state_bytes);
      call.firing.state = call.state.data();
    }
    call.ins.resize(plan.inputs.size());
    call.outs.resize(plan.outputs.size());
    call.readers.resize(plan.outputs.size());
    for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
      call.memory.push_back(lines(plan.outputs[k].type.max_bytes));
      call.outs[k].data = reinterpret_cast<std::uint8_t*>(call.memory[k].data());
      call.outs[k].capacity = plan.outputs[k].type.max_bytes;
    }
  }

  woa_status call(Call& call) noexcept {
    const woa_status status = call.kernel->run(call.self, &call.firing, call.ins.data(), call.outs.data(), &error_);
    if (status != WOA_OK) return status;
    for (std::size_t k = 0; k < call.outs.size(); ++k) {
      woa_output& out = call.outs[k];
      if (out.written == 0) continue;
      out.written = 0;
      for (woa_input* in : call.readers[k]) show_token(*in, out.data, out.bytes);
    }
    return WOA_OK;
  }

  std::vector<Call> calls_;  // by stage
  woa_error error_{};
};

}  // namespace

Result<DirectCalls> call_directly(const LoopJob& job, const KernelLibraries& kernels) {
  Calls calls(job, kernels);
  auto done = calls.run();
  if (!done.ok()) return done;
  const woa_input& out = calls.output();
  WOA_RETURN_IF_ERROR(check_answer(job, std::as_bytes(std::span(out.data, out.bytes))));
  return done;
}

}  // namespace woa::bench
