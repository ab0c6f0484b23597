// The choice between the controller's thread and a worker.
#include "runtime/controller/handover.h"

#include "tests/support/catch.h"

namespace woa {
namespace {

constexpr std::uint64_t kKernelNs = 10'000;

void give(Handover& handover, int firings, int sleeps) {
  for (int k = 0; k < sleeps; ++k) handover.note_sleep();
  for (int k = 0; k < firings; ++k) handover.note_given();
}

}  // namespace

TEST_CASE("a firing that is alone stays, unless a token had to wait before") {
  Handover handover;
  CHECK(handover.keeps(kKernelNs, true));
  CHECK_FALSE(handover.keeps(kKernelNs, false));
  handover.note_waiting();
  for (int k = 0; k < 64; ++k) REQUIRE_FALSE(handover.keeps(kKernelNs, true));
  CHECK(handover.keeps(kKernelNs, true));
}

TEST_CASE("firings stay while giving them costs more than they take, and then it is tried again") {
  Handover handover;
  give(handover, 63, 63);
  CHECK_FALSE(handover.keeps(kKernelNs, false));
  give(handover, 1, 1);  // a sleep of 25 us for each of 64
  CHECK(handover.keeps(kKernelNs, false));
  CHECK_FALSE(handover.keeps(30'000, false));
  int kept = 1;
  while (handover.keeps(kKernelNs, false)) ++kept;
  CHECK(kept == 16'383);
  CHECK_FALSE(handover.keeps(kKernelNs, false));
  give(handover, 64, 0);
  CHECK_FALSE(handover.keeps(kKernelNs, false));
}

}  // namespace woa
