#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/cts/transport/channel.h"

std::unique_ptr<woa::Transport> woa::cts::make_transport() { return std::make_unique<LoopbackTransport>(); }
std::unique_ptr<woa::cts::Link> woa::cts::make_link() { return std::make_unique<Link>(make_transport()); }
