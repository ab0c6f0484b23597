// Runs of the suite: function kernels in one process. With WOA_CTS_THREADS in the environment they run on threads,
// several at once.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include "runtime/call_models/call_model.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/functions.h"
#include "tests/support/run_harness.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {

inline std::string number(std::uint64_t instance, std::uint32_t) { return std::to_string(instance); }

inline BackendFactory factory(const Functions& kernels) {
  static const bool threads = std::getenv("WOA_CTS_THREADS") != nullptr;
  return threads ? function_factory<ThreadedBackend>(kernels) : function_factory<FunctionBackend>(kernels);
}

inline Outcome run_over(SharedMemory& transport, BackendFactory backend, const Plan& plan, const char* model,
                        std::uint64_t instances, const Input& input = number) {
  BackendRegistry backends;
  REQUIRE(backends.add(std::move(backend)).ok());
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  auto rewritten = rewrite(plan, model);
  REQUIRE(rewritten.ok());
  return run_plan(*rewritten, options, instances, input);
}

inline Outcome run_with(BackendFactory backend, const Plan& plan, const char* model, std::uint64_t instances,
                        const Input& input = number) {
  LoopbackTransport transport;
  return run_over(transport, std::move(backend), plan, model, instances, input);
}

inline Outcome run(const Plan& plan, const char* model, std::uint64_t instances, const Input& input = number,
                   const Functions& kernels = functions()) {
  return run_with(factory(kernels), plan, model, instances, input);
}

}  // namespace woa::test
