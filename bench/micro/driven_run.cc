#include "bench/micro/driven_run.h"

#include <utility>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kStartNs = 60'000'000'000;  // longer than nodes take to get ready

}  // namespace

Result<DrivenRun> DrivenRun::start(Plan plan, RunOptions options, OnCompletion look) {
  DrivenRun out;
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

Result<DrivenRun> DrivenRun::start_over(const std::string& provider, Plan plan, RunOptions options, OnCompletion look) {
  if (provider.empty()) return start(std::move(plan), std::move(options), std::move(look));
  OfiOptions ofi;
  ofi.provider = provider;
  ofi.start_ns = kStartNs;
  auto wire = make_ofi_transport(ofi);
  if (!wire.ok()) return wire.status();
  options.wires = {wire->get()};
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) options.apart.insert(c);
  auto run = start(std::move(plan), std::move(options), std::move(look));
  if (run.ok()) run->wire_ = std::move(*wire);
  return run;
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

}  // namespace woa::bench
