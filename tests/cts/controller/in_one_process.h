// Runs of the suite: function kernels in one process. With WOA_CTS_THREADS in the environment they run on threads,
// several at once.
#pragma once

#include <cstdlib>
#include <string>
#include <type_traits>
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

// So many instances have ended well, each with what `expected` says of its number: the text of its first output, or of
// all as a vector.
template <class Expected>
void require_outputs(const Outcome& outcome, std::uint64_t instances, const Expected& expected) {
  INFO(outcome.status.message());
  REQUIRE(outcome.outputs.size() == instances);
  for (const auto& [instance, outputs] : outcome.outputs) {
    INFO("instance " << instance);
    if constexpr (std::is_convertible_v<decltype(expected(instance)), std::string>)
      REQUIRE(outputs[0] == expected(instance));
    else
      REQUIRE(outputs == expected(instance));
  }
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
