#include "library/local_run.h"

#include <algorithm>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "library/option_values.h"
#include "library/plan_options.h"
#include "library/program_kernels.h"
#include "runtime/base/processor.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/shm/shm_transport.h"

namespace woa {

void add_processes_option(CLI::App& command, LocalRunOptions& options) {
  command.add_option("--processes", options.processes, "one: a thread per controller; per-controller: a process each")
      ->check(one_of({"one", "per-controller"}))
      ->capture_default_str();
}

void add_limit_options(CLI::App& command, LocalRunOptions& options) {
  command
      .add_option("--start-limit", options.start_ns,
                  "Wait this long for all controllers to become ready (default: 60s)")
      ->transform(duration_ns());
  command
      .add_option("--end-limit", options.end_ns,
                  "After the last instance, wait this long for the controllers' counters (default: 10s)")
      ->transform(duration_ns());
}

void add_memory_option(CLI::App& command, LocalRunOptions& options) {
  command
      .add_option("--memory", options.memory,
                  "Run fewer instances at once where payloads take more memory of this host (default: half of what is "
                  "free)")
      ->transform(bytes());
}

void add_guard_option(CLI::App& command, bool& guard) {
  command.add_flag(kGuardOption, guard,
                   "Find kernels that leave their memory: each port lies between pages that end the process when they "
                   "are touched, and a kernel that wrote outside of its output fails (cpu; slower)");
}

RunOptions local_run(const LocalRunOptions& options, const BackendRegistry& backends) {
  RunOptions run;
  run.backends = &backends;
  run.kernel_path = kernel_path();
  run.read_declaration = read_declaration;
  run.program_kernels = program_kernels();
  run.start_ns = options.start_ns;
  run.end_ns = options.end_ns;
  run.memory = options.memory;
  if (options.processes == "per-controller") run.node_command = {program("woa").string(), kServeCommand};
  return run;
}

void limit_threads_of_kernels(const LocalRunOptions& options, const Plan& plan) noexcept {
  if (options.processes == "one" && std::ranges::any_of(plan.controllers, &ControllerPlan::has_several_workers))
    keep_kernels_to_one_thread();
}

std::unique_ptr<SharedMemory> local_transport(const LocalRunOptions& options) {
  if (options.processes == "one") return std::make_unique<LoopbackTransport>();
  return std::make_unique<ShmTransport>();
}

std::string_view transport_of(std::string_view processes) noexcept { return processes == "one" ? "loopback" : "shm"; }

}  // namespace woa
