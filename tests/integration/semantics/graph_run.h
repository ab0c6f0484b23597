// Graph files run in one process on function kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/call_models/call_model.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/run_harness.h"

namespace woa::test {

// Fails the test if it does not compile. Kernels are described in tests/golden/compiler/kernels and
// tests/support/kernels.
inline CertifiedPlan compiled(const std::string& text, CompileOptions options = {}) {
  options.kernel_path = {std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/kernels",
                         std::string(WOA_SOURCE_DIR) + "/tests/support/kernels"};
  Compilation result = compile_text(text, "graph.yaml", "", options);
  std::string said;
  for (const Diagnostic& diagnostic : result.diagnostics) said += format(diagnostic, false);
  INFO(text << said);
  REQUIRE(result.plan.has_value());
  for (ControllerPlan& controller : result.plan->controllers) {
    if (controller.kind != ControllerKind::kHost) controller.backend = "function";
  }
  for (StagePlan& stage : result.plan->stages) stage.library.clear();  // functions, in this program
  return std::move(*result.plan);
}

inline std::string instance_number(std::uint64_t instance, std::uint32_t) { return std::to_string(instance); }

// The call models that a plan can be run under: all but what rewrite() says it cannot nest or poll.
inline std::vector<std::string_view> models_of(const Plan& plan) {
  std::vector<std::string_view> models;
  for (const std::string_view model : kCallModels) {
    const auto calls = rewrite(plan, model);
    INFO(model << ": " << calls.status().message());
    if (calls.ok()) models.push_back(model);
    if (calls.ok()) continue;
    REQUIRE(calls.status().code() == Code::kUnsupported);
    REQUIRE((model == "rpc-nested" || model == "rpc-polled"));
    REQUIRE(calls.status().message().find("stage '") != std::string::npos);
  }
  return models;
}

template <class Made>
Outcome run_as(const Plan& plan, std::string_view model, const Functions& kernels, std::uint64_t instances,
               std::string (*input)(std::uint64_t instance, std::uint32_t) = instance_number) {
  LoopbackTransport transport;
  BackendRegistry backends;
  REQUIRE(backends.add(function_factory<Made>(kernels)).ok());
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  auto rewritten = rewrite(plan, model);
  INFO(rewritten.status().message());
  REQUIRE(rewritten.ok());
  return run_plan(*rewritten, options, instances, input);
}

}  // namespace woa::test
