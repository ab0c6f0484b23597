// The subcommands of `woa`. Each registers its options and the action that runs if it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace woa::tools {

// Exit codes, as the command line promises.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;       // the input or the run failed
inline constexpr int kUsage = 2;        // bad usage
inline constexpr int kUnavailable = 3;  // a required device or peer is unavailable
// 130 and 143 (128 + the signal): ended by Ctrl-C or SIGTERM (interruption.h).

// Set by the chosen command's callback; main() runs it after parsing.
using Action = std::function<int()>;

void add_check(CLI::App& app, Action& action);
void add_lsp(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_profile(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_new_kernel(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
// Replaces this process by woa-bench with these arguments. Returns only if woa-bench cannot be started, with the exit
// code.
int become_bench(std::vector<std::string> arguments);
void add_node(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);   // hidden: a run starts its own nodes with it
void add_worker(CLI::App& app, Action& action);  // hidden: a cpu controller starts its worker processes with it

}  // namespace woa::tools
