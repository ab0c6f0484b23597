// The cpu back-end, where kernels run on cores of this machine; and its worker processes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "runtime/base/children.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

struct CpuOptions {
  bool guarded =
      false;  // kernels run in memory of their own, where it shows if they leave their ports (guarded_ports.h)
  // Calls serve_worker(), for isolated stages; an empty command: this program has none.
  Children::Program worker = {};
};

// Always one device, never simulated: the processor. It serves every ordinal, with ControllerPlan::workers.
BackendFactory cpu_factory(CpuOptions options);
BackendFactory cpu_factory();

// ---- A worker process: a program that calls this instead of its usual main()

struct WorkerServer {
  ReadDeclaration read_declaration;  // see RunOptions
  bool guarded = false;              // see KernelRunner::reserve()
  // Makes a kernel of the program, of what ProgramKernel::sent has; null: this program knows none.
  std::function<Result<ProgramKernel>(const std::string& sent)> receive = nullptr;
};

// Runs firings for the thread that started this process, until that ends it or is gone. Descriptors 3 and on are those
// of controllers/cpu/worker_memory.h. Returns the process's exit code: 0 after an orderly end, 1 if the kernels cannot
// be loaded (the thread was told), 2 if no run started it.
int serve_worker(const WorkerServer& server);
// From a kernel: bytes that go with the failure that it is about to return, kMostAttached at most.
void attach_to_failure(std::span<const std::byte> bytes) noexcept;

}  // namespace woa
