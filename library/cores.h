// --cores: the processors that controllers are pinned to.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/base/status.h"
#include "runtime/node/join_listener.h"
#include "runtime/plan/plan.h"

namespace woa {

// Processors by controller.
using Cores = std::map<std::string, Processors>;

// Reads `host=0,cpu:1=1-3,5`. kInvalid: the form, a number, or a controller that is given twice.
Result<Cores> parse_cores(const std::string& text);
// --cores; text of a wrong form is refused with the other options.
CLI::Option* add_cores_option(CLI::App& command, Cores& cores, const std::string& about);

// The processors of the host's own thread; none: none is given.
Processors host_processors(const Cores& cores);
// The processors by controller of `plan`; empty without --cores (RunOptions::processors).
std::vector<Processors> processors_of(const Cores& cores, const Plan& plan);
// kInvalid: a controller that none of `plans` has; the message lists theirs.
Status check_controllers(const Cores& cores, const std::vector<const Plan*>& plans);
// kUnavailable: a processor that does not exist or is not allowed here. Nodes of `joined` check their own.
Status check_processors(const Cores& cores, const Plan& plan = {}, const JoinedNodes& joined = {});

}  // namespace woa
