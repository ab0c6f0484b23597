// Messages over a wire with faults: each arrives as it was sent, or the receiver says what is wrong; nothing hangs.
#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/cts/packing/rig.h"

namespace woa::cts {
namespace {

struct Ended {
  Outcome sender = Outcome::kOk, receiver = Outcome::kOk;
  Status at_sender, at_receiver;
};

// Exchanges some messages in every mode over a wire with this fault; whatever arrives must be right.
Ended exchange_over(const FaultPlan& plan, Landing landing) {
  OpenRig rig(LinkSpec{4, 256, 16},
              std::make_shared<Link>(std::make_unique<FaultTransport>(std::make_unique<LoopbackTransport>(),
                                                                      std::vector{plan}, PathOptions{landing, true})));
  std::vector<std::vector<Item>> messages(6);
  Script sender, receiver;
  for (std::uint64_t k = 0; k < messages.size(); ++k) {
    messages[k] = {item(10, SendMode::kSafer, ReceiveMode::kExpress, false, k),
                   item(1000, SendMode::kCheaper, ReceiveMode::kCheaper, false, k + 10),
                   item(300, SendMode::kLater, kReceiveModes[k % 2], false, k + 20)};
    add_message(sender, *rig.packer, messages[k]);
    add_message(receiver, *rig.unpacker, messages[k]);
  }
  Ended ended;
  for (int turns = 0; turns < 10'000 && !receiver.done(); ++turns) {
    sender.run();
    if (sender.done() && rig.packer != nullptr) {
      ended.at_sender = rig.packer->status();
      rig.packer.reset();  // as a process does that gives up or is done
    }
    receiver.run();
  }
  ended.sender = sender.last(), ended.receiver = receiver.last(), ended.at_receiver = rig.unpacker->status();
  INFO(to_string(plan) << ": " << ended.at_sender.message() << "; " << ended.at_receiver.message());
  REQUIRE(receiver.done());
  REQUIRE(ended.receiver != Outcome::kRefused);  // what came was what was sent
  return ended;
}

// Every kind of landing, and every packet or return up to the last one.
std::vector<std::pair<Landing, std::uint64_t>> wires(std::uint64_t last) {
  std::vector<std::pair<Landing, std::uint64_t>> all;
  for (const Landing landing : {Landing::kByNumber, Landing::kByArrival})
    for (std::uint64_t first = 1; first <= last; ++first) all.emplace_back(landing, first);
  return all;
}

}  // namespace

TEST_CASE("lost, repeated, swapped and damaged packets never pass as messages") {
  int found = 0;
  for (const FaultKind kind : {FaultKind::kDrop, FaultKind::kDuplicate, FaultKind::kReorder, FaultKind::kCorrupt}) {
    for (const auto& [landing, first] : wires(30)) {
      FaultPlan plan;
      plan.kind = kind;
      plan.first = first;
      plan.seed = first;
      const Ended ended = exchange_over(plan, landing);
      INFO(to_string(plan) << ": " << ended.at_receiver.message());
      REQUIRE((ended.receiver == Outcome::kOk || ended.at_receiver.code() == Code::kDataLoss));
      if (kind == FaultKind::kDrop || kind == FaultKind::kCorrupt) REQUIRE(ended.receiver == Outcome::kClosed);
      found += ended.receiver == Outcome::kOk ? 0 : 1;
    }
  }
  REQUIRE(found > 120);
}

TEST_CASE("late packets and a ring that is full for a while do no harm") {
  for (const FaultKind kind : {FaultKind::kDelay, FaultKind::kFillUp}) {
    for (const auto& [landing, first] : wires(30)) {
      FaultPlan plan;
      plan.kind = kind;
      plan.first = first;
      plan.count = 3;
      plan.amount = 20;
      REQUIRE(exchange_over(plan, landing).receiver == Outcome::kOk);
    }
  }
}

TEST_CASE("lost and repeated returns end the sender, not the receiver's memory") {
  int found = 0;
  for (const FaultKind kind : {FaultKind::kDrop, FaultKind::kDuplicate}) {
    for (const auto& [landing, first] : wires(20)) {
      FaultPlan plan;
      plan.kind = kind;
      plan.target = FaultTarget::kReturns;
      plan.first = first;
      const Ended ended = exchange_over(plan, landing);
      INFO(to_string(plan) << ": " << ended.at_sender.message());
      REQUIRE((ended.sender == Outcome::kOk) == (ended.receiver == Outcome::kOk));
      REQUIRE((ended.sender == Outcome::kOk || ended.at_sender.code() == Code::kDataLoss));
      found += ended.sender == Outcome::kOk ? 0 : 1;
    }
  }
  REQUIRE(found >= 40);
}

}  // namespace woa::cts
