// Every command that runs plans on this host has in common: a thread or a process for each controller, and how
// long it waits for them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "library/environment.h"
#include "runtime/node/run.h"
#include "runtime/transport/shared_memory.h"

namespace woa {

// The command of `woa` by which a run serves a node that it started.
inline constexpr const char* kServeCommand = "serve";

struct LocalRunOptions {
  std::string processes = "per-controller";  // or "one"
  std::uint64_t start_ns = RunOptions().start_ns, end_ns = RunOptions().end_ns;
  std::uint64_t memory = 0;  // RunOptions::memory
};
// --processes.
void add_processes_option(CLI::App& command, LocalRunOptions& options);
// --start-limit and --end-limit.
void add_limit_options(CLI::App& command, LocalRunOptions& options);
// --memory, of commands with many instances in flight.
void add_memory_option(CLI::App& command, LocalRunOptions& options);

// kGuardOption.
void add_guard_option(CLI::App& command, bool& guard);

// `options` as Run::start() takes them, but for `transport` and what leads there: kernels of this program, and `woa
// serve` for nodes if controllers have processes. `backends` is borrowed.
RunOptions local_run(const LocalRunOptions& options, const BackendRegistry& backends);
// Before kernels are loaded that run as threads of this process: one thread for each, where other workers have the rest
// (keep_kernels_to_one_thread()). Processes of nodes do that themselves.
void limit_threads_of_kernels(const LocalRunOptions& options, const Plan& plan) noexcept;
// The transport for these processes: loopback for one, else shm.
std::unique_ptr<SharedMemory> local_transport(const LocalRunOptions& options);

// The transport between controllers that `--processes` selects: "one" (threads) or "per-controller".
std::string_view transport_of(std::string_view processes) noexcept;

}  // namespace woa
