// Compiling short graphs with the kernels of tests/golden/compiler/kernels.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compiler.h"
#include "tests/support/catch.h"

namespace woa::test {

inline CompileOptions fixture_options() {
  CompileOptions options;
  options.kernel_path = {std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/kernels"};
  return options;
}

// With cpu:0 and cpu:1.
inline CompileOptions two_cpus() {
  CompileOptions options = fixture_options();
  options.nodes = 2;
  return options;
}

// With the kernels of random programs, too.
inline CompileOptions program_options() {
  CompileOptions options = fixture_options();
  options.kernel_path.push_back(std::string(WOA_SOURCE_DIR) + "/tests/support/kernels");
  return options;
}

// `body` begins at `stages:` or `inputs:`; without inputs there is `x`, of type bytes.
inline std::string graph_text(const std::string& body) {
  const std::string inputs = body.starts_with("inputs:") ? "" : "inputs: {x: {type: bytes, max: 1MiB}}\n";
  return "woa: 1\ngraph: test\n" + inputs + body;
}

inline std::string say(const Compilation& result) {
  std::string text;
  for (const Diagnostic& diagnostic : result.diagnostics) text += format(diagnostic, false);
  return text;
}

inline CertifiedPlan compile_good(const std::string& body, const CompileOptions& options = fixture_options()) {
  Compilation result = compile_text(graph_text(body), "graph.yaml", "folder", options);
  INFO(graph_text(body) << say(result));
  REQUIRE(result.plan.has_value());
  CHECK(result.diagnostics.empty());
  CHECK(validate(*result.plan).message() == "");
  return std::move(*result.plan);
}

// Codes of all problems, in order, joined by blanks.
inline std::string codes(const std::string& text, const CompileOptions& options = fixture_options()) {
  const Compilation result = compile_text(text, "graph.yaml", "folder", options);
  std::string all;
  for (const Diagnostic& diagnostic : result.diagnostics) all += (all.empty() ? "" : " ") + diagnostic.code;
  CHECK(result.plan.has_value() == result.diagnostics.empty());
  return all;
}

inline const StagePlan& stage_of(const Plan& plan, const std::string& name) {
  const auto found =
      std::find_if(plan.stages.begin(), plan.stages.end(), [&](const auto& s) { return s.name == name; });
  if (found == plan.stages.end()) throw std::out_of_range("no stage " + name);
  return *found;
}

// "stage.port" of both ends; the source's and sink's stage names are `source` and `sink`.
inline const EdgePlan& edge_of(const Plan& plan, const std::string& from, const std::string& to) {
  for (const EdgePlan& edge : plan.edges) {
    const StagePlan &writer = plan.stages[edge.from_stage], &reader = plan.stages[edge.to_stage];
    if (writer.name + "." + writer.outputs[edge.from_port].name == from &&
        reader.name + "." + reader.inputs[edge.to_port].name == to) {
      return edge;
    }
  }
  throw std::out_of_range("no edge " + from + " -> " + to);
}

}  // namespace woa::test
