// One graph under every call model, each at its own best placement: what `woa compare` prints.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/node/run.h"
#include "tools/woa/run_files.h"

namespace woa::tools {

// One instance after another, so that its time is its own.
struct ModelRun {
  Status status;                                  // why there is nothing: the run, or its first failed instance
  std::uint64_t instances = 0;                    // of which the first round warms up, and counts in no time
  std::uint64_t messages = 0, payload_bytes = 0;  // of all of them
  double median_us = 0;                           // mean of the inputs' medians
  std::vector<std::string> clocked;  // controllers of simulated devices: predicted by their clock, measured as models
  std::vector<OutputFiles::Summary> outputs;
};

struct ModelRow {
  std::string model;
  Status placed;                                 // why no placement keeps all bounds; what follows is empty then
  std::map<std::string, std::string> placement;  // stage -> controller
  Prediction prediction;
  double firings = 0;                      // of all kernels, of an instance
  std::string status;                      // of the placement (docs/placement.md)
  std::vector<std::string> assumed_links;  // as assumed_links()
  std::int64_t source_ps = 0;              // that writing the inputs takes, in all times of the prediction
  bool has_shares = false;                 // of replicas, which are taken to be equal
  bool has_unread = false;                 // held tokens that are never read, for which no instance waits
  Result<Plan> plan = Status(Code::kInternal, "not rewritten yet");  // of this model; or why it cannot run so
  std::uint64_t peak_buffer_bytes = 0;                               // that plan's blocks and rings; 0 without one
  std::optional<ModelRun> measured;
};

struct Comparison {
  std::string graph, machine, objective;  // machine: its file, empty without one
  std::vector<ModelRow> models;           // in the order of kCallModels
  Result<BreakEven> break_even = Status(Code::kInternal, "not looked for yet");
};

// What a plan reserves for payloads and packets, all processes together.
std::uint64_t buffer_bytes(const Plan& plan);

// Every input in turns, `repetitions` times after one round that warms up. Blocks.
ModelRun run_model(Plan plan, const InputFiles& inputs, RunOptions options, std::uint64_t repetitions);

nlohmann::json to_json(const Comparison& comparison);
void print(const Comparison& comparison);

// Of the models that ran: how many did, and an output that two of them gave differently.
struct Agreement {
  std::size_t ran = 0;
  bool same = true;
  std::string output, one, other;  // unless `same`
};
Agreement agreement_of(const Comparison& comparison);

}  // namespace woa::tools
