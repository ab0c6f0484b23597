// A build without Verilator: the backend is there and says why it cannot be used.
#include "controllers/fpga/verilator/register.h"
#include "controllers/fpga/verilator/wact_kernel_model.h"
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

TEST_CASE("without Verilator there is no model of the kernel, and the reason is told") {
  const auto model = WactKernelModel::make(4096);
  REQUIRE(model.status().code() == Code::kUnavailable);
  REQUIRE(model.status().message() == "left out for this test");
}

}  // namespace
}  // namespace woa::test
