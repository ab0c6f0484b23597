// From a file on the command line to a plan: a graph is compiled, a plan is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"
#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::tools {

// Options that check, compile and run share.
struct GraphOptions {
  std::filesystem::path file;
  std::string machine;
  std::string transport = "shm";    // between controllers; a machine file may know its inline limit
  std::vector<std::string> params;  // STAGE.NAME=VALUE
  std::map<std::string, std::uint32_t> replicas;
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> deadline_ns;
  bool json = false;
};

void add_graph_options(CLI::App& command, GraphOptions& options, const std::string& what);
// --window, --deadline and --replicas.
void add_flow_options(CLI::App& command, GraphOptions& options);

// A plan, or the exit code after every problem has been printed (stderr; with --json also as an object on stdout).
struct Loaded {
  std::optional<Plan> plan;
  int exit_code = 0;
};
Loaded load_plan(const GraphOptions& options);

// The transport between controllers that `--processes` stands for: "one" (threads) or "per-controller".
std::string_view transport_of(std::string_view processes) noexcept;

}  // namespace woa::tools
