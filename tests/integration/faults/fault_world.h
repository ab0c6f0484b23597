// Runs over the fault transport, and what every one of them must keep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/process_run.h"
#include "tests/support/run_harness.h"

namespace woa::test {

enum class Inner { kLoopback, kShm };

inline std::unique_ptr<Transport> make_inner(Inner inner) {
  if (inner == Inner::kLoopback) return std::make_unique<LoopbackTransport>();
  return std::make_unique<ShmTransport>();
}

// A run's options over a fault transport of its own.
struct FaultWorld {
  FaultWorld(Inner inner, std::vector<FaultPlan> plans, WireOptions wire = {})
      : transport(make_inner(inner), std::move(plans), wire) {
    REQUIRE(backends.add(function_factory(functions())).ok());
    options.backends = &backends;
    options.transport = &transport;
    options.idle = IdleOptions{.spin_ns = 0, .yields = 4, .sleep_ns = 1'000'000};  // many polls in little time
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

// Whatever happened: what came out is right, and what failed did so with the run. `chain("append")` of number().
inline void require_nothing_wrong(const Outcome& outcome) {
  for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == std::to_string(instance) + "abc");
  for (const auto& [instance, failure] : outcome.failures) REQUIRE(failure.code == Code::kPeerLost);
  if (outcome.status.ok()) REQUIRE(outcome.failures.empty());
}

inline bool says(const Status& status, const std::string& text) {
  return status.message().find(text) != std::string::npos;
}

}  // namespace woa::test
