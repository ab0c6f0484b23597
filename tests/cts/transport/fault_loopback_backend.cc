// The fault transport that injects nothing keeps all promises of what it wraps.
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/cts/transport/channel.h"

std::unique_ptr<woa::Transport> woa::cts::make_transport() {
  return std::make_unique<FaultTransport>(std::make_unique<LoopbackTransport>());
}

std::unique_ptr<woa::cts::Link> woa::cts::make_link() { return std::make_unique<Link>(make_transport()); }
