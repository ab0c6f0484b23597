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

// Under objective latency instances run one after another, so that no time includes another instance; under throughput
// as many are in flight as the window takes.
struct ModelRun {
  Status status;                                  // why there is nothing: the run, or its first failed instance
  std::uint64_t instances = 0;                    // includes the first, which warm up and count in no time
  std::uint64_t messages = 0, payload_bytes = 0;  // sum of all instances
  double us = 0;                     // of an instance: the mean of the inputs' medians; or the time between two
  std::vector<std::string> clocked;  // controllers of simulated devices: predicted by their clock, measured as models
  std::vector<OutputFiles::Summary> outputs;
};

// Host memory for payloads and packets, in all processes together.
struct BufferBytes {
  std::uint64_t reserved =
      0;  // addresses: each block has room for its output's bound; only what is written to takes memory
  std::uint64_t used = 0;  // memory, if each block has held a payload of the mean size in the profile, and all rings
};

struct ModelRow {
  std::string model;
  Status placed;                                 // why no placement keeps all bounds; the fields below are then empty
  std::map<std::string, std::string> placement;  // stage -> controller
  Prediction prediction;
  double firings = 0;                      // sum of all kernels in one instance
  std::string status;                      // status of the placement (docs/placement.md)
  std::vector<std::string> modelled;       // stages whose times are
  std::vector<std::string> assumed_links;  // by assumed_links()
  std::int64_t source_ps = 0;              // time to write the inputs, part of all times of the prediction
  bool has_shares = false;                 // has replicas, whose shares the prediction takes to be equal
  bool has_unread = false;                 // has held tokens that are never read; no instance waits for them
  Result<Plan> plan = Status(Code::kInternal, "not rewritten yet");  // the plan for this model, or why it cannot run so
  BufferBytes buffers;                                               // of `plan`; 0 without one
  std::optional<ModelRun> measured;
};

struct Comparison {
  std::string graph, machine, objective;  // machine: its file, empty without one
  std::vector<ModelRow> models;           // in the order of kCallModels
  [[nodiscard]] bool is_of_throughput() const { return objective == "throughput"; }
  Result<BreakEven> break_even = Status(Code::kInternal, "not looked for yet");
};

// `placed`: the certificate that `plan` was placed by, whose edges are the first of the plan.
BufferBytes buffer_bytes(const Plan& plan, const Certificate& placed);

// Runs every input in turn, `rounds` times, of which the first warms up. `in_flight`: as many at once as the window
// takes; else one. Blocks.
ModelRun run_model(Plan plan, InputFiles& inputs, RunOptions options, std::uint64_t rounds, bool in_flight);

nlohmann::json to_json(const Comparison& comparison);
void print(const Comparison& comparison);

// The number of models that ran, and an output that two of them gave differently.
struct Agreement {
  std::size_t ran = 0;
  bool same = true;
  std::string output, one, other;  // unless `same`
};
Agreement agreement_of(const Comparison& comparison);

}  // namespace woa::tools
