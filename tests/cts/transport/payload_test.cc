// Payloads: inline behind the header, or in the blocks of a region that the consumer gives back.
#include <algorithm>
#include <deque>

#include "runtime/memory/block_pool.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

// A channel and the region of one output port, seen by both sides.
struct Port {
  explicit Port(std::uint64_t block_bytes)
      : channel(cts::spec(), cts::spec().return_slots, block_bytes),
        pool(need(BlockPool::make(channel.spec.return_slots, block_bytes, channel.link->producer.header_room()))),
        written(need(channel.region.producer->map(Access::kReadWrite))),
        read(need(channel.region.consumer->map(Access::kRead))) {}

  static std::size_t begin(std::uint32_t offset) { return std::size_t{offset} * kOffsetUnitBytes; }
  void commit(std::uint32_t offset, std::uint64_t instance, std::span<const std::byte> payload) {
    std::copy(payload.begin(), payload.end(), written->bytes().begin() + static_cast<std::ptrdiff_t>(begin(offset)));
    ActivationPacket packet = token(instance);
    packet.payload_bytes = payload.size();
    packet.device = static_cast<std::uint8_t>(payload.empty() ? MemoryKind::kNone : MemoryKind::kCpu);
    packet.offset = offset;
    pool.hold(offset, 1);
    channel.sender->commit(packet);
  }
  std::vector<std::byte> payload_of(const ActivationPacket& packet) const {
    const auto bytes = read->bytes().subspan(begin(packet.offset), static_cast<std::size_t>(packet.payload_bytes));
    return {bytes.begin(), bytes.end()};
  }
  void take_returns() {
    std::vector<BlockReturn> blocks(3);
    while (const std::size_t count = channel.sender->poll_returns(blocks))
      for (std::size_t k = 0; k < count; ++k) REQUIRE(pool.release(blocks[k].offset));
  }

  Channel channel;
  BlockPool pool;
  std::unique_ptr<Mapping> written, read;
};

BlockReturn numbered(std::uint32_t n) {
  return {n, n * 3, static_cast<std::uint16_t>(n * 5), static_cast<std::uint16_t>(n * 7)};
}

}  // namespace

TEST_CASE("inline payload of every size arrives") {
  Channel channel;
  Inbox inbox;
  for (std::uint64_t size = 0; size <= channel.spec.inline_bytes; ++size) {
    ActivationPacket packet = token(size);
    packet.flags = kInline;
    packet.payload_bytes = size;
    const auto payload = pattern(static_cast<std::size_t>(size), size);
    REQUIRE(send(*channel.sender, packet, payload));
    REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
    REQUIRE(inbox.last_inline == payload);
  }
}

TEST_CASE("inline payload beyond the channel's limit is cut and harms no neighbour") {
  Channel channel;
  Inbox inbox;
  const std::uint32_t limit = channel.spec.inline_bytes;
  REQUIRE(send(*channel.sender,
               token(0)));  // so that the last packet lies before the first, in the first place of the ring
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) {
    ActivationPacket packet = token(n);
    packet.flags = kInline;
    packet.payload_bytes = limit;
    REQUIRE(send(*channel.sender, packet, pattern(limit + 100, n)));
  }
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) {
    REQUIRE(channel.receiver->poll(inbox, 1) == 1);
    REQUIRE(inbox.last_inline == pattern(limit, n));
  }
  std::vector<BlockReturn> out(1);
  REQUIRE(channel.sender->poll_returns(out) == 0);
  REQUIRE_FALSE(is_closed(*channel.sender));
}

TEST_CASE("without the inline flag a packet has no inline payload") {
  Channel channel;
  Inbox inbox;
  ActivationPacket packet = token(0);
  packet.payload_bytes = 16;
  packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  REQUIRE(send(*channel.sender, packet, pattern(16, 1)));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(inbox.last_inline.empty());
}

TEST_CASE("a block carries payloads from nothing to all it holds") {
  constexpr std::size_t kBlock = 1U << 16;
  Port port(kBlock);
  Inbox inbox;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock}) {
    std::uint32_t offset = 0;
    REQUIRE(port.pool.claim(offset));
    REQUIRE(port.channel.sender->reserve() == Push::kOk);
    port.commit(offset, size, pattern(size, size));
    REQUIRE(port.channel.receiver->poll(inbox, kAll) == 1);
    REQUIRE(port.payload_of(inbox.packets.back()) == pattern(size, size));
    port.channel.receiver->give_back({0, offset, 0, 0});
    port.take_returns();
    REQUIRE(port.pool.free_blocks() == port.channel.spec.return_slots);
  }
}

TEST_CASE("claims of a place and a block are committed, aborted and given back in any order") {
  Port port(256);
  Inbox inbox;
  std::mt19937 random(3);
  std::vector<std::uint32_t> claims;
  std::vector<ActivationPacket> held;
  std::uint64_t committed = 0, consumed = 0;
  for (int step = 0; step < 4000; ++step) {
    const auto what = random() % 6;
    std::uint32_t offset = 0;
    if (what == 0 && port.channel.sender->reserve() == Push::kOk) {
      port.pool.claim(offset) ? claims.push_back(offset) : port.channel.sender->cancel();
    } else if ((what == 1 || what == 2) && !claims.empty()) {
      std::swap(claims[random() % claims.size()], claims.back());
      if (what == 1) {
        port.commit(claims.back(), committed, pattern(committed % 257, committed));
        ++committed;
      } else {
        port.pool.hold(claims.back(), 0);
        port.channel.sender->cancel();
      }
      claims.pop_back();
    } else if (what == 3) {
      inbox.packets.clear();
      port.channel.receiver->poll(inbox, 2);
      for (const ActivationPacket& packet : inbox.packets) {
        REQUIRE(packet.instance == consumed);
        REQUIRE(port.payload_of(packet) == pattern(consumed % 257, consumed));
        ++consumed;
        held.push_back(packet);
      }
    } else if (what == 4 && !held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      REQUIRE(port.payload_of(held.back()) == pattern(held.back().instance % 257, held.back().instance));
      port.channel.receiver->give_back({0, held.back().offset, 0, 0});
      held.pop_back();
    } else if (what == 5) {
      port.take_returns();
    }
  }
  REQUIRE(consumed > 100);
  port.take_returns();
  inbox.packets.clear();
  port.channel.receiver->poll(inbox, kAll);
  REQUIRE(port.pool.free_blocks() + claims.size() + held.size() + inbox.packets.size() ==
          port.channel.spec.return_slots);
}

TEST_CASE("blocks come back in the order in which they were given, through every wrap") {
  Channel channel;
  std::deque<BlockReturn> given;
  std::mt19937 random(4);
  std::uint32_t next = 0;
  std::vector<BlockReturn> out(channel.spec.return_slots + 1);
  for (int step = 0; step < 1000; ++step) {
    while (given.size() < channel.spec.return_slots && random() % 3 != 0) {
      given.push_back(numbered(next++));
      channel.receiver->give_back(given.back());
    }
    const std::size_t limit = random() % out.size();
    const std::size_t count = channel.sender->poll_returns(std::span(out).first(limit));
    REQUIRE(count == std::min(limit, given.size()));
    for (std::size_t k = 0; k < count; ++k) {
      REQUIRE(out[k] == given.front());
      given.pop_front();
    }
  }
  REQUIRE(next > 300);
  REQUIRE_FALSE(is_closed(*channel.sender));
}

TEST_CASE("blocks given back before the consumer closed still come back") {
  Channel channel;
  channel.receiver->give_back(numbered(1));
  channel.receiver.reset();
  std::vector<BlockReturn> out(2);
  REQUIRE(is_closed(*channel.sender));
  REQUIRE(channel.sender->poll_returns(out) == 1);
  REQUIRE(out[0] == numbered(1));
}

}  // namespace woa::cts
