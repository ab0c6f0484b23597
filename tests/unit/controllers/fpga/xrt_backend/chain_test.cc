// Chains on the double of a card: several are under way, and each stage is told how it went.
#include <deque>
#include <thread>

#include "controllers/fpga/xrt/register.h"
#include "tests/support/need.h"
#include "tests/unit/controllers/fpga/chain_case.h"

namespace woa::test {
namespace {

TEST_CASE("chains run on a card, in order and bit for bit; whichever stage fails is to blame") {
  ChainCase chain("xrt");
  const auto backend = need(xrt_factory().make(0, chain.plan.plan.controllers[kFpga]));
  REQUIRE(backend->load(chain.plan.plan, chain.plan.loaded, {}).ok());
  REQUIRE(backend->map({}).ok());
  std::deque<std::unique_ptr<TestFiring>> under_way;
  std::uint32_t ended = 0;
  const auto take = [&] {
    Firing* done = nullptr;
    if (backend->poll({&done, 1}) == 0) return std::this_thread::yield();
    REQUIRE(done == &under_way.front()->firing);
    chain.check(*under_way.front(), ++ended);
    under_way.pop_front();
  };
  for (std::uint64_t instance = 0; instance < 200; ++instance) {
    TestFiring& shot = *under_way.emplace_back(chain.draw(instance));
    for (Start start = Start::kBusy; (start = backend->start(shot.firing)) != Start::kStarted; take()) {
      INFO(shot.firing.message);
      REQUIRE(start == Start::kBusy);
    }
  }
  while (!under_way.empty()) take();
}

}  // namespace
}  // namespace woa::test
