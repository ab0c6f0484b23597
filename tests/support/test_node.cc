// A node program that knows the function kernels, for tests of runs in several processes:
// test_node [PROVIDER...] DESCRIPTOR, with the providers of the run's wires in their order. "BIT@PROVIDER": of the
// fifth packet of each of its channels that bit is damaged (FaultPlan::bit). "dies@PROVIDER": the run's second node is
// killed when it is to connect to the others. A firing that points into no mapping of its back-end fails.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "runtime/node/node_process.h"
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/mapped_backend.h"
#include "tests/support/process_run.h"

int main(int count, char** argv) {
  woa::BackendRegistry backends;
  woa::test::MappingCounts counts;
  if (!backends.add(mapped(woa::test::function_factory(woa::test::functions()), counts)).ok()) return 2;
  woa::ShmTransport shared;
  woa::NodeProcess process{&backends, {&shared, {}}, {}};
  std::vector<std::unique_ptr<woa::Wire>> wires;
  for (int k = 1; k < count - 1; ++k) {
    woa::OfiOptions options;
    const std::string word = argv[k];
    const std::size_t at = word.find('@');
    options.provider = at == std::string::npos ? word : word.substr(at + 1);
    auto wire = woa::make_ofi_transport(options);
    if (!wire.ok()) return 3;
    wires.push_back(std::move(*wire));
    if (at != std::string::npos) {
      woa::FaultPlan damaged;
      const std::string fault = word.substr(0, at);
      const bool dies = fault == "dies";
      damaged.kind = dies ? woa::FaultKind::kKill : woa::FaultKind::kCorrupt;
      damaged.step = woa::ProtocolStep::kConnects;
      damaged.first = 5;
      if (!dies) damaged.bit = static_cast<std::uint32_t>(std::stoul(fault));
      std::vector<woa::FaultPlan> faults;
      if (const auto nodes = woa::test::children(::getppid()); !dies || (nodes.size() > 1 && nodes[1] == ::getpid()))
        faults.push_back(damaged);
      wires.back() = std::make_unique<woa::FaultWire>(std::move(wires.back()), std::move(faults));
    }
    process.transports.wires.push_back(wires.back().get());
  }
  const int code = woa::serve_node(woa::ControlSocket(woa::UniqueFd(std::atoi(argv[count - 1]))), process);
  return counts.unmapped == 0 ? code : 4;
}
