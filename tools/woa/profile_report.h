// The file and the tables of `woa profile` (docs/profile.md).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/measure/profile_run.h"

namespace woa::tools {

// A stage on a kind of controller: what was measured, or why nothing was.
struct ProfileEntry {
  measure::MeasuredStage measured;
  measure::MeasuredStage busy = {};  // while all workers of its controller work; no firings: not measured
  std::string missing, fix;          // missing is empty where something was measured
};

struct GraphProfile {
  std::string graph, hash, processor, host_state;
  std::uint64_t inputs = 0, repetitions = 0;
  measure::MeasuredRun base;                                           // firings and tokens
  std::map<std::string, std::map<std::string, ProfileEntry>> entries;  // by stage, then by kind
};

nlohmann::ordered_json to_json(const GraphProfile& profile);
// Prints that object as a few tables on stdout.
void print_profile(const nlohmann::ordered_json& profile);

}  // namespace woa::tools
