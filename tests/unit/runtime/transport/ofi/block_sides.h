// A producer of payloads in blocks, and a consumer that has a replica of them.
#pragma once

#include <array>
#include <cstring>
#include <memory>

#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {

inline constexpr ChannelSpec kSpec{.ring_slots = 16, .return_slots = 8, .inline_bytes = 64, .header_crc = true};
inline constexpr std::uint32_t kBlocks = 4;
inline constexpr std::uint64_t kBlockBytes = 4096;

// A replica of a region, in memory of its own or in what somebody else made.
inline std::shared_ptr<Replica> replica(Wire& transport, std::unique_ptr<Mapping> adopted, std::size_t bytes) {
  return need(adopted != nullptr ? transport.adopt(std::move(adopted)) : transport.allocate("region", bytes));
}

// A consumer's side of a channel and its region.
struct Consumer {
  Consumer(Wire& producer, const std::shared_ptr<Replica>& source, std::unique_ptr<Mapping> adopted = nullptr,
           const OfiOptions& options = {})
      : transport(ofi_or_skip(options)) {
    region = replica(*transport, std::move(adopted), source->bytes());
    REQUIRE(transport->connect(region, source->description(), {}).ok());
    REQUIRE(producer.connect(source, region->description(), {}).ok());
    channel = connected(producer, *transport, need(producer.channel_bytes(kSpec)));
    const std::array there{ChannelRegion{0, kBlocks, kBlockBytes, source}};
    const std::array here{ChannelRegion{0, kBlocks, kBlockBytes, region}};
    sender = need(producer.open_sender(kSpec, channel.first, {}, there));
    receiver = need(transport->open_receiver(kSpec, channel.second, {}, here));
    bytes = need(region->map(Access::kReadWrite));
  }
  std::byte* payload(std::uint32_t offset) const { return bytes->bytes().data() + offset * kOffsetUnitBytes; }
  bool receive(std::size_t packets) {
    return within_patience([&] {
      receiver->poll(inbox, 64);
      return inbox.packets.size() >= packets;
    });
  }
  void send(const ActivationPacket& packet) const {
    REQUIRE(sender->reserve() == Push::kOk);
    sender->commit(packet);
  }
  // Gives a block back and waits until its producer has it again, which had held it.
  bool give_back(BlockPool& pool, std::uint32_t offset) const {
    receiver->give_back({0, offset, 0, 0});
    receiver->wake();
    BlockReturn block;
    return within_patience([&] { return sender->poll_returns(std::span(&block, 1)) == 1; }) &&
           pool.release(block.offset);
  }

  std::unique_ptr<OfiTransport> transport;
  std::shared_ptr<Replica> region;
  Pair channel;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
  std::unique_ptr<Mapping> bytes;
  Inbox inbox;
};

struct Producer {
  explicit Producer(std::unique_ptr<Mapping> adopted = nullptr)
      : region(replica(*transport, std::move(adopted), kBlocks * (kBlockBytes + kHeaderRoom))) {}

  std::unique_ptr<OfiTransport> transport = ofi_or_skip();
  std::shared_ptr<Replica> region;
  BlockPool pool = need(BlockPool::make(kBlocks, kBlockBytes, kHeaderRoom));
  std::unique_ptr<Mapping> bytes = need(region->map(Access::kReadWrite));

  // A block full of `value`.
  std::uint32_t fill(int value) {
    std::uint32_t offset = 0;
    REQUIRE(pool.claim(offset));
    std::memset(bytes->bytes().data() + offset * kOffsetUnitBytes, value, kBlockBytes);
    return offset;
  }
};

}  // namespace woa::test
