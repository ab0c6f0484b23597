// Loads a plan from a file on the command line, and prints every problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "library/load_plan.h"
#include "tools/woa/kept_files.h"

namespace woa::tools {

// Options that check, compile and run share.
struct GraphOptions : PlanOptions {
  bool json = false;
  bool quiet = false;                      // problems of a graph are not printed: Loaded has them
  std::string sarif;                       // file to write diagnostics to; empty: none
  std::vector<WrittenFile> written_files;  // other files to write: none may overwrite one that is read
};

// The file, --param and --json.
void add_file_options(CLI::App& command, GraphOptions& options, const std::string& what);
// add_file_options(), --machine and --profile.
void add_graph_options(CLI::App& command, GraphOptions& options, const std::string& what);
void add_sarif_option(CLI::App& command, GraphOptions& options);

// load_plan(); or the exit code, after every problem has been printed (stderr; with --json also as an object on
// stdout).
struct Loaded {
  std::optional<CertifiedPlan> plan;
  int exit_code = 0;
  GraphFacts facts = {};                     // a graph's; for a plan without hash
  std::vector<Diagnostic> diagnostics = {};  // why a graph cannot be compiled; with a plan: warnings
  std::vector<ReadFile> read = {};           // with a plan: files that it was made of, and that its run reads
};
Loaded load(const GraphOptions& options);

}  // namespace woa::tools
