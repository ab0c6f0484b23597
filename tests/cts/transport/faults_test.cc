// A broken peer of a channel in coherent memory: it never causes a crash, nor makes a packet believed that was not
// sent.
#include <array>
#include <bit>

#include "runtime/transport/ring_layout.h"
#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

ChannelSpec with_crc() {
  ChannelSpec crc = spec();
  crc.header_crc = true;
  return crc;
}

// A channel whose memory a test may damage.
struct Damaged : Channel {
  explicit Damaged(const ChannelSpec& damaged_spec = cts::spec())
      : Channel(damaged_spec), mapping(need(segment.producer->map(Access::kReadWrite))), view(spec, mapping->bytes()) {}

  void flip(std::uint32_t slot, std::size_t bit) { view.slots[slot].words[bit / 64] ^= std::uint64_t{1} << (bit % 64); }
  void set_sequence(std::uint32_t slot, std::uint32_t sequence) {
    auto& word = view.slots[slot].words[kPublishWord];
    word = (word & ~std::uint64_t{0xffffffff}) | sequence;
  }
  // Polls once after the producer closed, so that nothing more can come.
  Status end() {
    sender.reset();
    poll_for_long(*receiver, inbox);
    return receiver->status();
  }

  Inbox inbox;
  std::unique_ptr<Mapping> mapping;
  ChannelView view;
};

bool names(const Status& status, std::uint32_t expected, std::uint32_t found) {
  return status.message().find("sequence " + std::to_string(expected) + " expected") != std::string::npos &&
         status.message().find(std::to_string(found)) != std::string::npos;
}

}  // namespace

TEST_CASE("any bit of a header flipped is data loss where headers carry a CRC") {
  for (std::size_t bit = 0; bit < 8 * kPacketBytes; ++bit) {
    Damaged channel(with_crc());
    REQUIRE(send(*channel.sender, token(1)));
    channel.flip(0, bit);
    const Status status = channel.end();
    INFO("bit " << bit << ": " << status.message());
    REQUIRE(status.code() == Code::kDataLoss);
    REQUIRE(channel.inbox.packets.empty());
    REQUIRE_FALSE(channel.receiver->closed());
  }
}

TEST_CASE("a flipped bit is rejected or changes one field, never more") {
  ChannelSpec plain = spec();
  plain.header_crc = false;
  for (std::size_t bit = 0; bit < 8 * kPacketBytes; ++bit) {
    Damaged channel(plain);
    REQUIRE(send(*channel.sender, token(1)));
    channel.flip(0, bit);
    const Status status = channel.end();
    INFO("bit " << bit << ": " << status.message());
    REQUIRE((status.ok() ? channel.inbox.packets.size() == 1 : status.code() == Code::kDataLoss));
    for (const ActivationPacket& packet : channel.inbox.packets) {
      ActivationPacket sent = token(1);
      sent.sequence = packet.sequence;
      const auto was = std::bit_cast<std::array<std::uint64_t, 8>>(sent);
      const auto is = std::bit_cast<std::array<std::uint64_t, 8>>(packet);
      int changed = 0;
      for (std::size_t k = 0; k < was.size(); ++k) changed += std::popcount(was[k] ^ is[k]);
      REQUIRE(changed == 1);
    }
  }
}

TEST_CASE("after data loss nothing is delivered, not even once the slot is mended") {
  Damaged channel;
  REQUIRE(send(*channel.sender, token(1)));
  channel.flip(0, 0);
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().message().find("magic") != std::string::npos);
  channel.flip(0, 0);
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().code() == Code::kDataLoss);
}

TEST_CASE("a sequence ahead of the expected one is a lost packet") {
  Damaged channel;
  REQUIRE(send(*channel.sender, token(1)));
  channel.set_sequence(0, 2);
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().code() == Code::kDataLoss);
  REQUIRE(names(channel.receiver->status(), 1, 2));
}

TEST_CASE("a sequence behind the expected one is a repeated packet") {
  if (spec().ring_slots < 2) return;  // the one slot holds the last sequence anyway: a repeat shows as nothing new
  Damaged channel;
  REQUIRE(send(*channel.sender, token(1)));
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 1);
  REQUIRE(send(*channel.sender, token(2)));
  channel.set_sequence(1, 1);
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().code() == Code::kDataLoss);
  REQUIRE(names(channel.receiver->status(), 2, 1));
}

TEST_CASE("a slot left out is a lost packet as soon as the next one is there") {
  if (spec().ring_slots < 2) return;  // there is no next one
  Damaged channel;
  REQUIRE(send(*channel.sender, token(1)));
  channel.set_sequence(0, 0);
  REQUIRE(poll_for_long(*channel.receiver, channel.inbox) == 0);
  REQUIRE(channel.receiver->status().ok());
  REQUIRE(send(*channel.sender, token(2)));
  REQUIRE(poll_for_long(*channel.receiver, channel.inbox) == 0);
  REQUIRE(names(channel.receiver->status(), 1, 2));
}

TEST_CASE("the loss of the last packet shows when the producer closes") {
  Damaged channel;
  REQUIRE(send(*channel.sender, token(1)));
  channel.set_sequence(0, 0);
  const Status status = channel.end();
  REQUIRE(status.code() == Code::kDataLoss);
  REQUIRE(names(status, 1, 2));
  REQUIRE(channel.link->close_channel(channel.spec, channel.segment));
  REQUIRE_FALSE(channel.receiver->closed());  // not every packet was delivered
}

TEST_CASE("inline payload beyond the channel's limit is rejected on arrival") {
  Damaged channel;
  ActivationPacket packet = token(1);
  packet.flags = kInline;
  packet.payload_bytes = channel.spec.inline_bytes + 1;
  REQUIRE(send(*channel.sender, packet));
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().message().find("inline payload") != std::string::npos);
}

TEST_CASE("a header without a CRC is rejected where headers carry one") {
  Damaged channel(with_crc());
  ActivationPacket packet = token(1);
  packet.sequence = 1;
  REQUIRE(channel.sender->reserve() == Push::kOk);
  REQUIRE(channel.sender->commit_sealed(packet).ok());
  REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().code() == Code::kDataLoss);
}

TEST_CASE("a consumer that claims to have read what was never sent is closed") {
  Damaged channel;
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
  channel.view.words->consumed = channel.spec.ring_slots + 1;
  REQUIRE(channel.sender->status().ok());
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  REQUIRE(is_closed(*channel.sender));
  const Status status = channel.sender->status();
  REQUIRE(status.code() == Code::kDataLoss);
  REQUIRE(status.message().find("read " + std::to_string(channel.spec.ring_slots + 1)) != std::string::npos);
}

TEST_CASE("a consumer that takes back what it has read is closed") {
  Damaged channel;
  for (int lap = 0; lap < 2; ++lap) {
    for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    REQUIRE(channel.receiver->poll(channel.inbox, kAll) == channel.spec.ring_slots);
    REQUIRE(channel.sender->reserve() == Push::kOk);
    channel.sender->cancel();
  }
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
  channel.view.words->consumed = channel.spec.ring_slots;
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  REQUIRE(channel.sender->status().code() == Code::kDataLoss);
}

TEST_CASE("a return out of turn closes the channel, and what stands in it is not believed") {
  Damaged channel;
  std::vector<BlockReturn> out(4);
  channel.receiver->give_back({1, 2, 3, 4});
  channel.view.returns[0].mark += 5;
  REQUIRE(channel.sender->poll_returns(out) == 0);
  REQUIRE(is_closed(*channel.sender));
  REQUIRE(channel.sender->status().code() == Code::kDataLoss);
  REQUIRE(channel.sender->status().message().find("turn 1 expected, 6 found") != std::string::npos);
  REQUIRE(channel.sender->reserve() == Push::kClosed);
}

TEST_CASE("no bytes in a channel's memory crash an end") {
  std::mt19937_64 random(5);
  std::vector<BlockReturn> out(4);
  std::size_t lost = 0;
  for (int round = 0; round < 500; ++round) {
    Damaged channel;
    const auto bytes = channel.mapping->bytes();
    for (int step = 0; step < 20; ++step) {
      if (send(*channel.sender, token(1), pattern(64, 1))) channel.receiver->give_back({0, 1, 2, 3});
      for (auto damage = random() % 4; damage > 0; --damage)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      channel.receiver->poll(channel.inbox, 2);
      channel.sender->poll_returns(out);
    }
    lost += channel.receiver->status().ok() ? 0 : 1;
  }
  REQUIRE(lost > 50);
}

}  // namespace woa::cts
