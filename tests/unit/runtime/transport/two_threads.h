// Both ends of a channel in two threads, with payload inline and in blocks that come back: traffic for ThreadSanitizer.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "runtime/memory/block_pool.h"
#include "runtime/transport/channel.h"
#include "runtime/transport/idle.h"

namespace woa::test {

inline constexpr std::uint64_t kBlockBytes = 128;

// The producer's side. Returns how many packets it sent.
inline std::uint64_t produce(Sender& sender, Doorbell own, std::span<std::byte> region, std::uint64_t total) {
  auto pool = BlockPool::make(static_cast<std::uint32_t>(region.size() / kBlockBytes), kBlockBytes);
  Idle idle(own, {.spin_ns = 20'000, .yields = 2});
  std::uint64_t sent = 0;
  const auto take_returns = [&] {
    std::array<BlockReturn, 4> blocks;
    const std::size_t count = sender.poll_returns(blocks);
    for (std::size_t k = 0; k < count; ++k)
      if (!pool->release(blocks[k].offset)) std::abort();
    return count;
  };
  const auto send_one = [&] {
    std::uint32_t offset = 0;
    if (sent == total || sender.reserve() != Push::kOk) return false;
    if (!pool->claim(offset)) return sender.cancel(), false;
    std::byte* payload = region.data() + offset * kOffsetUnitBytes;
    for (std::size_t k = 0; k < kBlockBytes; k += sizeof sent) std::memcpy(payload + k, &sent, sizeof sent);
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    packet.instance = sent;
    packet.offset = offset;
    packet.flags = kInline;
    packet.payload_bytes = sizeof sent;
    pool->hold(offset, 1);
    sender.commit(packet, std::as_bytes(std::span(&sent, 1)));
    sender.wake();
    return ++sent, true;
  };
  const auto work = [&] {
    const bool returned = take_returns() > 0;
    return send_one() || returned;
  };
  while (pool->free_blocks() * kBlockBytes < region.size() || sent < total) idle.idle(work(), work);
  return sent;
}

// The consumer's side.
class StreamConsumer final : public PacketSink {
 public:
  StreamConsumer(Receiver& receiver, std::span<const std::byte> region) : receiver_(receiver), region_(region) {}

  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    std::uint64_t inlined = 0, value = 0;
    std::memcpy(&inlined, inline_payload.data(), sizeof inlined);
    right_ &= packet.instance == received_ && inlined == received_;
    for (std::size_t k = 0; k < kBlockBytes; k += sizeof value) {
      std::memcpy(&value, region_.data() + packet.offset * kOffsetUnitBytes + k, sizeof value);
      right_ &= value == received_;
    }
    ++received_;
    held_.push_back({0, packet.offset, 0, 0});
    return true;
  }
  // True if all of `total` packets and their payloads came as they were sent.
  bool consume(Doorbell own, std::uint64_t total) {
    Idle idle(own, {.spin_ns = 20'000, .yields = 2});
    const auto work = [&] {
      const bool some = receiver_.poll(*this, 8) > 0;
      // Late and in batches: in between, only the count of packets read tells the producer that a place is free again.
      if (received_ == total || held_.size() >= region_.size() / kBlockBytes / 2) give_back();
      if (some) receiver_.wake();
      return some;
    };
    while (received_ < total && receiver_.status().ok()) idle.idle(work(), work);
    return right_ && received_ == total && receiver_.status().ok();
  }

 private:
  void give_back() {
    for (const BlockReturn& block : held_) receiver_.give_back(block);
    held_.clear();
  }

  Receiver& receiver_;
  std::span<const std::byte> region_;
  std::vector<BlockReturn> held_;
  std::uint64_t received_ = 0;
  bool right_ = true;
};

// `lines`: doorbells of producer and consumer, as the ends know them. True if everything arrived as sent.
inline bool run_two_threads(Sender& sender, Receiver& receiver, std::span<DoorbellLine, 2> lines,
                            std::span<std::byte> region, std::uint64_t total) {
  std::thread producer([&] { produce(sender, Doorbell(&lines[0]), region, total); });
  const bool right = StreamConsumer(receiver, region).consume(Doorbell(&lines[1]), total);
  producer.join();
  return right;
}

}  // namespace woa::test
