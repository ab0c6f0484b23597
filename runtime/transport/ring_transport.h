// What loopback and shm have in common: channels are rings in memory that both ends map. A transport adds where that
// memory is from.
#pragma once

#include "runtime/transport/transport.h"

namespace woa {

class RingTransport : public Transport {
 public:
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const final;
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                              Doorbell consumer) final;
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                  Doorbell producer) final;
  Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) final;

 private:
  Result<std::shared_ptr<Mapping>> map_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment);
};

}  // namespace woa
