// One graph under every call model, each at its own best placement: what `woa compare` prints.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/place/break_even.h"
#include "compiler/place/prediction.h"
#include "runtime/node/run.h"
#include "tools/woa/run_files.h"

namespace woa::tools {

// One instance after another, so that its time is its own.
struct ModelRun {
  Status status;                                  // why there is nothing: the run, or its first failed instance
  std::uint64_t instances = 0;                    // of which the first round warms up, and counts in no time
  std::uint64_t messages = 0, payload_bytes = 0;  // of all of them
  double median_us = 0;
  std::vector<OutputFiles::Summary> outputs;
};

struct ModelRow {
  std::string model;
  std::map<std::string, std::string> placement;  // stage -> controller
  Prediction prediction;
  std::string status;                                                // of the placement (docs/placement.md)
  Result<Plan> plan = Status(Code::kInternal, "not rewritten yet");  // of this model; or why it cannot run so
  std::uint64_t peak_buffer_bytes = 0;                               // that plan's blocks and rings; 0 without one
  std::optional<ModelRun> measured;
};

struct Comparison {
  std::string graph, machine, objective;  // machine: its file, empty without one
  std::vector<ModelRow> models;           // in the order of kPlacementModels
  Result<BreakEven> break_even = Status(Code::kInternal, "not looked for yet");
};

// What a plan reserves for payloads and packets, all processes together.
std::uint64_t buffer_bytes(const Plan& plan);

// Every input in turns, `repetitions` times after one round that warms up. Blocks.
ModelRun run_model(Plan plan, const InputFiles& inputs, RunOptions options, std::uint64_t repetitions);

nlohmann::json to_json(const Comparison& comparison);
void print(const Comparison& comparison);
// Whether all models that ran gave the same outputs.
bool same_outputs(const Comparison& comparison);

}  // namespace woa::tools
