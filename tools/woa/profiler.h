// Measures the time of each stage of a graph on every kind of controller here (docs/profile.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "library/local_run.h"
#include "runtime/controller/backend.h"
#include "tools/woa/load_plan.h"
#include "tools/woa/profile_report.h"

namespace woa::tools {

struct ProfileRequest {
  GraphOptions graph;
  std::vector<std::string> in;  // NAME=FILE|DIR
  LocalRunOptions local;
  std::uint64_t repetitions = 11, seconds = 10;  // per input; per run, after which no repetition begins
};

// A profile, or the exit code after the error has been printed.
struct Profiled {
  std::optional<GraphProfile> profile;
  int exit_code = 0;
};
// Runs the graph several times; blocks.
Profiled profile_graph(const ProfileRequest& request, const BackendRegistry& backends);

// kUnavailable: the file cannot be written.
Status write_profile(const std::string& path, const nlohmann::ordered_json& profile);

}  // namespace woa::tools
