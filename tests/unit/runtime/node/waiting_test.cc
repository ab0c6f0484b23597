#include "runtime/node/waiting.h"

#include "runtime/base/processor.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

using Pins = std::vector<Processors>;

std::vector<bool> who_spins(const Pins& processors, std::size_t controllers, std::size_t on_host) {
  std::vector<bool> spins;
  for (const IdleOptions& each : default_waits(processors, controllers, on_host)) spins.push_back(each.spin_ns != 0);
  return spins;
}

}  // namespace

TEST_CASE("controllers without pins spin while each has a processor") {
  CHECK(who_spins({}, 2, 2) == std::vector{true, true});
  CHECK(who_spins({}, 3, 2) == std::vector{false, false, false});
}

TEST_CASE("controllers that share a processor do not spin, whatever the host has") {
  CHECK(who_spins({{0}, {0}}, 2, 8) == std::vector{false, false});
  CHECK(who_spins({{0}, {0}, {1}}, 3, 8) == std::vector{false, false, true});
}

TEST_CASE("controllers on several processors share them if they are more than those") {
  CHECK(who_spins({{0, 1}, {0, 1}}, 2, 8) == std::vector{true, true});
  CHECK(who_spins({{0, 1}, {0, 1}, {1, 2, 3}}, 3, 8) == std::vector{false, false, true});
  CHECK(count_on({0, 1}, Pins{{}, {0}, {1, 2}, {2}}) == 2);
}

TEST_CASE("a controller alone on its processor spins though there are more controllers than processors") {
  CHECK(who_spins({{0}, {0}, {1}}, 3, 2) == std::vector{false, false, true});
}

TEST_CASE("one controller without a pin may meet any other") {
  CHECK(who_spins({{0}, {}, {1}}, 3, 2) == std::vector{false, false, false});
  CHECK(who_spins({{0}, {1}}, 3, 2) == std::vector{false, false, false});
  CHECK(who_spins({{0}, {}, {1}}, 3, 3) == std::vector{true, true, true});
}

}  // namespace woa
