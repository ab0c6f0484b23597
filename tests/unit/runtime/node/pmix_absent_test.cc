// Without PMIx's header the program builds, and says what to install.
#include "runtime/node/pmix_job.h"
#include "tests/support/catch.h"

TEST_CASE("PMIx that was left out says why") {
  const auto job = woa::connect_pmix();
  REQUIRE(job.status().code() == woa::Code::kUnavailable);
  REQUIRE(job.status().message() == "left out for this test");
}
