// What loopback and shm have in common: channels are rings in memory that both ends map. A transport adds where that
// memory is from.
#pragma once

#include "runtime/transport/transport.h"

namespace woa {

class RingTransport : public Transport {
 public:
  Result<std::shared_ptr<Segment>> adopt(std::unique_ptr<Mapping> memory) final;
  Status connect(const std::shared_ptr<Segment>& segment, std::string_view description) final;
  std::uint32_t header_room() const noexcept final { return 0; }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const final;
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                              ChannelEnd end) final;
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                  ChannelEnd end) final;
  Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) final;

 private:
  Result<std::shared_ptr<Mapping>> map_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment);
};

}  // namespace woa
