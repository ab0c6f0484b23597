// Both ways that send packets, if the wire has no room, and if the way back is broken.
#include <vector>

#include "runtime/messaging/onesided/aggregated_updater.h"
#include "runtime/messaging/onesided/naive_updater.h"
#include "runtime/messaging/onesided/update_receiver.h"
#include "runtime/transport/ring_layout.h"
#include "tests/support/catch.h"
#include "tests/support/says.h"
#include "tests/unit/runtime/messaging/onesided/busy_transport.h"

namespace woa::onesided {
namespace {

using test::need;

constexpr LinkSpec kSpec{.ring_slots = 8, .buckets = 3, .bucket_units = 6, .result_slots = 2};
constexpr std::size_t kBytes = 1024;

Update increment() { return accumulate<std::uint64_t>(Operation::kSum, 0, 1); }
Update fetch() { return fetch_add<std::uint64_t>(0, 1); }

// An origin, and what its owner opens of the link.
template <class Way, class Over>
struct Ends {
  Over transport;
  Link link = need(allocate_link(transport, kSpec, "link"));
  std::unique_ptr<Way> updater = need(Way::open(transport, kSpec, link, {kBytes, {}}));

  [[nodiscard]] std::unique_ptr<UpdateReceiver> owner() {
    return need(UpdateReceiver::open(transport, kSpec, link,
                                     need(Region::make(transport, "region", kBytes, Sharing::kExclusive))));
  }
  // An owner's bare ends.
  [[nodiscard]] std::unique_ptr<Receiver> receiver() {
    return need(AnyTransport(transport).open_receiver(channel_of(transport, kSpec), link.channel, {}));
  }
  [[nodiscard]] std::unique_ptr<Sender> returns() {
    return need(
        AnyTransport(transport).open_sender(returns_channel_of(transport, kSpec.result_slots), link.returns, {}));
  }
};

ActivationPacket count_of(std::uint64_t applied) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.port = kReturnPort;
  packet.instance = applied;
  return packet;
}
void send(Sender& returns, const ActivationPacket& packet) {
  REQUIRE(returns.reserve() == Push::kOk);
  returns.commit(packet);
}

template <class Way>
void require_retries() {
  Ends<Way, test::BusyTransport> ends;
  const auto owner = ends.owner();
  REQUIRE(ends.updater->update(fetch()) == Outcome::kOk);
  REQUIRE(ends.updater->flush() == Outcome::kOk);
  owner->poll(10);
  REQUIRE(owner->applied() == 0);  // it waits for room
  ends.updater->poll(0);
  owner->poll(10);
  REQUIRE(owner->applied() == 1);
  REQUIRE(ends.updater->completed() == 0);  // the completion waits, too
  owner->poll(10);
  REQUIRE(ends.updater->completed() == 1);
}

// How many more updates it takes until it is closed.
template <class Way>
std::size_t taken_by(Way& updater, const Update& update) {
  for (std::size_t taken = 0; taken < 100; ++taken) {
    const Outcome outcome = updater.update(update);
    REQUIRE(outcome != Outcome::kBackPressured);
    if (outcome == Outcome::kClosed) return taken;
  }
  return 100;
}

template <class Way>
void require_closed_without_owner() {
  Ends<Way, test::GuardedTransport> ends;
  auto receiver = ends.receiver();
  for (std::uint32_t k = 0; k < kSpec.result_slots; ++k) REQUIRE(ends.updater->update(fetch()) == Outcome::kOk);
  REQUIRE(ends.updater->update(fetch()) == Outcome::kBackPressured);
  receiver.reset();
  REQUIRE(ends.updater->update(fetch()) == Outcome::kClosed);
}

template <class Way>
void require_closed_without_returns() {
  ActivationPacket other = count_of(0), damaged = count_of(0);
  other.port = kBucketPort;
  damaged.version = 0;
  for (const auto& [update, wrong] :
       {std::pair{increment(), other}, {fetch(), other}, {increment(), damaged}, {fetch(), damaged}}) {
    Ends<Way, test::GuardedTransport> ends;
    const auto receiver = ends.receiver();  // open, and never polled
    const auto returns = ends.returns();
    send(*returns, count_of(0));
    send(*returns, wrong);
    ends.updater->poll(0);
    REQUIRE(taken_by(*ends.updater, update) == 0);
    REQUIRE(ends.updater->status().code() == Code::kDataLoss);
  }
}

template <class Way>
void require_count_that_grows() {
  Ends<Way, test::GuardedTransport> ends;
  const auto receiver = ends.receiver();
  const auto returns = ends.returns();
  for (int k = 0; k < 3; ++k) REQUIRE(ends.updater->update(increment()) == Outcome::kOk);
  send(*returns, count_of(2));
  REQUIRE(ends.updater->completed() == 2);
  send(*returns, count_of(1));
  REQUIRE(ends.updater->completed() == 2);
  REQUIRE(test::says(ends.updater->status(), Code::kDataLoss, "fewer updates than before"));
  REQUIRE(ends.updater->flush() == Outcome::kClosed);
}

}  // namespace

TEST_CASE("what finds no room on the wire is tried again by poll(), at both ends") {
  require_retries<NaiveUpdater>();
  require_retries<AggregatedUpdater>();
}

TEST_CASE("a fetching update that waits for a slot hears that the owner closed") {
  require_closed_without_owner<NaiveUpdater>();
  require_closed_without_owner<AggregatedUpdater>();
}

TEST_CASE("no update is taken once what comes back is nonsense") {
  require_closed_without_returns<NaiveUpdater>();
  require_closed_without_returns<AggregatedUpdater>();
}

TEST_CASE("an owner that counts fewer updates than before is not believed") {
  require_count_that_grows<NaiveUpdater>();
  require_count_that_grows<AggregatedUpdater>();
}

TEST_CASE("an origin that breaks the way back is told of to the owner, and its link ends") {
  Ends<NaiveUpdater, test::GuardedTransport> ends;
  const auto owner = ends.owner();
  const auto memory = need(ends.link.returns->map(Access::kReadWrite));
  const ChannelView returns(returns_channel_of(ends.transport, kSpec.result_slots), memory->bytes());
  returns.words->consumed.store(77);
  for (std::uint32_t k = 0; k <= kSpec.result_slots; ++k) {  // one more than the channel holds
    REQUIRE(ends.updater->update(increment()) == Outcome::kOk);
    REQUIRE(owner->poll(1) == 1);
  }
  REQUIRE(owner->poll(1) == 0);
  REQUIRE(test::says(owner->status(), Code::kDataLoss, "results: channel: the reader says that it has read 77"));
  REQUIRE(owner->applied() == kSpec.result_slots + 1);
  REQUIRE(ends.updater->flush() == Outcome::kClosed);
}

}  // namespace woa::onesided
