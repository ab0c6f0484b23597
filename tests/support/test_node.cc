// A node program that knows the function kernels, for tests of runs in several processes: test_node [ofi] DESCRIPTOR.
#include <cstdlib>
#include <cstring>

#include "runtime/node/node_process.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"

namespace {

int serve(const char* descriptor, const woa::BackendRegistry& backends, woa::Transport* between) {
  woa::ShmTransport shared;
  return woa::serve_node(woa::ControlSocket(woa::UniqueFd(std::atoi(descriptor))), {&backends, {&shared, between}, {}});
}

}  // namespace

int main(int count, char** argv) {
  woa::BackendRegistry backends;
  if (!backends.add(woa::test::function_factory(woa::test::functions())).ok()) return 2;
  if (count == 3 && std::strcmp(argv[1], "ofi") == 0) {
    const auto ofi = woa::make_ofi_transport({});
    return ofi.ok() ? serve(argv[2], backends, ofi->get()) : 3;
  }
  return serve(argv[1], backends, nullptr);
}
