#include "runtime/transport/shm/shm_transport.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

std::unique_ptr<SharedMemory> make_shm() { return std::make_unique<ShmTransport>(); }
const BackEnd kShm("shm", make_shm);

}  // namespace
}  // namespace woa::cts
