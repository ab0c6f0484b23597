// A busy channel does not allocate.
#include "tests/cts/transport/traffic.h"
#include "tests/support/alloc_counter.h"

namespace woa::cts {

TEST_CASE("a channel allocates nothing once it is open") {
  const std::uint64_t at_first = test::allocations();
  Channel channel;
  REQUIRE(test::allocations() > at_first);  // the counter counts
  const std::uint64_t before = test::allocations();
  const std::uint64_t packets = traffic(channel, 1000);
  const std::uint64_t after = test::allocations();
  REQUIRE(packets > 400);
  REQUIRE(after == before);
}

}  // namespace woa::cts
