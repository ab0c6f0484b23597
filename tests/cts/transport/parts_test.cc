// Transports whose ends map the same memory: parts of a segment.
#include <unistd.h>

#include <utility>

#include "tests/cts/transport/channel.h"

namespace woa::cts {
namespace {

class Foreign final : public Segment {
  std::size_t bytes() const noexcept override { return 1U << 20; }
  int descriptor() const noexcept override { return -1; }
  std::string description() const override { return {}; }
};

}  // namespace

TEST_CASE("a part begins with a page and lies inside its segment") {
  const auto transport = make_transport();
  const auto page = static_cast<std::size_t>(getpagesize());
  const auto whole = need(transport->allocate("whole", 4 * page));
  need(transport->map(whole, Access::kReadWrite))->bytes()[3 * page] = std::byte{3};
  const auto half = need(transport->part(whole, 2 * page, 2 * page));
  const auto last = need(transport->part(half, page, page));  // a part of a part
  REQUIRE(last->descriptor() == whole->descriptor());
  REQUIRE(need(transport->map(last, Access::kRead))->bytes()[0] == std::byte{3});
  for (const auto& [offset, bytes] :
       {std::pair{page / 2, page}, {3 * page, 2 * page}, {5 * page, page}, {page, 0 * page}, {page, ~std::size_t{0}}})
    REQUIRE(transport->part(whole, offset, bytes).status().code() == Code::kInvalid);
  REQUIRE(transport->part(std::make_shared<Foreign>(), 0, page).status().code() == Code::kInvalid);
}

}  // namespace woa::cts
