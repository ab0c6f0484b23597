// The fault transport that injects nothing keeps all promises of what it wraps.
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

std::unique_ptr<SharedMemory> make_fault_shm() {
  return std::make_unique<FaultTransport>(std::make_unique<ShmTransport>());
}
const BackEnd kFaultShm("fault_shm", make_fault_shm);

}  // namespace
}  // namespace woa::cts
