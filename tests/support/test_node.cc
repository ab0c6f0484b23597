// A node program that knows the function kernels, for tests of runs in several processes:
// test_node [PROVIDER...] DESCRIPTOR, with the providers of the run's wires in their order.
#include <cstdlib>
#include <memory>
#include <vector>

#include "runtime/node/node_process.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"

int main(int count, char** argv) {
  woa::BackendRegistry backends;
  if (!backends.add(woa::test::function_factory(woa::test::functions())).ok()) return 2;
  woa::ShmTransport shared;
  woa::NodeProcess process{&backends, {&shared, {}}, {}};
  std::vector<std::unique_ptr<woa::OfiTransport>> wires;
  for (int k = 1; k < count - 1; ++k) {
    woa::OfiOptions options;
    options.provider = argv[k];
    auto wire = woa::make_ofi_transport(options);
    if (!wire.ok()) return 3;
    wires.push_back(std::move(*wire));
    process.transports.wires.push_back(wires.back().get());
  }
  return woa::serve_node(woa::ControlSocket(woa::UniqueFd(std::atoi(argv[count - 1]))), process);
}
