// Transports whose ends map the same memory: parts of a segment, and segments that are none of theirs.
#include <unistd.h>

#include <utility>

#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

// Memory of a wire.
class Foreign final : public Replica {
  std::size_t bytes() const noexcept override { return need(ring_channel_bytes(spec())); }
  Result<std::unique_ptr<Mapping>> map(Access) override { return {Code::kInternal, "nobody maps it"}; }
  std::string description() const override { return "elsewhere"; }
};

}  // namespace
TEST_CASE("a part begins with a page and lies inside its segment") {
  const auto transport = make_memory();
  const auto page = static_cast<std::size_t>(getpagesize());
  const auto whole = need(transport->allocate("whole", 4 * page));
  need(whole->map(Access::kReadWrite))->bytes()[3 * page] = std::byte{3};
  const auto half = need(whole->part(2 * page, 2 * page));
  const auto last = need(half->part(page, page));  // a part of a part
  REQUIRE(last->descriptor() == whole->descriptor());
  REQUIRE(need(last->map(Access::kRead))->bytes()[0] == std::byte{3});
  for (const auto& [offset, bytes] :
       {std::pair{page / 2, page}, {3 * page, 2 * page}, {5 * page, page}, {page, 0 * page}, {page, ~std::size_t{0}}})
    REQUIRE(whole->part(offset, bytes).status().code() == Code::kInvalid);
}

TEST_CASE("no end is opened on a segment of another kind of transport") {
  const auto memory = make_memory();
  const AnyTransport transport = *memory;
  const auto segment = std::make_shared<Foreign>();
  REQUIRE(transport.open_sender(spec(), segment, {}).status().code() == Code::kInvalid);
  REQUIRE(transport.open_receiver(spec(), segment, {}).status().code() == Code::kInvalid);
}

}  // namespace woa::cts
