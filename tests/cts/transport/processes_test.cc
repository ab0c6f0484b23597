// Transports that cross processes: two processes on one channel, one of them dying, descriptors on their way.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <new>

#include "runtime/memory/pages.h"
#include "runtime/transport/idle.h"
#include "tests/cts/transport/channel.h"
#include "tests/support/child.h"

namespace woa::cts {
namespace {

using test::Child;

// One byte from a child to its parent: "I am there".
struct Signal {
  Signal() { REQUIRE(pipe(ends.data()) == 0); }
  ~Signal() { close(ends[0]), close(ends[1]); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  void raise() const {
    if (write(ends[1], "!", 1) != 1) _exit(9);
  }
  void await() const {
    char byte = 0;
    REQUIRE(read(ends[0], &byte, 1) == 1);
  }
  std::array<int, 2> ends{};
};

// A segment with two doorbells, and a channel whose ends the test opens in the processes that it makes.
struct Shared {
  std::unique_ptr<SharedMemory> transport = make_memory();
  ChannelSpec spec = cts::spec();
  std::shared_ptr<SharedSegment> segment = need(transport->allocate("channel", need(ring_channel_bytes(spec))));
  std::shared_ptr<SharedSegment> bell_segment = need(transport->allocate("bells", 2 * sizeof(DoorbellLine)));
  std::unique_ptr<Mapping> bell_mapping = need(bell_segment->map(Access::kReadWrite));
  DoorbellLine* lines = new (bell_mapping->bytes().data()) DoorbellLine[2];
  Doorbell producer{&lines[0]}, consumer{&lines[1]};

  std::unique_ptr<Sender> sender() { return transport->open_sender(spec, *segment, consumer).value(); }
  std::unique_ptr<Receiver> receiver() { return transport->open_receiver(spec, *segment, producer).value(); }
};

// Sends `total` numbered packets, sleeping on its doorbell whenever the ring is full. 0 when done.
int produce(Shared& shared, std::uint64_t total) {
  const auto sender = shared.sender();
  Idle idle(shared.producer, {.spin_ns = 0, .yields = 0});
  std::uint64_t sent = 0;
  const auto work = [&] {
    const std::uint64_t before = sent;
    while (sent < total && send(*sender, token(sent))) ++sent;
    if (sent != before) sender->wake();
    return sent != before;
  };
  while (sent < total && !is_closed(*sender)) idle.idle(work(), work);
  return sent == total ? 0 : 1;
}

// Opens the consumer's end, says so, and reads nothing.
Child idle_consumer(Shared& shared, const Signal& ready) {
  return Child([&]() -> int {
    const auto receiver = shared.receiver();
    ready.raise();
    for (;;) pause();
  });
}

// Consumes to the end, sleeping on its doorbell whenever the ring is empty. 0 if all `total` came in order.
int consume(Shared& shared, std::uint64_t total) {
  const auto receiver = shared.receiver();
  Idle idle(shared.consumer, {.spin_ns = 0, .yields = 0});
  Inbox inbox;
  std::uint64_t received = 0;
  bool in_order = true;
  const auto work = [&] {
    inbox.packets.clear();
    const std::size_t count = receiver->poll(inbox, kAll);
    for (const ActivationPacket& packet : inbox.packets) in_order &= packet.instance == received++;
    if (count > 0) receiver->wake();
    return count > 0;
  };
  while (!receiver->closed() && receiver->status().ok()) idle.idle(work(), work);
  return in_order && received == total && receiver->status().ok() ? 0 : 1;
}

// The descriptor goes over `socket` as the launcher sends it.
void send_descriptor(int socket, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = control.data(), message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  REQUIRE(sendmsg(socket, &message, 0) == 1);
}

int receive_descriptor(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data, message.msg_iovlen = 1;
  message.msg_control = control.data(), message.msg_controllen = control.size();
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&message) == nullptr) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
  return descriptor;
}

// Sets the soft limit of descriptors (`ulimit -Sn`), for this test.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const rlimit few{most, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

}  // namespace

TEST_CASE("two processes: everything arrives, and no wake-up is lost") {
  constexpr std::uint64_t kTotal = 5'000;
  Shared shared;
  Child producer([&] { return produce(shared, kTotal); });
  REQUIRE(consume(shared, kTotal) == 0);
  REQUIRE(producer.exit_code() == 0);
}

TEST_CASE("a producer killed while a claim is open: what it committed is read, then the channel is closed") {
  Shared shared;
  const auto region = need(shared.transport->allocate("region", 4096));
  Signal ready;
  const std::uint64_t committed = shared.spec.ring_slots - 1;
  Child producer([&] {
    const auto sender = shared.sender();
    const auto blocks = region->map(Access::kReadWrite).value();
    for (std::uint64_t n = 0; n < committed; ++n)
      if (!send(*sender, token(n))) return 1;
    if (sender->reserve() != Push::kOk) return 1;
    blocks->bytes()[0] = std::byte{1};  // half a payload
    ready.raise();
    for (;;) pause();
  });
  const auto receiver = shared.receiver();
  ready.await();
  producer.kill();
  REQUIRE(WIFSIGNALED(producer.wait()));
  REQUIRE_FALSE(receiver->closed());
  REQUIRE(close_channel(shared.spec, *shared.segment).ok());
  Inbox inbox;
  REQUIRE(receiver->poll(inbox, kAll) == committed);
  REQUIRE(receiver->closed());
  REQUIRE(receiver->status().ok());
}

TEST_CASE("a consumer killed: the producer is back-pressured, then told that the channel is closed") {
  Shared shared;
  Signal ready;
  Child consumer = idle_consumer(shared, ready);
  const auto sender = shared.sender();
  ready.await();
  consumer.kill();
  REQUIRE(WIFSIGNALED(consumer.wait()));
  for (std::uint64_t n = 0; n < shared.spec.ring_slots; ++n) REQUIRE(send(*sender, token(n)));
  REQUIRE(sender->reserve() == Push::kBackPressured);
  REQUIRE(close_channel(shared.spec, *shared.segment).ok());
  REQUIRE(sender->reserve() == Push::kClosed);
  REQUIRE(is_closed(*sender));
}

TEST_CASE("a producer killed between preparation and publication: a device that lives on may still publish") {
  Shared shared;
  const auto prepared = need(shared.transport->allocate("publication", sizeof(Publication)));
  const auto mapping = need(prepared->map(Access::kReadWrite));
  auto* const publication = new (mapping->bytes().data()) Publication();
  Signal ready;
  // Opened before the fork: the device, which the parent plays, has the addresses of the producer.
  const auto sender = need(shared.transport->open_preparing_sender(shared.spec, *shared.segment, shared.consumer));
  const auto receiver = shared.receiver();
  Child producer([&] {
    if (sender->reserve() != Push::kOk) return 1;
    *publication = sender->prepare(token(5));
    ready.raise();
    for (;;) pause();
  });
  ready.await();
  Inbox inbox;
  REQUIRE(poll_for_long(*receiver, inbox) == 0);
  producer.kill();
  REQUIRE(WIFSIGNALED(producer.wait()));
  REQUIRE(poll_for_long(*receiver, inbox) == 0);
  REQUIRE_FALSE(receiver->closed());
  REQUIRE(close_channel(shared.spec, *shared.segment).ok());
  REQUIRE(receiver->closed());
  publication->store();
  REQUIRE(receiver->poll(inbox, kAll) == 1);
  REQUIRE(inbox.packets.back().instance == 5);
  REQUIRE(receiver->closed());
  REQUIRE(receiver->status().ok());
}

TEST_CASE("a consumer killed between preparation and publication: what the device stores is read by nobody") {
  Shared shared;
  Signal ready;
  Child consumer = idle_consumer(shared, ready);
  const auto sender = need(shared.transport->open_preparing_sender(shared.spec, *shared.segment, shared.consumer));
  ready.await();
  REQUIRE(sender->reserve() == Push::kOk);
  const Publication prepared = sender->prepare(token(0));
  consumer.kill();
  REQUIRE(WIFSIGNALED(consumer.wait()));
  REQUIRE(close_channel(shared.spec, *shared.segment).ok());
  REQUIRE(sender->reserve() == Push::kClosed);
  REQUIRE(sender->flush() == 1);
  prepared.store();
  REQUIRE(sender->flush() == 0);
  REQUIRE(sender->reserve() == Push::kClosed);
  REQUIRE(sender->status().ok());
}

TEST_CASE("a sleeper is woken by another process") {
  Shared shared;
  Signal ready;
  Child sleeper([&] {
    shared.consumer.prepare();
    ready.raise();
    shared.consumer.sleep(60'000'000'000);
    return shared.lines[1].rings == 1 ? 0 : 1;
  });
  ready.await();
  shared.consumer.ring();
  REQUIRE(sleeper.exit_code() == 0);
}

TEST_CASE("a segment travels as a descriptor to a process that is already there") {
  std::array<int, 2> sockets{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0);
  const auto transport = make_memory();
  const ChannelSpec channel_spec = spec();
  const std::size_t bytes = need(ring_channel_bytes(channel_spec));
  Child consumer([&] {
    auto segment = SharedSegment::open(receive_descriptor(sockets[1]), bytes);
    if (!segment.ok() || (fcntl((*segment)->descriptor(), F_GETFD) & FD_CLOEXEC) == 0) return 2;
    const auto receiver = transport->open_receiver(channel_spec, **segment, {}).value();
    Inbox inbox;
    while (!receiver->closed() && receiver->status().ok()) receiver->poll(inbox, kAll);
    return inbox.packets.size() == 100 && inbox.packets.back().instance == 99 ? 0 : 3;
  });
  {
    const auto segment = need(transport->allocate("channel", bytes));
    send_descriptor(sockets[0], segment->descriptor());
    const auto sender = need(transport->open_sender(channel_spec, *segment, {}));
    for (std::uint64_t n = 0; n < 100;) n += send(*sender, token(n)) ? 1 : 0;
  }
  REQUIRE(consumer.exit_code() == 0);
  close(sockets[0]), close(sockets[1]);
}

TEST_CASE("a thousand channels of two processes share a segment, under a limit of 256 descriptors") {
  constexpr std::size_t kChannels = 1000;
  const DescriptorLimit limit(256);
  const auto transport = make_memory();
  const ChannelSpec channel_spec = spec();
  const std::size_t bytes = need(ring_channel_bytes(channel_spec));
  const std::size_t stride = whole_pages(bytes);
  const auto whole = need(transport->allocate("channels", kChannels * stride));
  Child consumer([&] {
    std::vector<std::unique_ptr<Receiver>> receivers;
    for (std::size_t c = 0; c < kChannels; ++c) {
      const auto part = whole->part(c * stride, bytes);
      if (!part.ok()) return 2;
      receivers.push_back(transport->open_receiver(channel_spec, **part, {}).value());
    }
    for (std::size_t c = 0; c < kChannels; ++c) {
      Inbox inbox;
      while (!receivers[c]->closed() && receivers[c]->status().ok()) receivers[c]->poll(inbox, kAll);
      if (inbox.packets.size() != 1 || inbox.packets[0].instance != c) return 3;
    }
    return 0;
  });
  std::vector<std::unique_ptr<Sender>> senders;
  for (std::size_t c = 0; c < kChannels; ++c)
    senders.push_back(need(transport->open_sender(channel_spec, *need(whole->part(c * stride, bytes)), {})));
  for (std::size_t c = 0; c < kChannels; ++c) REQUIRE(send(*senders[c], token(c)));
  senders.clear();
  REQUIRE(consumer.exit_code() == 0);
}

TEST_CASE("a segment cannot be resized, nor its seals changed, and is closed on exec") {
  const auto segment = need(make_memory()->allocate("segment", 8192));
  REQUIRE(ftruncate(segment->descriptor(), 4096) == -1);
  REQUIRE(errno == EPERM);
  REQUIRE(ftruncate(segment->descriptor(), 16384) == -1);
  REQUIRE(errno == EPERM);
  REQUIRE(fcntl(segment->descriptor(), F_ADD_SEALS, F_SEAL_WRITE) == -1);
  REQUIRE(errno == EPERM);
  REQUIRE((fcntl(segment->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("what is not a sealed segment of the expected size is refused and closed") {
  const auto transport = make_memory();
  const int loose = memfd_create("loose", MFD_ALLOW_SEALING | MFD_CLOEXEC);
  REQUIRE(ftruncate(loose, 4096) == 0);
  REQUIRE(SharedSegment::open(loose, 4096).status().code() == Code::kInvalid);
  REQUIRE_FALSE(is_open(loose));

  const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  REQUIRE(SharedSegment::open(file, 4096).status().code() == Code::kInvalid);
  REQUIRE_FALSE(is_open(file));

  const auto segment = need(transport->allocate("segment", 4096));
  const int copy = fcntl(segment->descriptor(), F_DUPFD_CLOEXEC, 0);
  const Status wrong_size = SharedSegment::open(copy, 8192).status();
  REQUIRE(wrong_size.code() == Code::kInvalid);
  REQUIRE(wrong_size.message().find("4096 bytes, expected 8192") != std::string::npos);
  REQUIRE_FALSE(is_open(copy));
  REQUIRE(SharedSegment::open(-1, 4096).status().code() == Code::kInvalid);
}

TEST_CASE("a mapping for reading cannot be written, and an open segment outlives the one it came from") {
  const auto transport = make_memory();
  std::unique_ptr<Mapping> mapping;
  {
    const auto segment = need(transport->allocate("segment", 4096));
    need(segment->map(Access::kReadWrite))->bytes()[7] = std::byte{7};
    const auto copy = need(SharedSegment::open(fcntl(segment->descriptor(), F_DUPFD_CLOEXEC, 0), 4096));
    mapping = need(copy->map(Access::kRead));
  }
  REQUIRE(mapping->bytes()[7] == std::byte{7});
  const Signal pipe_end;
  pipe_end.raise();
  REQUIRE(read(pipe_end.ends[0], mapping->bytes().data(), 1) == -1);
  REQUIRE(errno == EFAULT);
}

}  // namespace woa::cts
