// Whatever the edge: every size has exactly one method, which can carry it, and the choice changes in one direction.
#include <rapidcheck.h>

#include <algorithm>

#include "runtime/controller/transfer_method.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

EdgeFacts any_edge() {
  return {.reach = *rc::gen::element(Reach::kCard, Reach::kController, Reach::kHost, Reach::kReplicas),
          .passed_on = *rc::gen::arbitrary<bool>(),
          .needs_block = *rc::gen::arbitrary<bool>(),
          .payload_bytes = *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 200),
                                           rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 38)),
          .inline_bytes = *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 200),
                                          rc::gen::inRange<std::uint32_t>(0, kMaxInlineBytes + 1))};
}

TEST_CASE("each size of payload has exactly one method") {
  CHECK(rc::check([] {
    const EdgeFacts facts = any_edge();
    const auto ranges = choose_methods(facts);
    RC_ASSERT(!ranges.empty());
    std::uint64_t next = 0;
    for (const MethodRange& range : ranges) {
      RC_ASSERT(range.from_bytes == next);
      RC_ASSERT(range.to_bytes >= range.from_bytes);
      next = range.to_bytes + 1;
    }
    RC_ASSERT(next == facts.payload_bytes + 1);
  }));
}

TEST_CASE("a method is chosen only where it exists, and inline only below the others") {
  CHECK(rc::check([] {
    const EdgeFacts facts = any_edge();
    const auto ranges = choose_methods(facts);
    const bool replicas = facts.reach == Reach::kReplicas;
    const TransferMethod bulk = facts.reach == Reach::kCard ? TransferMethod::kOnCard
                                : replicas                  ? TransferMethod::kEager
                                : facts.passed_on           ? TransferMethod::kByReference
                                                            : TransferMethod::kInPlace;
    const std::uint64_t most = replicas ? 192 : kMaxInlineBytes;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      if (ranges[k].method != TransferMethod::kInline) {
        RC_ASSERT(ranges[k].method == bulk);
        RC_ASSERT(k + 1 == ranges.size());
        continue;
      }
      RC_ASSERT(k == 0);
      RC_ASSERT(facts.reach != Reach::kCard && facts.reach != Reach::kController && !facts.needs_block &&
                facts.inline_bytes > 0);
      RC_ASSERT(ranges[k].to_bytes == std::min({std::uint64_t{facts.inline_bytes}, facts.payload_bytes, most}));
    }
  }));
}

TEST_CASE("a higher limit never takes a payload out of the header's place, and a larger payload never puts one there") {
  CHECK(rc::check([] {
    const EdgeFacts facts = any_edge();
    EdgeFacts higher = facts, larger = facts;
    higher.inline_bytes = *rc::gen::inRange(facts.inline_bytes, kMaxInlineBytes + 1);
    larger.payload_bytes += *rc::gen::inRange<std::uint64_t>(0, 1 << 20);
    RC_ASSERT(inline_limit(higher) >= inline_limit(facts));
    RC_ASSERT(inline_limit(larger) >= inline_limit(facts));
    RC_ASSERT(std::min<std::uint64_t>(inline_limit(larger), facts.payload_bytes) == inline_limit(facts));
  }));
}

}  // namespace
}  // namespace woa
