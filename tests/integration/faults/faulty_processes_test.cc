// Runs in a process per controller over channels with faults, and with a death at every step of the protocol.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "runtime/base/clock.h"
#include "tests/integration/faults/fault_world.h"
#include "tests/support/child.h"
#include "tests/support/node_fault.h"
#include "tests/support/publishing_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kInstances = 40;

struct ProcessWorld : FaultWorld {
  explicit ProcessWorld(const NodeFault& fault, std::vector<FaultPlan> of_host = {})
      : FaultWorld(Inner::kShm, std::move(of_host), fault.wire) {
    options.node_command = {WOA_FAULTY_NODE, fault.to_text()};
  }
};

// Controller 0, the host, is no node: nobody does anything wrong.
NodeFault no_fault() {
  NodeFault none;
  none.controller = kHostController;
  return none;
}

FaultPlan kill_at(ProtocolStep step, std::uint32_t channel, bool at_end) {
  FaultPlan plan;
  plan.kind = FaultKind::kKill;
  plan.step = step;
  plan.channel = channel;
  plan.first = at_end ? 1 : 7;
  return plan;
}

// The device of each controller publishes, so instances wait in devices, with their packets prepared. The middle one
// reads what a device publishes, too.
constexpr std::uint32_t kMiddle = 2;
Plan publishing_chain() { return with_publishing(chain_plan(3, "append_padded")); }

bool is_at_end(ProtocolStep step) {
  return step == ProtocolStep::kProducerCloses || step == ProtocolStep::kProducerClosed ||
         step == ProtocolStep::kConsumerCloses || step == ProtocolStep::kConsumerClosed;
}

void require_clean_run(const Plan& plan) {
  ProcessWorld world(no_fault());
  const Outcome outcome = run_faulty(plan, world, 5);
  REQUIRE(outcome.status.ok());
}

// A node dies by `fault`; `at_end`: perhaps when its run is over.
void run_to_death(const Plan& plan, const NodeFault& fault, bool at_end) {
  const std::string name = plan.controllers[fault.controller].name;
  INFO(name << " dies");
  const std::size_t descriptors = open_descriptors();
  {
    ProcessWorld world(fault);
    const Outcome outcome = run_faulty(plan, world, kInstances);
    INFO(outcome.status.message());
    if (!at_end || !outcome.status.ok()) {
      REQUIRE(outcome.status.code() == Code::kPeerLost);
      REQUIRE(says(outcome.status, "controller '" + name + "'"));
    }
  }
  REQUIRE(children().empty());
  REQUIRE(open_descriptors() == descriptors);
}

// The node of `controller` dies at `step` of its channel number `channel`.
void kill_node(const Plan& plan, std::uint32_t controller, ProtocolStep step, std::uint32_t channel) {
  INFO(to_string(step));
  NodeFault fault;
  fault.controller = controller;
  fault.plan = kill_at(step, channel, is_at_end(step));
  run_to_death(plan, fault, is_at_end(step));  // a node closes when it has reported
}

// Drives a run to its end, in a process that may die on the way. 0 if all went well.
int drive(const Plan& plan, const RunOptions& options) {
  std::uint64_t completed = 0;
  auto run = Run::start(plan, options, [&](const Completion&) { ++completed; });
  if (!run.ok()) return 2;
  while (completed < kInstances && (*run)->status().ok()) {
    while ((*run)->submit([](std::uint32_t, std::span<std::byte> room) {
      std::fill_n(room.begin(), kPaddedBytes, std::byte{'x'});
      return Result<std::uint64_t>(std::uint64_t{kPaddedBytes});
    }) == Push::kOk)
      continue;
    if ((*run)->do_work() == 0) (*run)->wait();
  }
  return (*run)->finish().ok() ? 0 : 1;
}

// The host dies at `step` of its channel number `channel`. Nodes without a host become children of this process.
void kill_host(const Plan& plan, ProtocolStep step, std::uint32_t channel) {
  INFO(to_string(step));
  const std::uint64_t begin = now_ns();
  ProcessWorld world(no_fault(), {kill_at(step, channel, is_at_end(step))});
  Child host([&] { return drive(plan, world.options); });
  const int end = host.wait();
  REQUIRE(WIFSIGNALED(end));
  REQUIRE(WTERMSIG(end) == SIGKILL);
  while (!children().empty()) {
    REQUIRE(now_ns() - begin < kLimit_ns);
    if (::waitpid(-1, nullptr, WNOHANG) == 0) ::usleep(500);
  }
}

}  // namespace

TEST_CASE("a fault in one process is reported with its controller, or harmless") {
  struct Row {
    FaultKind kind;
    FaultTarget target;
    bool harmless;
  };
  for (const Row& row :
       {Row{FaultKind::kDrop, FaultTarget::kPackets, false}, Row{FaultKind::kDuplicate, FaultTarget::kPackets, false},
        Row{FaultKind::kCorrupt, FaultTarget::kPackets, false}, Row{FaultKind::kDelay, FaultTarget::kPackets, true},
        Row{FaultKind::kFillUp, FaultTarget::kPackets, true}, Row{FaultKind::kDrop, FaultTarget::kReturns, false},
        Row{FaultKind::kDuplicate, FaultTarget::kReturns, false},
        Row{FaultKind::kDelay, FaultTarget::kReturns, true}}) {
    NodeFault fault;
    fault.controller = 2;
    fault.plan.kind = row.kind;
    fault.plan.target = row.target;
    fault.plan.first = 5;
    fault.plan.amount = row.harmless ? 20 : 0;
    // cpu:1 has two receivers, of control and of what cpu:0 sends, and one sender, to cpu:2
    fault.plan.channel = row.target == FaultTarget::kReturns || row.kind == FaultKind::kFillUp ? 0 : 1;
    fault.wire = {Landing::kByArrival, true};
    INFO(to_string(fault.plan));
    ProcessWorld world(fault);
    const Outcome outcome = run_faulty(chain_plan(3, "append"), world, kInstances);
    INFO(outcome.status.message());
    REQUIRE(outcome.status.code() == (row.harmless ? Code::kOk : Code::kDataLoss));
    REQUIRE((row.harmless || says(outcome.status, "controller 'cpu:1'")));
    REQUIRE(children().empty());
  }
}

TEST_CASE("a node killed at any step: the run ends with its name, leaves nothing, and another follows") {
  const Plan plan = chain_plan(3, "append");
  for (std::uint32_t controller = 1; controller <= 3; ++controller) {
    for (const ProtocolStep step : kProducerSteps) kill_node(plan, controller, step, 0);
    for (const ProtocolStep step : kConsumerSteps) kill_node(plan, controller, step, 1);  // its first receives control
  }
  require_clean_run(plan);  // each of the others followed one that was killed, too, and lived until its own death
}

TEST_CASE("a node whose device publishes killed at any step: the run ends with its name, and leaves nothing") {
  const Plan plan = publishing_chain();
  for (const ProtocolStep step : kPreparingSteps) {
    if (step != ProtocolStep::kPublished) kill_node(plan, kMiddle, step, 0);  // its host publishes nothing
  }
  require_clean_run(plan);
}

TEST_CASE("a reader killed at any step while packets for it are prepared: the run ends with its name") {
  const Plan plan = publishing_chain();
  for (const ProtocolStep step : kConsumerSteps) kill_node(plan, kMiddle, step, 1);
  require_clean_run(plan);
}

TEST_CASE("a node killed between two publications of its device: the run ends with its name, and leaves nothing") {
  const Plan plan = publishing_chain();
  for (const std::uint32_t controller : {1U, 3U}) {
    for (std::uint64_t publications = 0; publications <= 4; ++publications) {
      INFO(publications << " publications");
      NodeFault fault;
      fault.controller = controller;
      fault.publications = publications;
      run_to_death(plan, fault, false);
    }
  }
  require_clean_run(plan);
}

TEST_CASE("the host killed at any step: no node survives it, and another run follows") {
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  constexpr std::uint32_t kTokensOut = 3, kTokensIn = 0;  // its first three senders control nodes
  const Plan plan = chain_plan(3, "append");
  for (const ProtocolStep step : kProducerSteps) kill_host(plan, step, kTokensOut);
  for (const ProtocolStep step : kConsumerSteps) kill_host(plan, step, kTokensIn);
  require_clean_run(plan);
  const Plan publishing = publishing_chain();  // the host reads what a device publishes
  for (const ProtocolStep step : kConsumerSteps) kill_host(publishing, step, kTokensIn);
  require_clean_run(publishing);
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 0) == 0);
}

}  // namespace woa::test
