// Options of woa.h: the same definitions, checks and messages as the command line's.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "library/load_plan.h"
#include "library/run_arguments.h"
#include "runtime/base/status.h"
#include "woa/woa.h"

namespace woa {

// The options that woa_compile() and woa_run_start() take.
void add_compile_options(CLI::App& app, PlanOptions& options);
struct StartOptions {
  RunArguments run;
  bool own_thread = false;
  std::optional<std::uint32_t> workers;  // of each cpu controller; nothing: as the plan says
};
void add_start_options(CLI::App& app, StartOptions& options);

// Sets what the options of `app` are bound to. kInvalid names the option, what was found and what is expected.
Status parse_options(CLI::App& app, std::span<const woa_option> given);
// The value of woa_options().
nlohmann::json list_options(const CLI::App& app);

}  // namespace woa
