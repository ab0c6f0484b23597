// Whole runs in one process over channels with faults: right results, or an error that names the controller and the
// reason. A hang shows as the test's time-out.
#include <random>

#include "runtime/call_models/call_model.h"
#include "tests/integration/faults/fault_world.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kInstances = 40;

enum class Expect { kRight, kError, kEither };

struct Row {
  const char* name;
  FaultKind kind;
  std::uint32_t amount;
  std::uint32_t bit;
  Landing landing;
  Expect packets, returns;
};

// A swapped packet may be in its place before anybody looks, or no other may overtake it.
const std::vector<Row> kRows{
    {"a lost write", FaultKind::kDrop, 1, kAnyBit, Landing::kByNumber, Expect::kError, Expect::kError},
    {"a lost message", FaultKind::kDrop, 1, kAnyBit, Landing::kByArrival, Expect::kError, Expect::kError},
    {"a delay", FaultKind::kDelay, 20, kAnyBit, Landing::kByNumber, Expect::kRight, Expect::kRight},
    {"swapped writes", FaultKind::kReorder, 1, kAnyBit, Landing::kByNumber, Expect::kEither, Expect::kRight},
    {"swapped messages", FaultKind::kReorder, 1, kAnyBit, Landing::kByArrival, Expect::kEither, Expect::kEither},
    {"a repeated write", FaultKind::kDuplicate, 0, kAnyBit, Landing::kByNumber, Expect::kRight, Expect::kRight},
    {"a repeated message", FaultKind::kDuplicate, 0, kAnyBit, Landing::kByArrival, Expect::kError, Expect::kError},
    {"a damaged header or turn", FaultKind::kCorrupt, 1, 65, Landing::kByNumber, Expect::kError, Expect::kError},
};

void require(const Outcome& outcome, Expect expect, const std::string& detector, const std::string& reason) {
  INFO(outcome.status.message());
  if (expect == Expect::kRight) REQUIRE(outcome.status.ok());
  if (expect == Expect::kError) REQUIRE_FALSE(outcome.status.ok());
  if (outcome.status.ok()) return;
  REQUIRE(outcome.status.code() == Code::kDataLoss);
  REQUIRE(says(outcome.status, "controller '" + detector + "'"));
  REQUIRE(says(outcome.status, reason));
}

// `first`: the packet or return that is hit.
FaultPlan plan_of(const Row& row, FaultTarget target, std::uint32_t channel, std::uint64_t first) {
  FaultPlan plan;
  plan.kind = row.kind;
  plan.target = target;
  plan.channel = channel;
  plan.first = first;
  plan.amount = row.amount;
  plan.bit = row.bit;
  return plan;
}

}  // namespace

TEST_CASE("every fault on the way of packets, on every channel of a run") {
  const Plan plan = chain_plan(3, "append");
  for (const Inner inner : {Inner::kLoopback, Inner::kShm}) {
    for (const ChannelLayout& channel : make_layout(plan).channels) {
      const std::string from = plan.controllers[channel.from].name, to = plan.controllers[channel.to].name;
      // The host sends later controllers only few packets: retired instances, and the end.
      const bool few = channel.from == kHostController && channel.to > 1;
      for (const Row& row : kRows) {
        INFO(row.name << " from " << from << " to " << to);
        const FaultPlan fault = plan_of(row, FaultTarget::kPackets, ends_of(plan, channel).receiver, few ? 1 : 5);
        FaultWorld world(inner, {fault}, {row.landing, true});
        // The repeated packet may be the last of few, the end, after which nobody looks.
        const Expect expect = few && row.kind == FaultKind::kDuplicate ? Expect::kEither : row.packets;
        require(run_faulty(plan, world, kInstances), expect, to, "channel from '" + from + "'");
      }
    }
  }
}

TEST_CASE("every fault on the way of returned blocks, on every channel of a run that has some") {
  const Plan plan = chain_plan(3, "append");
  for (const Inner inner : {Inner::kLoopback, Inner::kShm}) {
    for (const ChannelLayout& channel : make_layout(plan).channels) {
      if (channel.from == kHostController && channel.to > 1) continue;
      const std::string from = plan.controllers[channel.from].name, to = plan.controllers[channel.to].name;
      for (const Row& row : kRows) {
        INFO(row.name << " back from " << to << " to " << from);
        const FaultPlan fault = plan_of(row, FaultTarget::kReturns, ends_of(plan, channel).sender, 5);
        FaultWorld world(inner, {fault}, {row.landing, true});
        require(run_faulty(plan, world, kInstances), row.returns, from, "channel to '" + to + "'");
      }
    }
  }
}

TEST_CASE("rings that are full for a while only cost time") {
  for (const Inner inner : {Inner::kLoopback, Inner::kShm}) {
    FaultPlan fault;
    fault.kind = FaultKind::kFillUp;
    fault.count = 5;
    fault.chance = 0.2;
    fault.amount = 30;
    FaultWorld world(inner, {fault});
    const Outcome outcome = run_faulty(chain_plan(3, "append"), world, kInstances);
    REQUIRE(outcome.status.ok());
  }
}

TEST_CASE("random faults everywhere: right results or a named error") {
  constexpr std::uint64_t kSeeds = 60;
  std::uint64_t failed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
    std::vector<FaultPlan> faults;
    std::string text;
    for (std::uint32_t k = up_to(2); k < 3; ++k) {
      FaultPlan fault;
      fault.kind = static_cast<FaultKind>(up_to(static_cast<std::uint64_t>(FaultKind::kFillUp)));
      fault.target = up_to(1) == 0 ? FaultTarget::kPackets : FaultTarget::kReturns;
      fault.count = 1 + up_to(2);
      fault.chance = 0.01;
      fault.seed = random();
      fault.amount = up_to(10);
      if (fault.target == FaultTarget::kReturns) fault.bit = 64 + up_to(31);  // elsewhere it might not show
      faults.push_back(fault);
      text += "\n" + to_string(fault);
    }
    const Inner inner = up_to(1) == 0 ? Inner::kLoopback : Inner::kShm;
    const Landing landing = up_to(1) == 0 ? Landing::kByNumber : Landing::kByArrival;
    auto plan = rewrite(chain_plan(3, "append"), up_to(1) == 0 ? "woa" : "rpc-hub");
    REQUIRE(plan.ok());
    INFO("seed " << seed << text);
    FaultWorld world(inner, faults, {landing, true});
    const Outcome outcome = run_faulty(*plan, world, kInstances);
    INFO(outcome.status.message());
    if (outcome.status.ok()) continue;
    REQUIRE(outcome.status.code() == Code::kDataLoss);
    REQUIRE(says(outcome.status, "controller '"));
    ++failed;
  }
  REQUIRE(failed > kSeeds / 10);
  REQUIRE(failed < kSeeds);
}

}  // namespace woa::test
