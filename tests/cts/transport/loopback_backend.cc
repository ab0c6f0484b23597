#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

std::unique_ptr<SharedMemory> make_loopback() { return std::make_unique<LoopbackTransport>(); }
const BackEnd kLoopback("loopback", make_loopback);

}  // namespace
}  // namespace woa::cts
