// A transport whose ends have a replica of memory each, as between hosts, and that can do nothing else.
#pragma once

#include "runtime/transport/transport.h"

namespace woa::test {

class ReplicaTransport : public Transport {
 public:
  std::string_view name() const noexcept override { return "replica"; }
  std::uint32_t header_room() const noexcept override { return 64; }
  Result<std::shared_ptr<Segment>> allocate(std::string_view, std::size_t) override { return no(); }
  Result<std::shared_ptr<Segment>> open(int, std::size_t) override { return no(); }
  Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>&, std::size_t, std::size_t) override {
    return no();
  }
  Result<std::shared_ptr<Segment>> adopt(std::unique_ptr<Mapping>) override { return no(); }
  Status connect(const std::shared_ptr<Segment>&, std::string_view) override { return no(); }
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>&, Access) override { return no(); }
  Result<std::size_t> channel_bytes(const ChannelSpec&) const override { return no(); }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec&, std::shared_ptr<Segment>, ChannelEnd) override {
    return no();
  }
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec&, std::shared_ptr<Segment>, ChannelEnd) override {
    return no();
  }
  Status close_channel(const ChannelSpec&, const std::shared_ptr<Segment>&) override { return no(); }

 private:
  static Status no() { return {Code::kInternal, "a test asked for more than this transport can do"}; }
};

}  // namespace woa::test
