// Keeps the packets that come out of a channel.
#pragma once

#include <vector>

#include "runtime/transport/channel.h"

namespace woa::test {

class Inbox final : public PacketSink {
 public:
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    packets.push_back(packet);
    return true;
  }
  std::vector<ActivationPacket> packets;
};

}  // namespace woa::test
