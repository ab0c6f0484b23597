// Loads a plan from a file on the command line: compiles a graph, or reads a plan.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"
#include "compiler/compiler.h"
#include "runtime/base/status.h"
#include "runtime/plan/plan.h"
#include "tools/woa/kept_files.h"

namespace woa::tools {

// --buffers: blocks for all of the window; only those that one instance needs; or for a throughput (docs/liveness.md).
inline constexpr std::string_view kFullBuffers = "full", kLeastBuffers = "least", kThroughputBuffers = "throughput";

// Options that check, compile and run share.
struct GraphOptions {
  std::filesystem::path file;
  std::string machine;
  std::string transport = "shm";    // between controllers; a machine file may know its inline limit
  std::vector<std::string> params;  // STAGE.NAME=VALUE
  std::string profile;              // the graph's profile; empty: none
  std::map<std::string, std::uint32_t> replicas;
  std::optional<std::string> model;  // call model; absent: a plan's own, or goal.model for a graph
  PlacementGoal goal;                // with a profile: what stages are placed for
  std::uint64_t placement_limit_ns = 10'000'000'000;
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> deadline_ns;
  std::optional<std::string> buffers;  // absent: a plan's own, or full for a graph
  bool json = false;
  bool quiet = false;                       // problems of a graph are not printed: Loaded has them
  std::map<std::string, std::string> pins;  // stage -> controller, in place of the graph's
  bool any_machine = false;                 // no machine file, not even the default one
  bool written = false;                     // goes into a file: the plan's proofs must still hold
  bool anywhere = false;                    // may run elsewhere: a kernel that is missing here is a warning
  std::string sarif;                        // file to write diagnostics to; empty: none
  std::vector<WrittenFile> written_files;   // other files to write: none may overwrite one that is read
};

// For an option: nanoseconds of a time with its unit, such as 500ms or 2s.
CLI::Validator duration_ns();

// The file, --param and --json.
void add_file_options(CLI::App& command, GraphOptions& options, const std::string& what);
// add_file_options(), --machine and --profile.
void add_graph_options(CLI::App& command, GraphOptions& options, const std::string& what);
void add_sarif_option(CLI::App& command, GraphOptions& options);
// --objective and its bounds, --copies and --placement-limit.
void add_placement_options(CLI::App& command, GraphOptions& options);
void add_model_option(CLI::App& command, GraphOptions& options);
void add_deadline_option(CLI::App& command, GraphOptions& options);
// --window, --deadline, --buffers and --replicas.
void add_flow_options(CLI::App& command, GraphOptions& options);
// add_flow_options() without a deadline, and with only the --buffers that every call model can have.
void add_flow_options_of_any_model(CLI::App& command, GraphOptions& options);

// A plan for the call model asked for, without its routes (rewrite()); or the exit code, after every problem has been
// printed (stderr; with --json also as an object on stdout).
struct Loaded {
  std::optional<CertifiedPlan> plan;
  int exit_code = 0;
  GraphFacts facts = {};                     // a graph's; for a plan without hash
  std::vector<Diagnostic> diagnostics = {};  // why a graph cannot be compiled; with a plan: warnings
  std::vector<ReadFile> read = {};           // with a plan: files that it was made of, and that its run reads
};
Loaded load_plan(const GraphOptions& options);

// The transport between controllers that `--processes` selects: "one" (threads) or "per-controller".
std::string_view transport_of(std::string_view processes) noexcept;

}  // namespace woa::tools
