// The two ends of a link in processes of their own, over libfabric.
#include "tests/cts/packing/patient.h"
#include "tests/support/ofi_side.h"

namespace woa::cts {
namespace {

using test::answer;
using test::Child;
using test::JoinedSockets;
using test::kChildIsWrong;
using test::need_in_child;
using test::OfiSide;
using test::require_right;

// One process's end.
struct Side : OfiSide {
  explicit Side(int socket) : OfiSide(socket) { connect(link); }
  [[nodiscard]] std::unique_ptr<Packer> packer() const { return need_in_child(Packer::open(*transport, spec, link)); }
  [[nodiscard]] std::unique_ptr<Unpacker> unpacker() const {
    return need_in_child(Unpacker::open(*transport, spec, link));
  }

  LinkSpec spec = link_spec();
  packing::Link link = need_in_child(packing::allocate_link(*transport, spec, "link"));
};

bool lost(const Status& status) { return status.code() == Code::kPeerLost; }

}  // namespace

TEST_CASE("two processes with replicas, one message after another in every mode") {
  constexpr std::uint64_t kMessages = 300;
  const JoinedSockets sockets;
  Child sender([&] {
    Side side(sockets.ends[0]);
    const auto packer = side.packer();
    return answer(send_messages(*packer, kMessages, side.spec), packer->status());
  });
  Child receiver([&] {
    Side side(sockets.ends[1]);
    const auto unpacker = side.unpacker();
    return answer(receive_messages(*unpacker, kMessages, side.spec), unpacker->status());
  });
  require_right(sender);
  require_right(receiver);
}

TEST_CASE(
    "a sender in another process that is killed within a message: what was unpacked stays, the rest is an error") {
  const JoinedSockets sockets;
  const Bytes first = pattern(20, 1);
  Child sender([&] {
    Side side(sockets.ends[0]);
    const auto packer = side.packer();
    packer->begin();
    patiently([&] { return packer->pack(first, SendMode::kSafer, ReceiveMode::kExpress); });
    for (;;) pause();
    return kChildIsWrong;
  });
  Child receiver([&] {
    Side side(sockets.ends[1]);
    const auto unpacker = side.unpacker();
    Bytes found(first.size()), rest(100);
    if (!patiently([&] { return unpacker->begin(); })) return answer(false, unpacker->status());
    if (!patiently([&] { return unpacker->unpack(found, SendMode::kSafer, ReceiveMode::kExpress); }))
      return answer(false, unpacker->status());
    sender.kill();
    const bool more = patiently([&] { return unpacker->unpack(rest, SendMode::kSafer, ReceiveMode::kCheaper); });
    return answer(!more && lost(unpacker->status()) && found == first, unpacker->status());
  });
  require_right(receiver);
  REQUIRE(WIFSIGNALED(sender.wait()));
}

TEST_CASE("a receiver in another process that is killed within a message") {
  const JoinedSockets sockets;
  const std::size_t all = std::size_t{link_spec().blocks} * link_spec().block_bytes;
  Child receiver([&] {
    Side side(sockets.ends[1]);
    const auto unpacker = side.unpacker();
    Bytes part(all);
    patiently([&] { return unpacker->begin(); });
    patiently([&] { return unpacker->unpack(part, SendMode::kSafer, ReceiveMode::kExpress); });
    side.tell("read");
    for (;;) pause();
    return kChildIsWrong;
  });
  Child sender([&] {
    Side side(sockets.ends[0]);
    const auto packer = side.packer();
    const Bytes part = pattern(all, 1), rest = pattern(4 * all, 2);
    packer->begin();
    if (!patiently([&] { return packer->pack(part, SendMode::kSafer, ReceiveMode::kExpress); }))
      return answer(false, packer->status());
    (void)side.hear();
    receiver.kill();
    const bool more = patiently([&] { return packer->pack(rest, SendMode::kCheaper, ReceiveMode::kCheaper); });
    return answer(!more && lost(packer->status()), packer->status());
  });
  require_right(sender);
  REQUIRE(WIFSIGNALED(receiver.wait()));
}

}  // namespace woa::cts
