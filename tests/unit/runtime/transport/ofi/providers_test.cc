// Properties of providers: how memory is registered, and that a channel works over each that is here.
#include <sys/mman.h>

#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/registration.h"
#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {
namespace {

constexpr std::size_t kPage = 4096;

ofi::FabricObjects fabric_or_skip() {
  auto objects = ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1");
  if (objects.status().code() == Code::kUnavailable) skip("ofi", objects.status().message());
  return need(std::move(objects));
}

std::size_t resident_pages(std::span<std::byte> memory) {
  std::vector<unsigned char> pages(memory.size() / kPage);
  REQUIRE(mincore(memory.data(), memory.size(), pages.data()) == 0);
  std::size_t count = 0;
  for (const unsigned char page : pages) count += page & 1U;
  return count;
}

// Sends `packets` to and fro over a fresh pair of transports; false where the provider is not here.
bool works_over(const std::string& provider, std::uint64_t packets) {
  auto first = make_ofi_transport({.provider = provider});
  if (first.status().code() == Code::kUnavailable) return false;
  const auto producer = need(std::move(first)), consumer = need(make_ofi_transport({.provider = provider}));
  const ChannelSpec spec{.ring_slots = 4, .return_slots = 4, .inline_bytes = 64, .header_crc = true};
  const Pair pair = connected(*producer, *consumer, need(producer->channel_bytes(spec)));
  const auto sender = need(producer->open_sender(spec, pair.first, {}, {}));
  const auto receiver = need(consumer->open_receiver(spec, pair.second, {}, {}));
  Inbox inbox;
  for (std::uint64_t n = 0; n < packets; ++n) {
    REQUIRE(within_patience([&] { return sender->reserve() == Push::kOk; }));
    sender->commit(token(n, 1, 0));
    REQUIRE(within_patience([&] { return receiver->poll(inbox, 8) == 1; }));
    REQUIRE(inbox.packets.back().instance == n);
  }
  INFO(receiver->status().message() << sender->status().message());
  REQUIRE(receiver->status().ok());
  REQUIRE(sender->status().ok());
  return true;
}

}  // namespace

TEST_CASE("memory is registered as the provider's modes ask") {
  auto objects = fabric_or_skip();
  const auto memory = need(map_pages(-1, 16 * kPage, Access::kReadWrite));
  const auto plain = need(ofi::Registration::make(objects, memory->bytes()));
  REQUIRE(plain.base() == 0);
  REQUIRE(resident_pages(memory->bytes()) == 0);
  objects.info->domain_attr->mr_mode |= FI_MR_VIRT_ADDR | FI_MR_ALLOCATED;
  const auto other = need(ofi::Registration::make(objects, memory->bytes()));
  REQUIRE(other.base() == reinterpret_cast<std::uint64_t>(memory->bytes().data()));
  REQUIRE(resident_pages(memory->bytes()) == 16);
  REQUIRE(other.key() != plain.key());
}

TEST_CASE("a channel works over every provider that is here") {
  REQUIRE(works_over("tcp;ofi_rxm", 200));
  for (const std::string provider : {"shm", "net;ofi_rxm"}) {
    const bool here = works_over(provider, 20);
    std::printf("%s: %s\n", provider.c_str(), here ? "works" : "not here");
  }
}

TEST_CASE("a provider that does not keep its promises is refused") {
  REQUIRE(make_ofi_transport({.provider = "sockets"}).status().code() == Code::kUnsupported);
}

}  // namespace woa::test
