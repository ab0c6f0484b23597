// Either process dies at every step of the protocol: the other believes nothing half done, and hears of the end.
#include <atomic>
#include <csignal>
#include <new>

#include "runtime/transport/ring_layout.h"
#include "tests/support/child.h"
#include "tests/support/publishing_device.h"
#include "tests/unit/runtime/transport/fault/faulty_channel.h"

namespace woa::test {
namespace {

constexpr ChannelSpec kSpec{4, 4, 64, false};

FaultPlan kill_at(ProtocolStep step, std::uint64_t time) {
  FaultPlan plan;
  plan.kind = FaultKind::kKill;
  plan.step = step;
  plan.first = time;
  return plan;
}

// Packets and returns of the process that dies, counted in memory that outlives it.
struct Deeds {
  std::atomic<std::uint64_t> packets{0}, returns{0};
};

// A channel over shm; the ends are opened in the processes that use them, the mortal one's by a transport of its own.
struct Shared {
  ShmTransport transport;
  std::shared_ptr<SharedSegment> segment = need(transport.allocate("channel", need(ring_channel_bytes(kSpec))));
  std::shared_ptr<SharedSegment> notes = need(transport.allocate("deeds", sizeof(Deeds)));
  std::unique_ptr<Mapping> mapping = need(notes->map(Access::kReadWrite));
  Deeds* deeds = new (mapping->bytes().data()) Deeds;
};

ActivationPacket with_inline(std::uint64_t instance) {
  ActivationPacket packet = token(instance);
  packet.flags = kInline;
  packet.payload_bytes = 64;
  return packet;
}

// At most two packets are under way and a block is taken back for each, so that every step comes again and again.
int produce(Shared& shared, const FaultPlan& plan) {
  FaultTransport transport(std::make_unique<ShmTransport>(), {plan});
  auto opened = transport.open_sender(kSpec, *shared.segment, {});
  if (!opened.ok()) return 2;
  const std::unique_ptr<Sender> sender = std::move(*opened);
  std::uint64_t taken = 0;
  for (std::uint64_t n = 1; n <= 20;) {
    BlockReturn block;
    taken += sender->poll_returns({&block, 1});
    if (n - taken > 2 || sender->reserve() != Push::kOk) continue;
    sender->commit(with_inline(n), cts::pattern(64, n));
    sender->wake();
    shared.deeds->packets = n++;
  }
  return 0;
}

// The same with a device, a thread of this process, that publishes two of three packets.
int produce_through_device(Shared& shared, const FaultPlan& plan) {
  FaultTransport transport(std::make_unique<ShmTransport>(), {plan});
  auto opened = transport.open_preparing_sender(kSpec, *shared.segment, {});
  if (!opened.ok()) return 2;
  const std::unique_ptr<PreparingSender> sender = std::move(*opened);
  PublishingDevice device;
  std::uint64_t taken = 0;
  for (std::uint64_t n = 1; n <= 20;) {
    BlockReturn block;
    sender->flush();
    taken += sender->poll_returns({&block, 1});
    if (n - taken > 2 || sender->reserve() != Push::kOk) continue;
    shared.deeds->packets = n;
    const auto payload = cts::pattern(64, n);
    const Publication prepared = n % 3 == 0 ? Publication() : sender->prepare(with_inline(n), payload);
    if (n % 3 == 0)
      sender->commit(with_inline(n), payload);
    else if (prepared.word == nullptr)
      sender->publish(prepared);
    else
      device.publish(prepared);
    sender->wake();
    ++n;
  }
  device.complete();
  return 0;
}

// Takes what comes and gives every block back.
int consume(Shared& shared, const FaultPlan& plan) {
  FaultTransport transport(std::make_unique<ShmTransport>(), {plan});
  auto opened = transport.open_receiver(kSpec, *shared.segment, {});
  if (!opened.ok()) return 2;
  const std::unique_ptr<Receiver> receiver = std::move(*opened);
  Inbox inbox;
  for (std::uint32_t given = 0; given < 20;) {
    receiver->poll(inbox, 1);
    if (inbox.packets.size() == given) continue;
    receiver->give_back({++given, 2, 3, 4});
    receiver->wake();
    shared.deeds->returns = given;
  }
  return 0;
}

// Takes what a producer publishes until it is killed, and closes the channel for it. Returns how many packets came, all
// of them whole and in order.
std::uint64_t receive_until_killed(Shared& shared, Child& producer) {
  const auto receiver = need(shared.transport.open_receiver(kSpec, *shared.segment, {}));
  Inbox inbox;
  std::uint64_t received = 0;
  const auto take = [&] {
    inbox.packets.clear();
    if (receiver->poll(inbox, 1) == 0) return;
    REQUIRE(inbox.packets[0].instance == ++received);
    REQUIRE(inbox.last_inline == cts::pattern(64, received));
    receiver->give_back({0, 0, 0, 0});
  };
  int end = 0;
  while (!producer.ended(end)) take();
  REQUIRE(WIFSIGNALED(end));
  REQUIRE(WTERMSIG(end) == SIGKILL);
  REQUIRE(close_channel(kSpec, *shared.segment).ok());
  for (int k = 0; k < kPollsUntilLossShows; ++k) take();
  REQUIRE(receiver->closed());
  REQUIRE(receiver->status().ok());
  return received;
}

}  // namespace

TEST_CASE("a producer killed at any step: what it published is read whole, nothing else is") {
  for (const ProtocolStep step : kProducerSteps) {
    const bool at_end = step == ProtocolStep::kProducerCloses || step == ProtocolStep::kProducerClosed;
    for (const std::uint64_t time : {std::uint64_t{1}, std::uint64_t{7}}) {
      if (at_end && time > 1) continue;
      INFO(to_string(step) << ", time " << time);
      Shared shared;
      Child producer([&] { return produce(shared, kill_at(step, time)); });
      const std::uint64_t received = receive_until_killed(shared, producer);
      const std::uint64_t published =
          shared.deeds->packets + (step >= ProtocolStep::kPublished && !at_end && step != ProtocolStep::kReturnTaken);
      REQUIRE(received == published);
    }
  }
}

TEST_CASE("a producer killed at any step while its device publishes: what is read is whole and in order") {
  for (const ProtocolStep step : kPreparingSteps) {
    const bool at_end = step == ProtocolStep::kProducerCloses || step == ProtocolStep::kProducerClosed;
    for (const std::uint64_t time : {std::uint64_t{1}, std::uint64_t{5}}) {
      if (at_end && time > 1) continue;
      INFO(to_string(step) << ", time " << time);
      Shared shared;
      Child producer([&] { return produce_through_device(shared, kill_at(step, time)); });
      const std::uint64_t received = receive_until_killed(shared, producer);
      REQUIRE(received <= shared.deeds->packets);
      REQUIRE((!at_end || received == shared.deeds->packets));
    }
  }
}

TEST_CASE("a consumer killed at any step: what it gave back is taken, nothing else is, and the ring closes") {
  for (const ProtocolStep step : kConsumerSteps) {
    const bool at_end = step == ProtocolStep::kConsumerCloses || step == ProtocolStep::kConsumerClosed;
    for (const std::uint64_t time : {std::uint64_t{1}, std::uint64_t{7}}) {
      if (at_end && time > 1) continue;
      INFO(to_string(step) << ", time " << time);
      Shared shared;
      Child consumer([&] { return consume(shared, kill_at(step, time)); });
      const auto sender = need(shared.transport.open_sender(kSpec, *shared.segment, {}));
      std::uint32_t returned = 0;
      std::uint64_t sent = 0;
      const auto take = [&] {
        BlockReturn block;
        while (sender->poll_returns({&block, 1}) == 1) {
          REQUIRE(block == BlockReturn{++returned, 2, 3, 4});
        }
      };
      int end = 0;
      while (!consumer.ended(end)) {
        if (sent - returned < kSpec.return_slots && send(*sender, token(sent + 1))) ++sent;
        take();
      }
      REQUIRE(WIFSIGNALED(end));
      REQUIRE(WTERMSIG(end) == SIGKILL);
      REQUIRE(close_channel(kSpec, *shared.segment).ok());
      take();
      REQUIRE(is_closed(*sender));
      REQUIRE(sender->status().ok());
      REQUIRE(sender->reserve() == Push::kClosed);
      const std::uint64_t published =
          shared.deeds->returns + (step == ProtocolStep::kReturnPublished || step == ProtocolStep::kProducerWoken);
      REQUIRE(returned == published);
      const auto memory = need(shared.segment->map(Access::kRead));
      REQUIRE(ChannelView(kSpec, memory->bytes()).words->consumed <= sent);
    }
  }
}

}  // namespace woa::test
