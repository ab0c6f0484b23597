// The probe where OpenCL is broken. Run with a fake loader library in LD_LIBRARY_PATH and a part of the reason in
// WOA_EXPECTED_REASON.
#include <cstdlib>
#include <string>

#include "controllers/gpu/opencl/register.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

TEST_CASE("a broken driver is an unavailable device, not a crash") {
  const char* expected = std::getenv("WOA_EXPECTED_REASON");
  REQUIRE(expected != nullptr);
  const BackendFactory factory = opencl_factory();
  const ControllerPlan controller{.name = "gpu:0", .kind = ControllerKind::kGpu, .backend = "opencl", .workers = 1};
  for (const Status& status : {factory.probe().status(), factory.make(0, controller).status()}) {
    INFO(status.message());
    CHECK(status.code() == Code::kUnavailable);
    CHECK(status.message().find(expected) != std::string::npos);
  }
}

}  // namespace
}  // namespace woa
