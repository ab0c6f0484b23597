// Runs in several processes whose packets take wires of ofi over loopback: the plans, and what must happen when a node
// is lost.
#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/call_models/call_model.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/need.h"
#include "tests/support/process_run.h"
#include "tests/support/require.h"
#include "tests/support/run_harness.h"
#include "tests/support/says.h"

namespace woa::test {

inline constexpr std::uint64_t kLimit_ns = 10'000'000'000;  // many times the time until the loss of a peer shows

inline std::unique_ptr<OfiTransport> make_wire(const std::string& provider) {
  OfiOptions options;
  options.provider = provider;
  auto transport = make_ofi_transport(options);
  if (!transport.ok() && transport.status().code() == Code::kUnavailable) skip("ofi", transport.status().message());
  return need(std::move(transport));
}

struct World {
  BackendRegistry backends;
  ShmTransport shared;
  std::vector<std::unique_ptr<OfiTransport>> wires;
  RunOptions options;
  explicit World(const std::vector<std::string>& providers = {"tcp;ofi_rxm"}) {
    REQUIRE(backends.add(function_factory(functions())).ok());
    options.backends = &backends;
    options.transport = &shared;
    options.node_command = {WOA_TEST_NODE};
    for (const std::string& provider : providers) {
      wires.push_back(make_wire(provider));
      options.wires.push_back(wires.back().get());
      options.node_command.push_back(provider);
    }
    options.apart = {0, 1, 2, 3};
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
};

inline Plan as(const Plan& plan, const char* model) { return need(rewrite(plan, model)); }

// A text from empty to longer than an inline payload, different for each instance.
inline std::string long_and_short(std::uint64_t instance, std::uint32_t) {
  std::string text(instance * 37 % 3000, 'x');
  for (std::size_t k = 0; k < text.size(); ++k) text[k] = static_cast<char>('a' + (instance + k) % 26);
  return text;
}

// One output read by three stages on two controllers, twice on the same.
inline Plan fan_out() {
  PlanBuilder builder(1, 1, 10'000);
  const auto a = builder.stage("a", "copy", "cpu:0"), b = builder.stage("b", "append", "cpu:1"),
             c = builder.stage("c", "append", "cpu:2"), both = builder.stage("both", "join", "cpu:1", 2),
             all = builder.stage("all", "join", "cpu:1", 2);
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(a, 0, c, 0);
  builder.edge(b, 0, both, 0);
  builder.edge(c, 0, both, 1);
  builder.edge(both, 0, all, 0);
  builder.edge(a, 0, all, 1);
  builder.edge(all, 0, kSinkStage, 0);
  return builder.build();
}

// Four stages that may write over their inputs, by turns on two controllers: each payload comes to either one twice.
inline Plan passing() {
  PlanBuilder builder(1, 1, 10'000);
  std::uint32_t last = kSourceStage;
  for (const char* name : {"a", "b", "c", "d"}) {
    const auto next = builder.stage(name, "append", name[0] % 2 == 0 ? "cpu:0" : "cpu:1");
    builder.edge(last, 0, next, 0).keep = 0;
    builder.raw().stages[next].outputs[0].in_place = 0;
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0).keep = 0;
  return builder.build();
}

inline void submit_one(Run& run, std::uint64_t& submitted) {
  const Push push = run.submit([](std::uint32_t, std::span<std::byte> room) {
    room[0] = std::byte{'x'};
    return Result<std::uint64_t>(std::uint64_t{1});
  });
  if (push == Push::kOk) ++submitted;
}

// Hits one node with `signal` after some instances; the run must end, name the node, and leave nothing.
inline void check_loss(World& world, const Plan& plan, std::size_t victim, int signal) {
  std::uint64_t completed = 0, submitted = 0, hit_ns = 0;
  auto run = Run::start(plan, world.options, [&](const Completion& completion) {
    ++completed;
    if (completion.failure != nullptr) REQUIRE(completion.failure->code == Code::kPeerLost);
  });
  INFO(run.status().message());
  REQUIRE(run.ok());
  const std::vector<pid_t> nodes = children();
  REQUIRE(nodes.size() == plan.controllers.size() - 1);
  while ((*run)->status().ok()) {
    if (completed >= 20 && hit_ns == 0) {
      REQUIRE(::kill(nodes[victim], signal) == 0);
      hit_ns = now_ns();
    }
    submit_one(**run, submitted);
    if ((*run)->do_work() == 0) (*run)->wait();
    REQUIRE((hit_ns == 0 || now_ns() - hit_ns < kLimit_ns));
  }
  const Status status = (*run)->status();
  INFO(status.message());
  REQUIRE(status.code() == Code::kPeerLost);
  REQUIRE(says(status, "'cpu:" + std::to_string(victim) + "'"));
  REQUIRE(completed == submitted);  // each ended: done or failed
  run = Status(Code::kCancelled, "over");
  REQUIRE(children().empty());
}

}  // namespace woa::test
