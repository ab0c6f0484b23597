// How a channel ends: by one of its ends, or by a process that closes it on behalf of one that died. And who is woken.
#include "tests/cts/transport/channel.h"

namespace woa::cts {

TEST_CASE("what was committed before the producer closed is read, then the channel is closed") {
  Channel channel;
  Inbox inbox;
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
  channel.sender.reset();
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) {
    REQUIRE_FALSE(channel.receiver->closed());
    REQUIRE(channel.receiver->poll(inbox, 1) == 1);
  }
  REQUIRE(channel.receiver->closed());
  REQUIRE(channel.receiver->poll(inbox, kAll) == 0);
  REQUIRE(channel.receiver->status().ok());
}

TEST_CASE("a producer that closes with open reservations leaves a whole channel") {
  Channel channel;
  Inbox inbox;
  REQUIRE(channel.sender->reserve() == Push::kOk);
  channel.sender.reset();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 0);
  REQUIRE(channel.receiver->closed());
  REQUIRE(channel.receiver->status().ok());
}

TEST_CASE("a producer hears that the consumer closed, and may finish what it began") {
  Channel channel;
  REQUIRE(channel.sender->reserve() == Push::kOk);
  channel.receiver.reset();
  REQUIRE(is_closed(*channel.sender));
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  channel.sender->commit(token(0));
  channel.sender->wake();
  REQUIRE(channel.sender->reserve() == Push::kClosed);
}

TEST_CASE("closing a channel from outside closes both ends once it is drained") {
  Channel channel;
  Inbox inbox;
  REQUIRE(send(*channel.sender, token(1)));
  for (int times = 0; times < 2; ++times) {
    REQUIRE(channel.link->close_channel(channel.spec, channel.segment));
    REQUIRE(is_closed(*channel.sender));
    REQUIRE(channel.sender->reserve() == Push::kClosed);
  }
  REQUIRE_FALSE(channel.receiver->closed());
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(channel.receiver->closed());
  REQUIRE(channel.receiver->status().ok());
}

TEST_CASE("an end that opens after the other closed is told so") {
  const auto link = make_link();
  const auto segment = link->allocate("channel", need(link->producer.channel_bytes(spec())));
  REQUIRE(send(*link->open_sender(spec(), segment), token(5)));
  const auto receiver = link->open_receiver(spec(), segment);
  Inbox inbox;
  REQUIRE(receiver->poll(inbox, kAll) == 1);
  REQUIRE(receiver->closed());
}

TEST_CASE("waking rings a sleeper and leaves others alone") {
  Channel channel;
  Inbox inbox;
  REQUIRE(send(*channel.sender, token(1)));
  channel.sender->wake();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  channel.receiver->wake();
  REQUIRE_FALSE(is_closed(*channel.sender));
  REQUIRE(channel.consumer_bell.rings == 0);
  REQUIRE(channel.producer_bell.rings == 0);
  Doorbell(&channel.consumer_bell).prepare();
  REQUIRE(send(*channel.sender, token(2)));
  channel.sender->wake();
  REQUIRE_FALSE(channel.receiver->closed());  // what is on its way has arrived
  REQUIRE(channel.consumer_bell.rings == 1);
  REQUIRE(channel.producer_bell.rings == 0);
  Doorbell(&channel.producer_bell).prepare();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  channel.receiver->wake();
  REQUIRE_FALSE(is_closed(*channel.sender));
  REQUIRE(channel.producer_bell.rings == 1);
}

TEST_CASE("a block given back wakes the producer") {
  Channel channel;
  Doorbell(&channel.producer_bell).prepare();
  channel.receiver->give_back({1, 2, 3, 4});
  channel.receiver->wake();
  std::vector<BlockReturn> out(1);
  REQUIRE(channel.sender->poll_returns(out) == 1);
  REQUIRE(channel.producer_bell.rings == 1);
}

TEST_CASE("an end that closes wakes the other") {
  Channel one, other;
  Doorbell(&one.consumer_bell).prepare();
  one.sender.reset();
  REQUIRE(one.consumer_bell.rings == 1);
  Doorbell(&other.producer_bell).prepare();
  other.receiver.reset();
  REQUIRE(other.producer_bell.rings == 1);
}

TEST_CASE("segments are zeroed, aligned and of the size asked for") {
  const auto link = make_link();
  const AnyTransport transport = link->producer;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{100'000}}) {
    const auto segment = need(transport.allocate("segment", bytes));
    REQUIRE(segment->bytes() == bytes);
    const auto mapping = need(segment->map(Access::kReadWrite));
    REQUIRE(mapping->bytes().size() == bytes);
    REQUIRE(reinterpret_cast<std::uintptr_t>(mapping->bytes().data()) % 4096 == 0);
    for (const std::byte byte : mapping->bytes()) REQUIRE(byte == std::byte{0});
    mapping->bytes().back() = std::byte{42};
    REQUIRE(need(segment->map(Access::kRead))->bytes().back() == std::byte{42});
  }
  REQUIRE(transport.allocate("nothing", 0).status().code() == Code::kInvalid);
  auto too_much =
      transport.allocate("too much", std::size_t{1} << 62);  // address space is taken here or when it is mapped
  const Status status = too_much.ok() ? (*too_much)->map(Access::kReadWrite).status() : too_much.status();
  REQUIRE(status.code() == Code::kExhausted);
  REQUIRE(status.message().find("mmap") != std::string::npos);
}

}  // namespace woa::cts
