// A node program that knows the function kernels, for tests of runs in several processes.
#include <cstdlib>

#include "runtime/node/node_process.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"

int main(int, char** argv) {
  woa::BackendRegistry backends;
  if (!backends.add(woa::test::function_factory(woa::test::functions())).ok()) return 2;
  woa::ShmTransport transport;
  return woa::serve_node(std::atoi(argv[1]), backends, transport);
}
