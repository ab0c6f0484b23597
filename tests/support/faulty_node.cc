// A node program like test_node, over shm with faults: one node of the run does what the command line says, the others
// nothing wrong. Nodes are started in the order of their controllers, so each finds its own number among its parent's
// children. Devices publish where the plan says so.
#include <algorithm>
#include <cstdlib>

#include "runtime/node/node_process.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/node_fault.h"
#include "tests/support/process_run.h"
#include "tests/support/publishing_backend.h"

int main(int count, char** argv) {
  using namespace woa;
  test::NodeFault fault;
  if (count != 3 || !fault.from_text(argv[1])) return 2;
  const std::vector<pid_t> nodes = test::children(::getppid());
  const auto own = std::find(nodes.begin(), nodes.end(), ::getpid());
  if (own == nodes.end()) return 2;
  std::vector<FaultPlan> plans;
  // Several firings are prepared before the first is published.
  test::PublishingScript script{.places = 3, .patience = 20};
  if (own - nodes.begin() + 1 == fault.controller) {
    script.kills = fault.publications.has_value();
    script.lands = fault.publications.value_or(script.lands);
    if (!fault.publications) plans.push_back(fault.plan);
  }
  BackendRegistry backends;
  if (!backends.add(test::publishing_factory(test::functions(), script)).ok()) return 2;
  FaultTransport transport(std::make_unique<ShmTransport>(), std::move(plans), fault.wire);
  return serve_node(ControlSocket(UniqueFd(std::atoi(argv[2]))), {&backends, {&transport}, {}});
}
