// A wire that seldom has room, as ofi's may be.
#pragma once

#include <deque>
#include <vector>

#include "tests/unit/runtime/messaging/onesided/guarded_transport.h"

namespace woa::test {

// A packet goes out with the second wake() or poll_returns(): neither commit() nor the wake() behind it finds room.
class BusySender final : public Sender {
 public:
  explicit BusySender(std::unique_ptr<Sender> inner) : inner_(std::move(inner)) {}
  Push reserve() noexcept override { return inner_->reserve(); }
  void cancel() noexcept override { inner_->cancel(); }
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    waiting_.push_back({header, {inline_payload.begin(), inline_payload.end()}});
    tries_ = 1;
  }
  Status commit_sealed(const ActivationPacket&, std::span<const std::byte>) noexcept override {
    return {Code::kUnsupported, "no test needs it"};
  }
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override {
    return try_again(), inner_->poll_returns(out);
  }
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

class BusyTransport final : public SharedMemory {
 public:
  std::string_view name() const noexcept override { return "busy"; }
  Result<std::shared_ptr<SharedSegment>> allocate(std::string_view label, std::size_t bytes) override {
    return inner_.allocate(label, bytes);
  }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, SharedSegment& segment,
                                              Doorbell consumer) override {
    auto inner = inner_.open_sender(spec, segment, consumer);
    if (!inner.ok()) return inner;
    return std::unique_ptr<Sender>(std::make_unique<BusySender>(std::move(*inner)));
  }

 private:
  GuardedTransport inner_;
};

}  // namespace woa::test
