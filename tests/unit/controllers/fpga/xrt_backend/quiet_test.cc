// A firing allocates nothing, neither in the controller's thread nor in a mover. What the library does is its own.
#include <atomic>
#include <cstdint>
#include <utility>

#include "tests/support/alloc_counter.h"
#include "tests/support/copying_node.h"
#include "tests/support/need.h"
#include "tests/support/noop_backend.h"
#include "tests/support/require.h"
#include "tests/unit/controllers/fpga/xrt_backend/small_firings.h"

namespace woa::test {
namespace {

std::atomic<std::uint64_t> of_library{0};  // allocations within its calls

const xrt::Library* inner = nullptr;

// A function of the table, whose allocations count as the library's.
template <auto Member, class Call = std::remove_cvref_t<decltype(std::declval<xrt::Library>().*Member)>>
struct Counted;
template <auto Member, class R, class... A>
struct Counted<Member, R (*)(A...)> {
  static R call(A... arguments) {
    const std::uint64_t before = own_allocations();
    const R result = (inner->*Member)(arguments...);
    of_library += own_allocations() - before;
    return result;
  }
};

TEST_CASE("firings on a card allocate nothing of ours, in any thread") {
  const auto table = noop_library(CopyingNode());
  if (!table.ok()) skip("xrt", table.status().message());
  inner = *table;
  static xrt::Library counted = *inner;
  // Calls that a firing makes; the arguments' sizes change in no firing of this test.
  counted.buffer_sync = &Counted<&xrt::Library::buffer_sync>::call;
  counted.run_start = &Counted<&xrt::Library::run_start>::call;
  counted.run_wait = &Counted<&xrt::Library::run_wait>::call;
  SmallFirings firings(need(make_noop_backend(counted)));
  constexpr auto kIdle = SmallFirings::Idle::kLook;
  for (int k = 0; k < 20; ++k) firings.run(200, 8, kIdle);  // a thread allocates when it first starts
  const std::uint64_t all = allocations(), library = of_library.load();
  for (const std::uint32_t at_once : {8U, 1U}) firings.run(2000, at_once, kIdle);
  CHECK(allocations() - all == of_library.load() - library);
}

}  // namespace
}  // namespace woa::test
