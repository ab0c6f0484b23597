// The times that follow from cycles, a clock and PCIe.
#include "bench/fpga/link_times.h"

#include "tests/support/catch.h"

namespace woa::bench {
namespace {

TEST_CASE("both ways are compared over the same span") {
  const ModelledTimes times = model({.size = 64, .first = 100, .second = 200, .both = 150}, {100, 3});
  CHECK(times.link.on_card_us == Approx(0.5));            // 50 cycles at 100 MHz
  CHECK(times.link.over_host_us == Approx(3 + 3 + 2));    // to the host, to the card, 200 cycles
  CHECK(times.stages.on_card_us == Approx(1.5));          // 150 cycles
  CHECK(times.stages.over_host_us == Approx(1 + 6 + 2));  // 100 cycles before that
  CHECK(times.round_trip.on_card_us == Approx(1.5 + 6));
  CHECK(times.round_trip.over_host_us == Approx(9 + 6));
  CHECK(times.link.ratio() == Approx(16));
  CHECK(times.stages.ratio() == Approx(6));
  CHECK(times.round_trip.ratio() == Approx(2));
}

TEST_CASE("a faster clock shortens the runs alone") {
  const LinkCycles cycles{.size = 64, .first = 100, .second = 100, .both = 110};
  const ModelledTimes slow = model(cycles, {100, 1}), fast = model(cycles, {200, 1});
  CHECK(fast.link.on_card_us == Approx(slow.link.on_card_us / 2));
  CHECK(fast.link.over_host_us == Approx(slow.link.over_host_us - 0.5));
}

}  // namespace
}  // namespace woa::bench
