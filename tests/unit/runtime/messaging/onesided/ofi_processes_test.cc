// An origin and an owner in processes of their own, over libfabric.
#include <thread>

#include "runtime/messaging/onesided/aggregated_updater.h"
#include "runtime/messaging/onesided/naive_updater.h"
#include "runtime/messaging/onesided/update_receiver.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/ofi_side.h"

namespace woa::onesided {
namespace {

using test::answer;
using test::Child;
using test::JoinedSockets;
using test::need_in_child;
using test::OfiSide;

constexpr LinkSpec kSpec{.ring_slots = 16, .buckets = 4, .bucket_units = 64, .result_slots = 8};
constexpr std::size_t kBytes = 512;
constexpr std::uint64_t kUpdates = 3000;

struct Side : OfiSide {
  explicit Side(int socket) : OfiSide(socket) { connect(link); }
  Link link = need_in_child(allocate_link(*transport, kSpec, "link"));
};

// Adds one to the first element and fetches its old value, which must be the number of the update.
bool counts_up(Updater& updater) {
  std::array<std::uint64_t, 8> results{};
  std::uint64_t taken = 0;
  for (std::uint64_t issued = 0; taken < kUpdates;) {
    const Outcome outcome = issued == kUpdates ? updater.flush() : updater.update(fetch_add<std::uint64_t>(0, 1));
    if (outcome == Outcome::kClosed || outcome == Outcome::kRefused) return false;
    if (issued < kUpdates && outcome == Outcome::kOk) ++issued;
    if (outcome == Outcome::kBackPressured) updater.flush(), std::this_thread::yield();
    const std::size_t count = updater.take_results(results);
    for (std::size_t k = 0; k < count; ++k)
      if (results[k] != taken++) return false;
  }
  while (updater.completed() != kUpdates) std::this_thread::yield();
  return updater.status().ok();
}

// Applies updates until the origin closes.
int own(int socket) {
  Side side(socket);
  LoopbackTransport memory;
  const Region region = need_in_child(Region::make(memory, "region", kBytes, Sharing::kExclusive));
  const auto receiver = need_in_child(UpdateReceiver::open(*side.transport, kSpec, side.link, region));
  while (!receiver->closed() && receiver->status().ok())
    if (receiver->poll(64) == 0) std::this_thread::yield();
  return answer(receiver->status().ok() && region.load<std::uint64_t>(0) == kUpdates, receiver->status());
}

template <class Way>
void require_counting() {
  const JoinedSockets sockets;
  Child origin([&] {
    Side side(sockets.ends[0]);
    const auto updater = need_in_child(Way::open(*side.transport, kSpec, side.link, {kBytes, {}}));
    return answer(counts_up(*updater), updater->status());
  });
  Child owner([&] { return own(sockets.ends[1]); });
  test::require_right(origin);
  test::require_right(owner);
}

}  // namespace

TEST_CASE("updates one by one reach another process, and what they fetch comes back in order") {
  require_counting<NaiveUpdater>();
}

TEST_CASE("updates in buckets reach another process, and what they fetch comes back in order") {
  require_counting<AggregatedUpdater>();
}

TEST_CASE("an owner in another process that is killed: the origin is told") {
  const JoinedSockets sockets;
  Child owner([&] {
    Side side(sockets.ends[1]);
    LoopbackTransport memory;
    const Region region = need_in_child(Region::make(memory, "region", kBytes, Sharing::kExclusive));
    const auto receiver = need_in_child(UpdateReceiver::open(*side.transport, kSpec, side.link, region));
    while (receiver->applied() == 0) receiver->poll(64);
    for (;;) pause();
    return test::kChildIsWrong;
  });
  Child origin([&] {
    Side side(sockets.ends[0]);
    const auto updater = need_in_child(NaiveUpdater::open(*side.transport, kSpec, side.link, {kBytes, {}}));
    updater->update(put<std::uint64_t>(0, 1));
    while (updater->completed() == 0) std::this_thread::yield();
    owner.kill();
    while (updater->update(put<std::uint64_t>(0, 2)) != Outcome::kClosed) std::this_thread::yield();
    return answer(updater->status().code() == Code::kPeerLost && updater->completed() == 1, updater->status());
  });
  test::require_right(origin);
  REQUIRE(WIFSIGNALED(owner.wait()));
}

}  // namespace woa::onesided
