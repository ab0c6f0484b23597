// A wire that seldom has room, as ofi's may be.
#pragma once

#include <deque>
#include <vector>

#include "tests/unit/runtime/messaging/onesided/guarded_transport.h"

namespace woa::test {

// Packets go out with the third call: neither commit() nor the wake() behind it finds room.
class BusySender final : public Sender {
 public:
  explicit BusySender(std::unique_ptr<Sender> inner) : inner_(std::move(inner)) {}
  Push reserve() noexcept override { return try_again(), inner_->reserve(); }
  void cancel() noexcept override { inner_->cancel(); }
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    waiting_.push_back({header, {inline_payload.begin(), inline_payload.end()}});
    tries_ = 1;
  }
  Status commit_sealed(const ActivationPacket&, std::span<const std::byte>) noexcept override {
    return {Code::kUnsupported, "no test needs it"};
  }
  std::uint32_t next_sequence() const noexcept override {
    return inner_->next_sequence() + static_cast<std::uint32_t>(waiting_.size());
  }
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override {
    return try_again(), inner_->poll_returns(out);
  }
  std::uint32_t consumed() const noexcept override { return inner_->consumed(); }
  bool closed() const noexcept override { return inner_->closed(); }
  Status status() const override { return inner_->status(); }
  void wake() noexcept override { try_again(), inner_->wake(); }

 private:
  struct Packet {
    ActivationPacket header;
    std::vector<std::byte> inline_payload;
  };
  void try_again() noexcept {
    if (++tries_ < 3) return;
    for (; !waiting_.empty(); waiting_.pop_front())
      inner_->commit(waiting_.front().header, waiting_.front().inline_payload);
  }

  std::unique_ptr<Sender> inner_;
  std::deque<Packet> waiting_;
  int tries_ = 0;
};

class BusyTransport final : public Transport {
 public:
  std::string_view name() const noexcept override { return "busy"; }
  Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) override {
    return inner_.allocate(label, bytes);
  }
  Result<std::shared_ptr<Segment>> open(int descriptor, std::size_t bytes) override {
    return inner_.open(descriptor, bytes);
  }
  Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                        std::size_t bytes) override {
    return inner_.part(segment, offset, bytes);
  }
  Result<std::shared_ptr<Segment>> adopt(std::unique_ptr<Mapping> memory) override {
    return inner_.adopt(std::move(memory));
  }
  Status connect(const std::shared_ptr<Segment>& segment, std::string_view description) override {
    return inner_.connect(segment, description);
  }
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) override {
    return inner_.map(segment, access);
  }
  std::uint32_t header_room() const noexcept override { return inner_.header_room(); }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const override { return inner_.channel_bytes(spec); }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                              ChannelEnd end) override {
    auto inner = inner_.open_sender(spec, std::move(segment), std::move(end));
    if (!inner.ok()) return inner;
    return std::unique_ptr<Sender>(std::make_unique<BusySender>(std::move(*inner)));
  }
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                  ChannelEnd end) override {
    return inner_.open_receiver(spec, std::move(segment), std::move(end));
  }
  Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) override {
    return inner_.close_channel(spec, segment);
  }

 private:
  GuardedTransport inner_;
};

}  // namespace woa::test
