#include "tests/cts/transport/channel.h"
#include "tests/unit/runtime/messaging/onesided/guarded_transport.h"

namespace woa::cts {
namespace {

std::unique_ptr<SharedMemory> make_guarded() { return std::make_unique<test::GuardedTransport>(); }
const BackEnd kGuarded("guarded", make_guarded);

}  // namespace
}  // namespace woa::cts
