// Each fault on a block's way back: an error that names what is missing, or every block once and in order.
#include <bit>

#include "runtime/transport/ring_layout.h"
#include "tests/unit/runtime/transport/fault/faulty_channel.h"

namespace woa::test {
namespace {

BlockReturn numbered(std::uint32_t n) {
  return {n, 3 * n, static_cast<std::uint16_t>(5 * n), static_cast<std::uint16_t>(7 * n)};
}

// The returns of blocks 1 to 8 that come until a loss must have shown.
struct Returned {
  Returned(Inner inner, PathOptions wire, const FaultPlan& plan) : channel(inner, {plan}, wire) {
    for (std::uint32_t n = 1; n <= 8; ++n) channel.receiver->give_back(numbered(n));
    std::vector<BlockReturn> out(3);
    for (int k = 0; k < kPollsUntilLossShows; ++k) {
      const std::size_t count = channel.sender->poll_returns(out);
      blocks.insert(blocks.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count));
    }
    status = channel.sender->status();
  }
  void require_lost_after(std::uint32_t last) const {
    INFO(status.message());
    REQUIRE(in_order() == last);
    REQUIRE(status.code() == Code::kDataLoss);
    REQUIRE(is_closed(*channel.sender));
    REQUIRE(channel.sender->reserve() == Push::kClosed);
  }
  void require_all() const {
    INFO(status.message());
    REQUIRE(status.ok());
    REQUIRE(in_order() == 8);
    REQUIRE_FALSE(is_closed(*channel.sender));
  }
  std::size_t in_order() const {
    for (std::uint32_t n = 0; n < blocks.size(); ++n) REQUIRE(blocks[n] == numbered(n + 1));
    return blocks.size();
  }

  FaultyChannel channel;
  std::vector<BlockReturn> blocks;
  Status status;
};

}  // namespace

TEST_CASE("a dropped return is reported, the last one too") {
  for_every_wire([](Inner inner, PathOptions wire) {
    for (const std::uint32_t n : {1U, 3U, 8U})
      Returned(inner, wire, return_fault(FaultKind::kDrop, n)).require_lost_after(n - 1);
  });
}

TEST_CASE("the error of a lost return says what was expected and found") {
  const Returned message(Inner::kShm, {Landing::kByArrival}, return_fault(FaultKind::kDrop, 3));
  REQUIRE(says(message.status, "turn 3 expected, 4 found"));
  const Returned write(Inner::kShm, {Landing::kByNumber}, return_fault(FaultKind::kDrop, 3));
  REQUIRE(says(write.status, "2 came, the reader's keep-alive says 8"));
}

TEST_CASE("a delayed return holds up those behind it, and all come") {
  for_every_wire([](Inner inner, PathOptions wire) {
    Returned(inner, wire, return_fault(FaultKind::kDelay, 3, 20)).require_all();
    Returned(inner, wire, return_fault(FaultKind::kDelay, 8, 20)).require_all();
  });
}

TEST_CASE("returns that arrive swapped are put in order by their slots, or reported") {
  for (const Inner inner : kInners) {
    Returned(inner, {Landing::kByNumber}, return_fault(FaultKind::kReorder, 3, 2)).require_all();
    Returned(inner, {Landing::kByArrival}, return_fault(FaultKind::kReorder, 3, 2)).require_lost_after(2);
  }
}

TEST_CASE("a return that comes again is taken once, or reported") {
  for (const Inner inner : kInners) {
    Returned(inner, {Landing::kByNumber}, return_fault(FaultKind::kDuplicate, 3, 2)).require_all();
    Returned(inner, {Landing::kByArrival}, return_fault(FaultKind::kDuplicate, 3, 2)).require_lost_after(5);
  }
}

// A return has no CRC: the channel checks its turn, and the producer's own records what it names.
TEST_CASE("a bit flipped in a return is reported if it is one of its turn, and changes one bit else") {
  for (std::uint32_t bit = 0; bit < 128; ++bit) {
    FaultPlan plan = return_fault(FaultKind::kCorrupt, 8);
    plan.bit = bit;
    const Returned returned(Inner::kLoopback, {}, plan);
    INFO("bit " << bit << ": " << returned.status.message());
    if (bit / 32 == 2) {
      REQUIRE(returned.status.code() == Code::kDataLoss);
      REQUIRE(returned.blocks.size() == 7);
      continue;
    }
    REQUIRE(returned.status.ok());
    REQUIRE(returned.blocks.size() == 8);
    const ReturnWords sent(numbered(8), 8), came(returned.blocks.back(), 8);
    REQUIRE(std::popcount(sent.block ^ came.block) + std::popcount(sent.mark ^ came.mark) == 1);
  }
}

}  // namespace woa::test
