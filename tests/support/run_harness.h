// Runs a hand-made plan over function kernels and collects what came out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/node/run.h"
#include "tests/support/catch.h"
#include "tests/support/function_backend.h"

namespace woa::test {

struct Outcome {
  std::map<std::uint64_t, std::vector<std::string>> outputs;  // by instance that succeeded
  std::map<std::uint64_t, std::vector<bool>> absent;          // by instance that succeeded: of each output
  std::map<std::uint64_t, Failure> failures;
  RunReport report;
  Plan plan;  // that ran
  Status status;
  std::uint64_t messages() const {
    std::uint64_t sum = 0;
    for (const EdgeStats& edge : report.edges) sum += edge.messages;
    return sum;
  }
};

// input(instance, port) -> bytes of that graph input.
using Input = std::function<std::string(std::uint64_t, std::uint32_t)>;

inline Outcome run_plan(const Plan& plan, const RunOptions& options, std::uint64_t instances, const Input& input) {
  Outcome outcome;
  std::uint64_t completed = 0;
  auto run = Run::start(plan, options, [&](const Completion& completion) {
    ++completed;
    if (completion.failure != nullptr) {
      outcome.failures[completion.instance] = *completion.failure;
      return;
    }
    for (const GraphOutput& output : completion.outputs) {
      outcome.outputs[completion.instance].emplace_back(reinterpret_cast<const char*>(output.payload.data()),
                                                        output.payload.size());
      outcome.absent[completion.instance].push_back(output.absent);
    }
  });
  INFO(run.status().message());
  REQUIRE(run.ok());
  for (std::uint64_t next = 0; completed < instances && (*run)->status().ok();) {
    while (next < instances) {
      const std::uint64_t instance = next;
      const Push push = (*run)->submit([&input, instance](std::uint32_t port, std::span<std::byte> room) {
        const std::string bytes = input(instance, port);
        if (bytes.size() > room.size()) return Result<std::uint64_t>(Code::kTooLarge, "too much test data");
        std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), room.begin());
        return Result<std::uint64_t>(bytes.size());
      });
      if (push != Push::kOk) break;
      ++next;
    }
    if ((*run)->do_work() == 0) (*run)->wait();
  }
  outcome.plan = (*run)->plan();
  auto report = (*run)->finish();
  if (report.ok()) outcome.report = std::move(*report);
  outcome.status = report.status();
  if (!outcome.status.ok()) WARN("the run failed: " << outcome.status.message());
  return outcome;
}

}  // namespace woa::test
