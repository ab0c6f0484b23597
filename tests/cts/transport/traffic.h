// Every data-path call of both ends, again and again, and nothing else.
#pragma once

#include <array>

#include "tests/cts/transport/channel.h"

namespace woa::cts {

class Counter final : public PacketSink {
 public:
  bool on_packet(const ActivationPacket&, std::span<const std::byte>) noexcept override {
    ++packets;
    return true;
  }
  std::uint64_t packets = 0;
};

// Runs `laps` laps; returns the number of packets that came through.
inline std::uint64_t traffic(Channel& channel, std::uint64_t laps) {
  Counter counter;
  std::array<BlockReturn, 1> out;
  for (std::uint64_t n = 0; n < laps; ++n) {
    if (channel.sender->reserve() == Push::kOk) channel.sender->cancel();
    if (channel.sender->reserve() == Push::kOk) channel.sender->commit(token(n));
    channel.sender->wake();
    if (n % 2 == 0) channel.receiver->poll(counter, kAll);
    channel.receiver->give_back({0, 1, 2, 3});
    channel.receiver->wake();
    channel.sender->poll_returns(out);
    if (is_closed(*channel.sender) || channel.receiver->closed()) return 0;
    if (!channel.sender->status().ok() || !channel.receiver->status().ok()) return 0;
  }
  channel.receiver->poll(counter, kAll);
  return counter.packets;
}

}  // namespace woa::cts
