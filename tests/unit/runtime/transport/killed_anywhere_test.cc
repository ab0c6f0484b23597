// An end of a shm channel that stops for good between any two instructions of an operation on it: the other end reads
// what was published, whole, and nothing else. A process is stepped through each operation; at each step the channel's
// memory is what its death there would leave.
#include <sys/ptrace.h>

#include <csignal>
#include <cstring>
#include <functional>

#include "runtime/transport/prepared_ring.h"
#include "runtime/transport/ring_receiver.h"
#include "runtime/transport/ring_sender.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/cts/transport/channel.h"
#include "tests/support/child.h"
#include "tests/support/require.h"
#include "tests/unit/runtime/transport/heap_channel.h"

namespace woa {
namespace {

using cts::Inbox;
using cts::kAll;
using test::need;

constexpr ChannelSpec kSpec{2, 2, 64, true};

// The channel, shared with the process that is stepped.
struct Shared {
  ShmTransport transport;
  std::shared_ptr<SharedSegment> segment = need(transport.allocate("channel", need(ring_channel_bytes(kSpec))));
  std::shared_ptr<Mapping> mapping = need(segment->map(Access::kReadWrite));
};

using Bytes = std::vector<std::byte>;
Bytes copy_of(const Shared& shared) { return {shared.mapping->bytes().begin(), shared.mapping->bytes().end()}; }
void set(const test::HeapChannel& memory, const Bytes& bytes) {
  std::memcpy(memory.bytes().data(), bytes.data(), bytes.size());
}

ActivationPacket with_inline(std::uint64_t instance) {
  ActivationPacket packet = cts::token(instance);
  packet.flags = kInline;
  packet.payload_bytes = 64;
  return packet;
}

void commit(Sender& sender, std::uint64_t instance) {
  if (sender.reserve() == Push::kOk) sender.commit(with_inline(instance), cts::pattern(64, instance));
}

// Runs `operation` in a process of its own and calls `look` between all its instructions; returns their number.
std::uint64_t step_through(const std::function<void()>& operation, const std::function<void()>& look) {
  test::Child child([&] {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return 1;
    raise(SIGSTOP);
    operation();
    raise(SIGSTOP);
    return 0;
  });
  int end = 0;
  REQUIRE(waitpid(child.pid(), &end, 0) == child.pid());
  if (WIFEXITED(end)) test::skip("ptrace", "this system lets no parent trace its child");
  REQUIRE(WIFSTOPPED(end));
  std::uint64_t steps = 0;
  for (;; ++steps) {
    REQUIRE(ptrace(PTRACE_SINGLESTEP, child.pid(), nullptr, nullptr) == 0);
    REQUIRE(waitpid(child.pid(), &end, 0) == child.pid());
    REQUIRE(WIFSTOPPED(end));
    if (WSTOPSIG(end) == SIGSTOP) return steps;
    REQUIRE(WSTOPSIG(end) == SIGTRAP);
    look();
  }
}

// The packets that a consumer gets from `before` and then from `now`, with the channel closed for the dead producer.
std::uint64_t packets_in(const Bytes& before, const Bytes& now) {
  static Inbox inbox;  // large: made once
  inbox.packets.clear();
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  RingReceiver receiver(kSpec, memory, {});
  set(*memory, before);
  receiver.poll(inbox, kAll);
  set(*memory, now);
  ChannelView(kSpec, memory->bytes()).words->producer_gone = 1;
  while (receiver.poll(inbox, 1) == 1) REQUIRE(inbox.last_inline == cts::pattern(64, inbox.packets.size()));
  for (std::uint64_t n = 0; n < inbox.packets.size(); ++n) REQUIRE(inbox.packets[n].instance == n + 1);
  REQUIRE(cts::poll_for_long(receiver, inbox) == 0);
  REQUIRE(receiver.status().ok());
  REQUIRE(receiver.closed());
  return inbox.packets.size();
}

// Steps through what makes the third packet visible, which is in the channel whole or not at all.
std::uint64_t step_to_third(const Shared& shared, const Bytes& before, const std::function<void()>& operation) {
  std::uint64_t last = 2;
  const std::uint64_t steps = step_through(operation, [&] {
    const std::uint64_t packets = packets_in(before, copy_of(shared));
    REQUIRE((packets == last || packets == last + 1));
    last = packets;
  });
  REQUIRE(last == 3);
  return steps;
}

// Two packets were sent and read; the third takes the place of the first.
struct TwoRead {
  Shared shared;
  std::unique_ptr<PreparingSender> sender = need(shared.transport.open_preparing_sender(kSpec, *shared.segment, {}));
  std::unique_ptr<Receiver> receiver = need(shared.transport.open_receiver(kSpec, *shared.segment, {}));
  Inbox inbox;
  Bytes before;  // of the reader's look

  TwoRead() {
    for (std::uint64_t n = 1; n <= 2; ++n) commit(*sender, n);
    before = copy_of(shared);
    REQUIRE(receiver->poll(inbox, kAll) == 2);
  }
};

struct Heard {
  std::uint32_t consumed = 0, returned = 0;
  bool closed = false;
};

// The news that a producer of two packets finds in `now`.
Heard heard_in(const Bytes& now) {
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  RingSender sender(kSpec, memory, {});
  for (std::uint64_t n = 1; n <= 2; ++n) commit(sender, n);
  set(*memory, now);
  Heard heard{ChannelView(kSpec, memory->bytes()).words->consumed, 0, sender.closed()};
  REQUIRE(heard.consumed <= 2);
  BlockReturn block;
  while (sender.poll_returns({&block, 1}) == 1) REQUIRE(block == BlockReturn{++heard.returned, 2, 3, 4});
  REQUIRE(sender.status().ok());
  return heard;
}

}  // namespace

TEST_CASE("a producer that dies between any two instructions of a commit leaves the packet whole, or none") {
  Shared shared;
  const auto sender = need(shared.transport.open_sender(kSpec, *shared.segment, {}));
  const auto receiver = need(shared.transport.open_receiver(kSpec, *shared.segment, {}));
  Inbox inbox;
  for (std::uint64_t n = 1; n <= 2; ++n) commit(*sender, n);
  const Bytes before = copy_of(shared);
  REQUIRE(receiver->poll(inbox, kAll) == 2);
  REQUIRE(step_to_third(shared, before, [&] { commit(*sender, 3); }) > 100);
}

TEST_CASE(
    "a producer that dies between any two instructions of a preparation leaves nothing, and a device may publish") {
  TwoRead two;
  REQUIRE(two.sender->reserve() == Push::kOk);
  const std::uint64_t steps =
      step_through([&] { static_cast<void>(two.sender->prepare(with_inline(3), cts::pattern(64, 3))); },
                   [&] { REQUIRE(packets_in(two.before, copy_of(two.shared)) == 2); });
  REQUIRE(steps > 100);
  // The process is dead and the device is not: its store comes after the channel was cut.
  const ChannelView view(kSpec, two.shared.mapping->bytes());
  view.slots[0].words[kPublishWord].store(3, std::memory_order_release);
  REQUIRE(packets_in(two.before, copy_of(two.shared)) == 3);
}

TEST_CASE("a producer that dies between any two instructions of a publication leaves the packet whole, or none") {
  for (const bool is_rewritten : {false, true}) {
    TwoRead two;
    PreparingSender* const sender = two.sender.get();
    REQUIRE(sender->reserve() == Push::kOk);
    ActivationPacket poison = with_inline(3);
    poison.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
    poison.status = static_cast<std::uint8_t>(Code::kUnavailable);
    // What is rewritten carried another payload.
    const Publication prepared = sender->prepare(with_inline(3), cts::pattern(64, is_rewritten ? 4 : 3));
    step_to_third(two.shared, two.before, [&] {
      if (is_rewritten)
        sender->rewrite(prepared, poison, cts::pattern(64, 3));
      else
        sender->publish(prepared);
    });
    REQUIRE(two.receiver->poll(two.inbox, kAll) == 1);
    REQUIRE((two.inbox.packets.back().kind == poison.kind) == is_rewritten);
  }
}

TEST_CASE("a producer that dies between any two instructions of its close has closed, or can be closed") {
  Shared shared;
  auto sender = need(shared.transport.open_sender(kSpec, *shared.segment, {}));
  for (std::uint64_t n = 1; n <= 2; ++n) commit(*sender, n);
  const Bytes before = copy_of(shared);
  step_through([&] { sender.reset(); }, [&] { REQUIRE(packets_in(before, copy_of(shared)) == 2); });
  REQUIRE(ChannelView(kSpec, shared.mapping->bytes()).words->producer_end == end_mark(3));
}

TEST_CASE("a consumer that dies between any two instructions has read, returned and closed one after the other") {
  Shared shared;
  const auto sender = need(shared.transport.open_sender(kSpec, *shared.segment, {}));
  for (std::uint64_t n = 1; n <= 2; ++n) commit(*sender, n);
  auto receiver = need(shared.transport.open_receiver(kSpec, *shared.segment, {}));
  Inbox inbox;
  Heard last;
  const auto look = [&] {
    const Heard now = heard_in(copy_of(shared));
    REQUIRE((now.consumed == last.consumed || now.consumed == 2));  // told together
    REQUIRE((now.returned == last.returned || now.returned == last.returned + 1));
    REQUIRE((now.returned == 0 || now.consumed == 2));
    REQUIRE(now.closed >= last.closed);
    REQUIRE((!now.closed || now.returned == 2));
    last = now;
  };
  const std::uint64_t steps = step_through(
      [&] {
        receiver->poll(inbox, kAll);
        for (std::uint32_t n = 1; n <= 2; ++n) receiver->give_back({n, 2, 3, 4});
        receiver.reset();
      },
      look);
  REQUIRE(last.consumed == 2);
  REQUIRE(last.returned == 2);
  REQUIRE(last.closed);
  REQUIRE(steps > 100);
}

}  // namespace woa
