// main() of every test program, and what skip() does to it.
#ifdef WOA_CATCH3
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "tests/support/require.h"

namespace {

constexpr int kFailedCode = 1, kSkippedCode = 77;
bool skips_this_case = false;
int cases = 0, skipped_cases = 0;

#ifdef WOA_CATCH3
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class SkipCounter : public Listener {
 public:
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo&) override { skips_this_case = false; }
  void testCaseEnded(const Catch::TestCaseStats&) override {
    ++cases;
    if (skips_this_case) ++skipped_cases;
  }
};
CATCH_REGISTER_LISTENER(SkipCounter)

}  // namespace

void woa::test::skip(std::string_view name, std::string_view reason) {
  report_unavailable(name, reason);
  skips_this_case = !required(name);
  if (!skips_this_case) FAIL("WOA_REQUIRE lists what is unavailable");
    // Catch ends a test case by this, and has counted no failure.
#ifdef WOA_CATCH3
  Catch::throw_test_failure_exception();
#else
  throw Catch::TestFailureException();
#endif
}

int main(int argc, char** argv) {
  const int failures = Catch::Session().run(argc, argv);
  if (failures != 0) return kFailedCode;  // their number might be 77
  return cases != 0 && cases == skipped_cases ? kSkippedCode : 0;
}
