// Runs over the fault transport, and the checks that each of them must pass.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/controller/layout.h"
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/process_run.h"
#include "tests/support/run_harness.h"
#include "tests/support/says.h"

namespace woa::test {

constexpr std::uint64_t kLimit_ns = 10'000'000'000;  // ten times what a fault or a death may go unnoticed

enum class Inner { kLoopback, kShm };

inline std::unique_ptr<SharedMemory> make_inner(Inner inner) {
  if (inner == Inner::kLoopback) return std::make_unique<LoopbackTransport>();
  return std::make_unique<ShmTransport>();
}

// A run's options over a fault transport of its own.
struct FaultWorld {
  FaultWorld(Inner inner, std::vector<FaultPlan> plans, PathOptions wire = {})
      : transport(make_inner(inner), std::move(plans), wire) {
    REQUIRE(backends.add(function_factory(functions())).ok());
    options.backends = &backends;
    options.transport = &transport;
  }
  BackendRegistry backends;
  FaultTransport transport;
  RunOptions options;
};

// The numbers that the ends of a channel have in a run in one process: its controllers open theirs one after the other.
struct ChannelEnds {
  std::uint32_t sender = 0, receiver = 0;
};
inline ChannelEnds ends_of(const Plan& plan, const ChannelLayout& wanted) {
  const Layout layout = make_layout(plan);
  ChannelEnds found;
  std::uint32_t senders = 0, receivers = 0;
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) {
    for (const ChannelLayout& channel : layout.channels) {
      const bool is_wanted = channel.from == wanted.from && channel.to == wanted.to;
      if (channel.from == c && is_wanted) found.sender = senders;
      if (channel.to == c && is_wanted) found.receiver = receivers;
      senders += channel.from == c ? 1 : 0;
      receivers += channel.to == c ? 1 : 0;
    }
  }
  return found;
}

// Runs `instances` instances of number() and checks what holds under any fault: the run ended in time, outputs are
// right (of kernels "append", or "append_padded"), and instances failed only with the run.
inline Outcome run_faulty(const Plan& plan, const FaultWorld& world, std::uint64_t instances) {
  const bool is_padded = plan.stages[kSinkStage].inputs[0].type.is_fixed();
  const auto text = [&](std::string unpadded) { return is_padded ? padded(std::move(unpadded)) : unpadded; };
  const std::uint64_t begin = now_ns();
  Outcome outcome = run_plan(plan, world.options, instances,
                             [&](std::uint64_t instance, std::uint32_t) { return text(std::to_string(instance)); });
  REQUIRE(now_ns() - begin < kLimit_ns);
  for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == text(std::to_string(instance) + "abc"));
  for (const auto& [instance, failure] : outcome.failures) REQUIRE(failure.code == Code::kPeerLost);
  if (outcome.status.ok()) {
    REQUIRE(outcome.failures.empty());
    REQUIRE(outcome.outputs.size() == instances);
  }
  return outcome;
}

}  // namespace woa::test
