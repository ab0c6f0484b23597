// Lanes between the same two controllers: each in order, none waiting for another, and control for none of them.
#include <atomic>
#include <thread>

#include "tests/support/functions.h"
#include "tests/support/peer_rig.h"
#include "tests/support/plan_builder.h"
#include "tests/support/says.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kToBusy = 1, kToFree = 2, kFromBusy = 3, kFromFree = 4;  // edges
constexpr std::uint32_t kBusy = 3, kFree = 4;                                    // stages

// `a` on cpu:0, played by the test, writes for two stages on cpu:1, each by a lane of its own.
Plan two_lanes() {
  PlanBuilder builder(1, 2);
  const auto a = builder.stage("a", "copy", "cpu:0", 1, 2);
  const auto busy = builder.stage("busy", "wait", "cpu:1"), free = builder.stage("free", "copy", "cpu:1");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, busy, 0).lane = "bulk";
  builder.edge(a, 1, free, 0);
  builder.edge(busy, 0, kSinkStage, 0);
  builder.edge(free, 0, kSinkStage, 1).lane = "results";
  return builder.build();
}

// `wait` runs until it is opened.
struct Gate {
  std::atomic<bool> is_open = false;
  Functions kernels = functions();
  Gate() {
    kernels["wait"] = [this](Firing& f, const StagePlan&) {
      is_open.wait(false);
      write(f, 0, read(f, 0));
    };
  }
  void open() {
    is_open = true;
    is_open.notify_all();
  }
};

struct World {
  Gate gate;
  PeerRig rig{two_lanes(), function_factory<ThreadedBackend>(gate.kernels)};
  ~World() { gate.open(); }  // its threads are joined
};

std::uint64_t firings(const PeerRig& rig, std::uint32_t stage) {
  return rig.hosted->controller().stats().stages[stage].firings;
}

}  // namespace

TEST_CASE("a lane that is stopped holds up neither another lane nor control, and goes on in order") {
  World world;
  const PeerRig& rig = world.rig;
  rig.push(rig.channel_of(kToBusy), rig.token(kToBusy, 0));
  REQUIRE(rig.settle().ok());
  // Instance 0 is over for the others while `busy` still works on it, and kBuilderWindow later one needs its place.
  rig.tell(PacketKind::kRetire, kBuilderWindow);
  rig.push(rig.channel_of(kToBusy), rig.token(kToBusy, kBuilderWindow));
  rig.push(rig.channel_of(kToBusy), rig.token(kToBusy, kBuilderWindow + 1));
  rig.push(rig.channel_of(kToFree), rig.token(kToFree, kBuilderWindow));
  REQUIRE(rig.settle().ok());
  while (firings(rig, kFree) == 0) REQUIRE(rig.settle().ok());  // it runs on a thread
  REQUIRE(rig.unread(kToBusy) == 2);
  REQUIRE(firings(rig, kBusy) == 0);
  // Control goes on, too.
  rig.tell(PacketKind::kRetire, kBuilderWindow + 1);
  REQUIRE(rig.settle().ok());
  REQUIRE(rig.unread_control() == 0);
  world.gate.open();
  while (firings(rig, kBusy) < 2) REQUIRE(rig.settle().ok());  // kBuilderWindow has retired: dropped
  REQUIRE(rig.unread(kToBusy) == 0);
  REQUIRE(rig.hosted->controller().stats().dropped == 1);
}

TEST_CASE("the end of a run is heard while a lane is stopped") {
  World world;
  const PeerRig& rig = world.rig;
  rig.push(rig.channel_of(kToBusy), rig.token(kToBusy, 0));
  REQUIRE(rig.settle().ok());
  rig.push(rig.channel_of(kToBusy), rig.token(kToBusy, kBuilderWindow));
  rig.tell(PacketKind::kRetire, kBuilderWindow);
  REQUIRE(rig.settle().ok());
  rig.tell(PacketKind::kEnd, 0);
  REQUIRE(rig.settle().ok());
  REQUIRE(rig.hosted->controller().ended());
  REQUIRE(rig.unread(kToBusy) == 1);
}

TEST_CASE("a block given back on another lane than its token's is refused") {
  World world;
  const PeerRig& rig = world.rig;
  rig.push(rig.channel_of(kToFree), rig.token(kToFree, 0));
  while (firings(rig, kFree) == 0) REQUIRE(rig.settle().ok());
  const auto receiver = [&](std::uint32_t edge) -> Receiver& {
    return *rig.host.wiring.receivers[rig.layout.edges[edge].channel];
  };
  const BlockReturn block{kFromFree, 0, rig.layout.edges[kFromFree].regions.front(), 0};
  SECTION("its own is taken") {
    receiver(kFromFree).give_back(block);
    REQUIRE(rig.settle().ok());
  }
  SECTION("another is not") {
    receiver(kFromBusy).give_back(block);
    REQUIRE(rig.settle().code() == Code::kDataLoss);
    REQUIRE(says(rig.settle(), "controller 'host' gave back a block of edge 4"));
  }
}

TEST_CASE("a packet on another lane than its edge's is refused") {
  World world;
  const PeerRig& rig = world.rig;
  rig.push(rig.channel_of(kToBusy), rig.token(kToFree, 0));
  REQUIRE(rig.settle().code() == Code::kDataLoss);
}

}  // namespace woa::test
