// The probe where XRT's library is broken or its environment is. Run with a part of the reason in WOA_EXPECTED_REASON.
#include "controllers/fpga/xrt/library.h"

#include <cstdlib>
#include <string>

#include "controllers/fpga/xrt/register.h"
#include "tests/support/catch.h"
#include "tests/support/require.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

TEST_CASE("a broken XRT is an unavailable device") {
  const char* expected = std::getenv("WOA_EXPECTED_REASON");
  REQUIRE(expected != nullptr);
  const Status& opened = open_xrt().status();
  if (std::getenv("WOA_NEEDS_XRT") != nullptr && (says(opened, "no XRT: ") || says(opened, "has no no-op shim")))
    skip("xrt", opened.message());
  const BackendFactory factory = xrt_factory();
  const ControllerPlan controller = make_controller("fpga:0", *find_backend("verilator"));
  for (const Status& status : {factory.probe().status(), factory.make(0, controller).status()}) {
    INFO(status.message());
    CHECK(says(status, Code::kUnavailable, expected));
  }
}

}  // namespace
}  // namespace woa::test
