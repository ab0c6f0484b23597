// The fault transport that injects nothing keeps all promises of what it wraps.
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

std::unique_ptr<SharedMemory> make_fault_loopback() {
  return std::make_unique<FaultTransport>(std::make_unique<LoopbackTransport>());
}
const BackEnd kFaultLoopback("fault_loopback", make_fault_loopback);

}  // namespace
}  // namespace woa::cts
