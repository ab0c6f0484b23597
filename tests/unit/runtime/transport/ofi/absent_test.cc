// Without libfabric's headers the program builds, and the transport says what to install.
#include "runtime/transport/ofi/ofi_transport.h"
#include "tests/support/catch.h"

TEST_CASE("a transport that was left out says why") {
  const auto transport = woa::make_ofi_transport({});
  REQUIRE(transport.status().code() == woa::Code::kUnavailable);
  REQUIRE_FALSE(transport.status().message().empty());
}
