#include "runtime/measure/driven_run.h"

#include <cstring>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"

namespace woa::measure {

FillInput ones(std::uint64_t bytes) {
  // Shared, since whoever is given a function may copy it.
  const auto source = std::make_shared<const std::vector<std::byte>>(bytes, std::byte{1});
  return [source](std::uint32_t, std::span<std::byte> room) {
    std::memcpy(room.data(), source->data(), source->size());
    return Result<std::uint64_t>(source->size());
  };
}

Result<DrivenRun> DrivenRun::start(Plan plan, RunOptions options, OnCompletion look, std::unique_ptr<Wire> wire) {
  DrivenRun out;
  out.wire_ = std::move(wire);
  auto run = Run::start(std::move(plan), std::move(options),
                        [&outcome = *out.outcome_, look = std::move(look)](const Completion& done) {
                          ++outcome.completed;
                          if (look) look(done);
                          if (done.failure != nullptr) outcome.failure = *done.failure;
                        });
  if (!run.ok()) return run.status();
  out.run_ = std::move(*run);
  return out;
}

Result<std::uint64_t> DrivenRun::drive(std::uint64_t instances, const FillInput& fill) {
  const std::uint64_t start = now_ns(), target = outcome_->completed + instances;
  for (std::uint64_t left = instances; outcome_->completed < target && run_->status().ok();) {
    while (left > 0 && run_->submit(fill) == Push::kOk) --left;
    if (run_->do_work() == 0) run_->wait();
  }
  if (!run_->status().ok()) return run_->status();
  return now_ns() - start;
}

Result<RunReport> DrivenRun::finish() {
  auto report = run_->finish();
  run_.reset();
  if (outcome_->failure.code != Code::kOk && report.ok()) return {outcome_->failure.code, outcome_->failure.message};
  return report;
}

}  // namespace woa::measure
