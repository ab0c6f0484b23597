// The two ends of a link in processes of their own, over libfabric by way of this host's loopback. Both ends are
// children, forked before anything of libfabric is used; they have nothing in common but a socket for descriptions.
#include <sys/socket.h>

#include "runtime/transport/ofi/ofi_transport.h"
#include "tests/cts/packing/patient.h"
#include "tests/support/child.h"
#include "tests/support/require.h"

namespace woa::cts {
namespace {

using test::Child;

constexpr int kUnavailable = 77, kWrong = 1;

// One process's transport and link, connected to the other's by what they tell each other over `socket`.
struct Side {
  explicit Side(int peer_socket) : socket(peer_socket) {
    auto made = make_ofi_transport({});
    if (!made.ok()) std::puts(made.status().message().c_str()), _exit(kUnavailable);
    transport = std::move(*made);
    auto allocated = packing::allocate_link(*transport, spec, "link");
    if (!allocated.ok()) fail(allocated.status());
    link = std::move(*allocated);
    tell(link.description());
    if (const Status connected = link.connect(*transport, hear()); !connected.ok()) fail(connected);
    (void)tell("connected"), (void)hear();  // nothing is sent before both are
  }
  std::unique_ptr<Packer> packer() {
    auto opened = Packer::open(*transport, spec, link);
    if (!opened.ok()) fail(opened.status());
    return std::move(*opened);
  }
  std::unique_ptr<Unpacker> unpacker() {
    auto opened = Unpacker::open(*transport, spec, link);
    if (!opened.ok()) fail(opened.status());
    return std::move(*opened);
  }
  void tell(const std::string& text) const {
    if (::send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) std::perror("send"), _exit(kWrong);
  }
  [[nodiscard]] std::string hear() const {
    std::array<char, 4096> text{};
    const ssize_t bytes = recv(socket, text.data(), text.size(), 0);
    if (bytes <= 0) std::perror("recv"), _exit(kWrong);
    return {text.data(), static_cast<std::size_t>(bytes)};
  }
  [[noreturn]] static void fail(const Status& status) {
    std::puts(status.message().c_str()), std::fflush(stdout), _exit(kWrong);
  }

  int socket;
  LinkSpec spec = link_spec();
  std::unique_ptr<Transport> transport;
  packing::Link link;
};

// Prints why the answer is no.
int answer(bool right, const Status& status) {
  if (!right) std::puts(status.message().c_str()), std::fflush(stdout);
  return right ? 0 : kWrong;
}

// Two sockets that are joined; each message is one piece.
struct Sockets {
  Sockets() { REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0); }
  ~Sockets() { close(ends[0]), close(ends[1]); }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  std::array<int, 2> ends{};
};

void require_well(Child& child) {
  const int code = child.exit_code();
  if (code == kUnavailable) test::skip("ofi", "a child process could not open it; its reason stands above");
  REQUIRE(code == 0);
}

bool lost(const Status& status) { return status.code() == Code::kPeerLost; }

}  // namespace

TEST_CASE("two processes with replicas, one message after another in every mode") {
  constexpr std::uint64_t kMessages = 300;
  const Sockets sockets;
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
  require_well(sender);
  require_well(receiver);
}

TEST_CASE(
    "a sender in another process that is killed within a message: what was unpacked stays, the rest is an error") {
  const Sockets sockets;
  const Bytes first = pattern(20, 1);
  Child sender([&] {
    Side side(sockets.ends[0]);
    const auto packer = side.packer();
    packer->begin();
    patiently([&] { return packer->pack(first, SendMode::kSafer, ReceiveMode::kExpress); });
    for (;;) pause();
    return kWrong;
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
  require_well(receiver);
  REQUIRE(WIFSIGNALED(sender.wait()));
}

TEST_CASE("a receiver in another process that is killed within a message") {
  const Sockets sockets;
  const std::size_t all = std::size_t{link_spec().blocks} * link_spec().block_bytes;
  Child receiver([&] {
    Side side(sockets.ends[1]);
    const auto unpacker = side.unpacker();
    Bytes part(all);
    patiently([&] { return unpacker->begin(); });
    patiently([&] { return unpacker->unpack(part, SendMode::kSafer, ReceiveMode::kExpress); });
    side.tell("read");
    for (;;) pause();
    return kWrong;
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
  require_well(sender);
  REQUIRE(WIFSIGNALED(receiver.wait()));
}

}  // namespace woa::cts
