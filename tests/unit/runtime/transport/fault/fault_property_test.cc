// Any faults, in any mixture: all packets and returns arrive once and in order, or an error is reported. Never silence.
#include <cstring>
#include <random>

#include "tests/unit/runtime/transport/fault/faulty_channel.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kMaxDelay = 40;
// Enough for late packets, and for a loss to show behind them.
constexpr int kPollsUntilAllShows = 12 * (kMaxDelay + kPollsUntilLossShows);

struct Case {
  Inner inner;
  PathOptions wire;
  ChannelSpec spec;
  std::vector<FaultPlan> plans;
};

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  Case chosen;
  chosen.inner = kInners[up_to(1)];
  chosen.wire = {kLandings[up_to(1)], true};  // with CRCs: a bit without one may change what is delivered
  chosen.spec = {1U << up_to(5), 1U << up_to(5), 64 * up_to(2), false};
  for (std::uint32_t k = up_to(3); k > 0; --k) {
    FaultPlan plan;
    plan.kind = static_cast<FaultKind>(up_to(static_cast<std::uint64_t>(FaultKind::kFillUp)));
    plan.target = up_to(1) == 0 ? FaultTarget::kPackets : FaultTarget::kReturns;
    plan.first = 1 + up_to(100);
    plan.count = 1 + up_to(4);
    plan.chance = up_to(1) == 0 ? 1.0 : 0.05;
    plan.seed = random();
    plan.amount = up_to(plan.kind == FaultKind::kDelay || plan.kind == FaultKind::kFillUp ? kMaxDelay : 6);
    if (plan.kind == FaultKind::kCorrupt && plan.target == FaultTarget::kReturns)
      plan.bit = 64 + up_to(31);  // of the turn: nothing else of a return is checked by a channel
    chosen.plans.push_back(plan);
  }
  return chosen;
}

// Random steps of a producer and a consumer on a channel, and what they saw.
class Traffic {
 public:
  explicit Traffic(const Case& chosen) : channel_(chosen.inner, chosen.plans, chosen.wire, chosen.spec) {}

  void run(std::mt19937_64& random) {
    for (int step = 0; step < 600; ++step) {
      const auto what = random() % 4;
      if (what == 0) {
        if (send(*channel_.sender, token(sent_ + 1))) ++sent_;
      } else if (what == 1) {
        channel_.receiver->poll(channel_.inbox, random() % 4);
      } else if (what == 2) {
        give_back();
      } else {
        take_returns();
      }
    }
    for (int k = 0; k < kPollsUntilAllShows; ++k) {
      channel_.receiver->poll(channel_.inbox, kAll);
      take_returns();
    }
  }
  void require_no_silence() {
    require_packets();
    require_returns();
    channel_.sender.reset();
    for (int k = 0; k < kPollsUntilLossShows; ++k) channel_.receiver->poll(channel_.inbox, kAll);
    require_packets();
    REQUIRE(channel_.receiver->closed() == channel_.receiver->status().ok());
  }
  bool lost() const { return !channel_.receiver->status().ok(); }

 private:
  void require_packets() const {
    const Status status = channel_.receiver->status();
    INFO(channel_.inbox.packets.size() << " of " << sent_ << " packets: " << status.message());
    const std::uint64_t received = channel_.received_in_order();
    REQUIRE((status.ok() ? received == sent_ : status.code() == Code::kDataLoss));
    for (const ActivationPacket& packet : channel_.inbox.packets) REQUIRE(check(packet) == Rejection::kNone);
  }
  void require_returns() const {
    const Status status = channel_.sender->status();
    INFO(returned_ << " of " << given_ << " returns: " << status.message());
    REQUIRE((status.ok() ? returned_ == given_ : status.code() == Code::kDataLoss));
    REQUIRE(is_closed(*channel_.sender) == !status.ok());
  }
  // Gives back one block for each delivered packet, and no more than the return ring has places for.
  void give_back() {
    if (given_ == channel_.inbox.packets.size() || given_ - returned_ == channel_.spec.return_slots) return;
    channel_.receiver->give_back({++given_, 2, 3, 4});
  }
  void take_returns() {
    BlockReturn block;
    while (channel_.sender->poll_returns({&block, 1}) == 1) {
      REQUIRE(block.edge == ++returned_);
      REQUIRE((block.offset == 2 && block.region == 3 && block.instance == 4));
    }
  }

  FaultyChannel channel_;
  std::uint64_t sent_ = 0;
  std::uint32_t given_ = 0, returned_ = 0;
};

}  // namespace

TEST_CASE("everything once and in order, or an error") {
  constexpr std::uint64_t kCases = 400;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const Case chosen = random_case(seed);
    std::string plans;
    for (const FaultPlan& plan : chosen.plans) plans += "\n" + to_string(plan);
    INFO("seed " << seed << ", ring of " << chosen.spec.ring_slots << plans);
    Traffic traffic(chosen);
    std::mt19937_64 random(seed);
    traffic.run(random);
    traffic.require_no_silence();
    lost += traffic.lost() ? 1 : 0;
  }
  REQUIRE(lost > kCases / 10);
  REQUIRE(lost < kCases * 9 / 10);
}

TEST_CASE("the same plan and the same traffic meet the same faults") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FaultPlan plan;
    plan.chance = 0.1;
    plan.seed = seed;
    std::vector<std::size_t> arrived;
    for (int times = 0; times < 2; ++times) {
      FaultyChannel channel(Inner::kLoopback, {plan});
      channel.send_until(16);
      poll_for_long(*channel.receiver, channel.inbox);
      arrived.push_back(channel.inbox.packets.size());
    }
    REQUIRE(arrived[0] == arrived[1]);
  }
}

}  // namespace woa::test
