// ofi between two endpoints of this process, over loopback. The suite looks at once for packets that it has just sent,
// so its ends first let the wire deliver those under way.
#include <cstdlib>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "tests/cts/transport/channel.h"
#include "tests/support/require.h"

namespace woa::cts {
namespace {

constexpr std::uint64_t kPatienceNs = 20'000'000'000;  // ten times what the loss of a peer may take

// Delivers nothing.
class Nobody final : public PacketSink {
 public:
  bool on_packet(const ActivationPacket&, std::span<const std::byte>) noexcept override { return false; }
};

// Two endpoints, and the ends that are open between them.
struct TwoSides {
  const OfiTransport *producer, *consumer;
  Sender* sender = nullptr;
  Receiver* receiver = nullptr;

  static std::uint64_t posted(const OfiCounters& counters) {
    return counters.writes + counters.gathered + counters.injected;
  }
  // Returns when everything posted so far has arrived.
  void settle() const {
    const std::uint64_t to_consumer = posted(producer->counters()), to_producer = posted(consumer->counters());
    const std::uint64_t begin = now_ns();
    Nobody nobody;
    while (consumer->counters().arrived < to_consumer || producer->counters().arrived < to_producer) {
      if (sender != nullptr) sender->poll_returns({});
      if (receiver != nullptr) receiver->poll(nobody, 0);
      if (now_ns() - begin > kPatienceNs) std::fputs("the wire does not deliver\n", stderr), std::abort();
    }
  }
};

class SettledSender final : public Sender {
 public:
  SettledSender(std::unique_ptr<Sender> inner, std::shared_ptr<TwoSides> sides)
      : inner_(std::move(inner)), sides_(std::move(sides)) {
    sides_->sender = inner_.get();
  }
  ~SettledSender() override {
    sides_->sender = nullptr;
    inner_.reset();
    sides_->settle();
  }
  Push reserve() noexcept override {
    sides_->settle();
    inner_->poll_returns({});  // what arrived is heard of here
    return inner_->reserve();
  }
  void cancel() noexcept override { inner_->cancel(); }
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    inner_->commit(header, inline_payload);
  }
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    return inner_->commit_sealed(header, inline_payload);
  }
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override {
    return sides_->settle(), inner_->poll_returns(out);
  }
  Status status() const override { return inner_->status(); }
  void wake() noexcept override { inner_->wake(), sides_->settle(); }
  void want_room(bool wanted) noexcept override { inner_->want_room(wanted), sides_->settle(); }
  bool room_wanted() const noexcept override { return sides_->settle(), inner_->room_wanted(); }

 private:
  std::unique_ptr<Sender> inner_;
  std::shared_ptr<TwoSides> sides_;
};

// Also wakes the producer after each batch, as the contract asks of a side that polls and gives back.
class SettledReceiver final : public Receiver {
 public:
  SettledReceiver(std::unique_ptr<Receiver> inner, std::shared_ptr<TwoSides> sides)
      : inner_(std::move(inner)), sides_(std::move(sides)) {
    sides_->receiver = inner_.get();
  }
  ~SettledReceiver() override {
    sides_->receiver = nullptr;
    inner_.reset();
    sides_->settle();
  }
  std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept override {
    sides_->settle();
    const std::size_t count = inner_->poll(sink, max_packets);
    inner_->wake();
    return count;
  }
  Status status() const override { return sides_->settle(), inner_->status(); }
  bool closed() const noexcept override { return sides_->settle(), inner_->closed(); }
  void give_back(const BlockReturn& block) noexcept override { inner_->give_back(block), inner_->wake(); }
  void wake() noexcept override { inner_->wake(), sides_->settle(); }
  bool room_wanted() const noexcept override { return sides_->settle(), inner_->room_wanted(); }
  void want_room(bool wanted) noexcept override { inner_->want_room(wanted), sides_->settle(); }

 private:
  std::unique_ptr<Receiver> inner_;
  std::shared_ptr<TwoSides> sides_;
};

// WOA_CTS_PROVIDER in the environment names another provider than ofi chooses.
std::unique_ptr<OfiTransport> make_ofi() {
  const char* provider = std::getenv("WOA_CTS_PROVIDER");
  OfiOptions options;
  if (provider != nullptr) options.provider = provider;
  auto transport = make_ofi_transport(options);
  if (!transport.ok() && transport.status().code() == Code::kUnavailable)
    test::skip(provider != nullptr ? provider : "ofi", transport.status().message());
  return need(std::move(transport));
}

class OfiLink final : public Link {
 public:
  OfiLink()
      : Link(make_ofi(), make_ofi()), sides_(std::make_shared<TwoSides>(TwoSides{side(producer), side(consumer)})) {}
  std::unique_ptr<Sender> open_sender(const ChannelSpec& spec, const Replicas& replicas, const ChannelEnd& end,
                                      std::span<const ChannelRegion> regions) override {
    return std::make_unique<SettledSender>(Link::open_sender(spec, replicas, end, regions), sides_);
  }
  std::unique_ptr<Receiver> open_receiver(const ChannelSpec& spec, const Replicas& replicas, const ChannelEnd& end,
                                          std::span<const ChannelRegion> regions) override {
    return std::make_unique<SettledReceiver>(Link::open_receiver(spec, replicas, end, regions), sides_);
  }
  void settle() const override { sides_->settle(); }

 private:
  static const OfiTransport* side(AnyTransport transport) { return dynamic_cast<OfiTransport*>(transport.wire()); }

  std::shared_ptr<TwoSides> sides_;
};

std::unique_ptr<Link> make_ofi_link() { return std::make_unique<OfiLink>(); }
const BackEnd kOfi("ofi", make_ofi_link);

}  // namespace
}  // namespace woa::cts
