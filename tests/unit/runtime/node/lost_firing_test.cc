#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"
#include "tests/support/joining_backend.h"
#include "tests/support/run_in_this_thread.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kLost = 2;  // this instance

TEST_CASE("behind a firing that is lost nothing is sent, though the device answers later ones with it") {
  const Functions functions{{"lose_one", [](Firing& firing, const StagePlan&) {
                               write(firing, 0, std::string(kImageBytes, 'x'));
                               if (firing.instance != kLost) return;
                               firing.lost = true;
                               firing.code = Code::kDataLoss;
                               firing.message = "the device lost it";
                             }}};
  const Plan plan = with_joining(chain_plan(1, "lose_one", 1));
  JoiningScript script{.places = plan.window, .answers = plan.window, .patience = 1'000'000};  // one poll answers all
  RunInThisThread running(plan);
  REQUIRE(running.start(std::make_unique<JoiningBackend>(functions, script)).ok());
  const Status status = running.run(plan.window);
  CHECK(status.code() == Code::kDataLoss);
  CHECK(status.message() == "stage 'a': the device lost it");
  CHECK(script.most == plan.window);
  running.take_what_was_sent();
  CHECK(running.ended() == kLost);
}

}  // namespace
}  // namespace woa::test
