// A build without Verilator: the backend is there and says why it cannot be used.
#include "controllers/fpga/verilator/register.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

TEST_CASE("without Verilator the factory answers unavailable, with the reason") {
  const BackendFactory factory = verilator_factory();
  REQUIRE(factory.name == "verilator");
  REQUIRE(factory.kind == ControllerKind::kFpga);
  const auto devices = factory.probe();
  REQUIRE(devices.status().code() == Code::kUnavailable);
  REQUIRE(devices.status().message() == "left out for this test");
  const auto made = factory.make(0, {});
  REQUIRE(made.status().code() == Code::kUnavailable);
  REQUIRE(made.status().message() == "left out for this test");
}

}  // namespace
}  // namespace woa::test
