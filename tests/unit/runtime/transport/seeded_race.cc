// A sender with a seeded fault, to show that ThreadSanitizer would find it: it publishes the header before the inline
// payload. Only its report makes the test pass (CMakeLists.txt); the bytes themselves mostly arrive right.
#include "runtime/transport/ring_receiver.h"
#include "runtime/transport/ring_sender.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/transport/heap_channel.h"
#include "tests/unit/runtime/transport/two_threads.h"

namespace woa {
namespace {

constexpr ChannelSpec kSpec{.ring_slots = 16, .return_slots = 8, .inline_bytes = 64, .header_crc = false};

class HastySender final : public Sender {
 public:
  HastySender(std::shared_ptr<Mapping> mapping, Doorbell consumer)
      : inner_(kSpec, mapping, consumer), view_(kSpec, mapping->bytes()) {}

  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    const std::uint32_t slot = committed_++ % kSpec.ring_slots;
    inner_.commit(header, {});
    std::memcpy(view_.slots.inline_area(slot).data(), inline_payload.data(), inline_payload.size());
  }

  Push reserve() noexcept override { return inner_.reserve(); }
  void cancel() noexcept override { inner_.cancel(); }
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override {
    return inner_.commit_sealed(header, inline_payload);
  }
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override { return inner_.poll_returns(out); }
  Status status() const override { return inner_.status(); }
  void wake() noexcept override { inner_.wake(); }

 private:
  RingSender inner_;
  ChannelView view_;
  std::uint32_t committed_ = 0;
};

}  // namespace

TEST_CASE("header before payload") {
  const auto channel = std::make_shared<test::HeapChannel>(kSpec);
  std::vector<std::byte> region(kSpec.return_slots * test::kBlockBytes);
  std::array<DoorbellLine, 2> lines;
  HastySender sender(channel, Doorbell(&lines[1]));
  RingReceiver receiver(kSpec, channel, Doorbell(&lines[0]));
  test::run_two_threads(sender, receiver, lines, region, 20'000);
}

}  // namespace woa
