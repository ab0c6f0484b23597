#include "tests/cts/transport/channel.h"
#include "tests/unit/runtime/onesided/guarded_transport.h"

std::unique_ptr<woa::Transport> woa::cts::make_transport() { return std::make_unique<test::GuardedTransport>(); }
std::unique_ptr<woa::cts::Link> woa::cts::make_link() { return std::make_unique<Link>(make_transport()); }
