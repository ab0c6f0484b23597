// Makes a plan: compiles a graph, or reads a plan, and applies options to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compiler.h"
#include "library/cores.h"
#include "library/environment.h"
#include "library/read_files.h"
#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// --buffers: blocks for all of the window; only those that one instance needs; or for a throughput (docs/liveness.md).
inline constexpr std::string_view kFullBuffers = "full", kLeastBuffers = "least", kThroughputBuffers = "throughput";

struct PlanOptions {
  std::filesystem::path file;
  std::optional<std::string> text;  // of the graph, in place of the file's
  std::string machine;
  std::string transport = "shm";    // between controllers; a machine file may know its inline limit
  std::vector<std::string> params;  // STAGE.NAME=VALUE
  std::string profile;              // the graph's profile; empty: none
  std::size_t nodes = 0;  // of the run: without a machine file each has a cpu controller; 0: one for this host
  std::optional<std::uint32_t> workers;  // of every cpu controller; absent: a plan's own
  std::map<std::string, std::uint32_t> replicas;
  std::optional<std::string> model;  // call model; absent: a plan's own, or goal.model for a graph
  PlacementGoal goal;                // with a profile: what stages are placed for
  std::uint64_t placement_limit_ns = 10'000'000'000;
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> timeout_ns;
  bool isolate = false;                        // every stage on a cpu controller
  std::uint64_t kernel_limit_ns = 0;           // of each of their firings; implies the above; 0: none
  std::optional<std::string> buffers;          // absent: a plan's own, or full for a graph
  std::map<std::string, std::string> pins;     // stage -> controller, in place of the graph's
  bool any_machine = false;                    // no machine file, not even the default one
  bool written = false;                        // goes into a file: the plan's proofs must still hold
  bool anywhere = false;                       // may run elsewhere: a kernel that is missing here is a warning
  OnMessage warn = [](const std::string&) {};  // takes warnings that no diagnostic is
};

// Returns the plan with the room that the workers of controllers on this host take (raise_room()), and with the routes
// of a call model. As it was compiled, if its routes do not fit that room. Errors: those of rewrite().
Result<Plan> plan_for_here(const CertifiedPlan& plan, std::string_view model, const Cores& cores = {});

// A plan for the call model asked for, without its routes (rewrite()); or why there is none.
struct LoadedPlan {
  std::optional<CertifiedPlan> plan;
  Status status = {};                           // not ok: an option, a plan's file or its proofs
  bool bad_option = false;                      // the status is about an option
  bool compiled = false;                        // `file` is a plan
  GraphFacts facts = {};                        // a graph's; for a plan without hash
  std::vector<Diagnostic> diagnostics = {};     // why a graph cannot be compiled; with a plan: warnings
  [[nodiscard]] bool graph_has_errors() const;  // told by diagnostics; else `status` tells
  std::vector<ReadFile> read = {};              // files that it was made of, and that its run reads
};
// Blocks; with a profile for placement_limit_ns at most.
LoadedPlan load_plan(const PlanOptions& options);

}  // namespace woa
