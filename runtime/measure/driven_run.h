// A run that a benchmark drives: tokens in, completions counted.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/status.h"
#include "runtime/node/run.h"

namespace woa::measure {

// Fills inputs with `bytes` ones.
FillInput ones(std::uint64_t bytes);

class DrivenRun {
 public:
  // Starts as Run::start() does, with its errors. `look`, if any, sees each completion. Keeps `wire`, if `options` has
  // one, until the run has ended.
  static Result<DrivenRun> start(Plan plan, RunOptions options, OnCompletion look = {},
                                 std::unique_ptr<Wire> wire = nullptr);

  // Runs `instances` tokens to their end; ns from the first submission to the last completion. Fails as the run does.
  Result<std::uint64_t> drive(std::uint64_t instances, const FillInput& fill);
  // Ends the run: what it counted, or the first failure of an instance.
  Result<RunReport> finish();
  Run& run() noexcept { return *run_; }

 private:
  struct Outcome {
    std::uint64_t completed = 0;
    Failure failure;
  };
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<Outcome> outcome_ = std::make_unique<Outcome>();
  std::unique_ptr<Run> run_;  // goes first: it reports to the outcome, over the wire
};

}  // namespace woa::measure
