// Runs in a process per controller over channels with faults, and with a death at every step of the protocol.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "runtime/base/clock.h"
#include "tests/integration/faults/fault_world.h"
#include "tests/support/child.h"
#include "tests/support/node_fault.h"

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

bool is_at_end(ProtocolStep step) {
  return step == ProtocolStep::kProducerCloses || step == ProtocolStep::kProducerClosed ||
         step == ProtocolStep::kConsumerCloses || step == ProtocolStep::kConsumerClosed;
}

void require_clean_run() {
  ProcessWorld world(no_fault());
  const Outcome outcome = run_faulty(chain_plan(3, "append"), world, 5);
  REQUIRE(outcome.status.ok());
}

// The node of `controller` dies at `step` of its channel number `channel`.
void kill_node(std::uint32_t controller, ProtocolStep step, std::uint32_t channel) {
  const std::string name = "cpu:" + std::to_string(controller - 1);
  INFO(name << " dies: " << to_string(step));
  const std::size_t descriptors = open_descriptors();
  {
    NodeFault fault;
    fault.controller = controller;
    fault.plan = kill_at(step, channel, is_at_end(step));
    ProcessWorld world(fault);
    const Outcome outcome = run_faulty(chain_plan(3, "append"), world, kInstances);
    INFO(outcome.status.message());
    // A node closes when it has reported: its run is over then.
    if (!is_at_end(step) || !outcome.status.ok()) {
      REQUIRE(outcome.status.code() == Code::kPeerLost);
      REQUIRE(says(outcome.status, "controller '" + name + "'"));
    }
  }
  REQUIRE(children().empty());
  REQUIRE(open_descriptors() == descriptors);
}

// Drives a run to its end, in a process that may die on the way. 0 if all went well.
int drive(const Plan& plan, const RunOptions& options) {
  std::uint64_t completed = 0;
  auto run = Run::start(plan, options, [&](const Completion&) { ++completed; });
  if (!run.ok()) return 2;
  while (completed < kInstances && (*run)->status().ok()) {
    while ((*run)->submit([](std::uint32_t, std::span<std::byte> room) {
      room[0] = std::byte{'x'};
      return Result<std::uint64_t>(std::uint64_t{1});
    }) == Push::kOk)
      continue;
    if ((*run)->do_work() == 0) (*run)->wait();
  }
  return (*run)->finish().ok() ? 0 : 1;
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
  for (std::uint32_t controller = 1; controller <= 3; ++controller) {
    for (const ProtocolStep step : kProducerSteps) kill_node(controller, step, 0);
    for (const ProtocolStep step : kConsumerSteps) kill_node(controller, step, 1);  // its first receives control
  }
  require_clean_run();  // each of the others followed one that was killed, too, and lived until its own death
}

TEST_CASE("the host killed at any step: no node survives it, and another run follows") {
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);       // nodes without a host become children of this process
  constexpr std::uint32_t kTokensOut = 3, kTokensIn = 0;  // its first three senders control nodes
  std::vector<std::pair<ProtocolStep, std::uint32_t>> steps;
  for (const ProtocolStep step : kProducerSteps) steps.emplace_back(step, kTokensOut);
  for (const ProtocolStep step : kConsumerSteps) steps.emplace_back(step, kTokensIn);
  const Plan plan = chain_plan(3, "append");
  for (const auto& [step, channel] : steps) {
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
  require_clean_run();
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 0) == 0);
}

}  // namespace woa::test
