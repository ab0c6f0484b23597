// The options of a compilation, as the commands and the library's programs give them.
#pragma once

#include <CLI/CLI.hpp>

#include "library/load_plan.h"

namespace woa {

// For an option: nanoseconds of a time with its unit, such as 500ms or 2s.
CLI::Validator duration_ns();

// --nodes, for commands that do not wait for the nodes.
void add_nodes_option(CLI::App& command, PlanOptions& options);
void add_param_option(CLI::App& command, PlanOptions& options);
// --machine and --profile.
void add_machine_options(CLI::App& command, PlanOptions& options);
// --objective and its bounds, --copies and --placement-limit. After add_machine_options().
void add_placement_options(CLI::App& command, PlanOptions& options);
void add_model_option(CLI::App& command, PlanOptions& options);
void add_deadline_option(CLI::App& command, PlanOptions& options);
// --window, --deadline, --buffers, --replicas, --workers, --isolate and --kernel-limit.
void add_flow_options(CLI::App& command, PlanOptions& options);
// add_flow_options() without a deadline, and with only the --buffers that every call model can have.
void add_flow_options_of_any_model(CLI::App& command, PlanOptions& options);

}  // namespace woa
