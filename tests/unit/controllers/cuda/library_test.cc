// The probe where the driver's library is broken. Run with such a library in LD_LIBRARY_PATH and a part of the reason
// in WOA_EXPECTED_REASON.
#include <cstdlib>
#include <string>

#include "controllers/gpu/cuda/register.h"
#include "tests/support/catch.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

TEST_CASE("a broken CUDA library is an unavailable device") {
  const char* expected = std::getenv("WOA_EXPECTED_REASON");
  REQUIRE(expected != nullptr);
  const BackendFactory factory = cuda_factory();
  const ControllerPlan controller = make_controller("gpu:0", *find_backend("cuda"));
  for (const Status& status : {factory.probe().status(), factory.make(0, controller).status()}) {
    INFO(status.message());
    CHECK(says(status, Code::kUnavailable, expected));
  }
}

}  // namespace
}  // namespace woa::test
