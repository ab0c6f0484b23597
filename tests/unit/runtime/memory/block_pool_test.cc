#include "runtime/memory/block_pool.h"

#include <algorithm>
#include <random>

#include "tests/support/catch.h"

namespace woa {
namespace {

BlockPool make(std::uint32_t blocks, std::uint64_t bytes) {
  auto pool = BlockPool::make(blocks, bytes);
  REQUIRE(pool.ok());
  return std::move(*pool);
}

}  // namespace

TEST_CASE("every block is given out once, at an offset of its own") {
  BlockPool pool = make(5, 192);
  std::vector<std::uint32_t> offsets(5);
  for (std::uint32_t& offset : offsets) REQUIRE(pool.claim(offset));
  std::uint32_t none = 0;
  REQUIRE_FALSE(pool.claim(none));
  std::sort(offsets.begin(), offsets.end());
  REQUIRE(offsets == std::vector<std::uint32_t>{0, 3, 6, 9, 12});
}

TEST_CASE("header room lies in front of every block, and is no block") {
  auto pool = BlockPool::make(3, 128, 64);
  REQUIRE(pool.ok());
  std::vector<std::uint32_t> offsets(3);
  for (std::uint32_t& offset : offsets) {
    REQUIRE(pool->claim(offset));
    pool->hold(offset, 1);
  }
  std::sort(offsets.begin(), offsets.end());
  REQUIRE(offsets == std::vector<std::uint32_t>{1, 4, 7});
  for (const std::uint32_t wrong : {0U, 2U, 3U, 6U, 10U}) REQUIRE_FALSE(pool->release(wrong));
  for (const std::uint32_t offset : offsets) REQUIRE(pool->release(offset));
  REQUIRE(pool->free_blocks() == 3);
  REQUIRE(BlockPool::make(1, 64, 32).status().code() == Code::kInvalid);
}

TEST_CASE("the block freed last is used first") {
  BlockPool pool = make(4, 64);
  std::uint32_t a = 0, b = 0, again = 0;
  REQUIRE(pool.claim(a));
  REQUIRE(pool.claim(b));
  pool.hold(a, 0);
  pool.hold(b, 0);
  REQUIRE(pool.claim(again));
  REQUIRE(again == b);
}

TEST_CASE("a shared block is free when every consumer has named it") {
  BlockPool pool = make(1, 64);
  std::uint32_t offset = 0;
  REQUIRE(pool.claim(offset));
  pool.hold(offset, 3);
  for (std::uint32_t left = 3; left > 0; --left) {
    REQUIRE(pool.free_blocks() == 0);
    REQUIRE(pool.release(offset));
  }
  REQUIRE(pool.free_blocks() == 1);
}

TEST_CASE("a release that names no held block is refused and changes nothing") {
  BlockPool pool = make(2, 128);
  std::uint32_t claimed = 0, held = 0;
  REQUIRE(pool.claim(claimed));
  REQUIRE_FALSE(pool.release(claimed));  // its claim is still open
  REQUIRE(pool.claim(held));
  pool.hold(held, 1);
  REQUIRE_FALSE(pool.release(held + 1));  // inside a block
  REQUIRE_FALSE(pool.release(4));         // behind the last
  REQUIRE_FALSE(pool.release(0xfffffffe));
  REQUIRE(pool.free_blocks() == 0);
  REQUIRE(pool.release(held));
  REQUIRE_FALSE(pool.release(held));  // twice
  REQUIRE(pool.free_blocks() == 1);
}

TEST_CASE("random use never gives out a block that somebody has") {
  BlockPool pool = make(7, 64);
  std::mt19937 random(1);
  std::vector<std::uint32_t> claimed;
  std::vector<std::uint32_t> held;  // an entry per holder
  for (int step = 0; step < 10'000; ++step) {
    std::uint32_t offset = 0;
    switch (random() % 3) {
      case 0:
        if (!pool.claim(offset)) break;
        REQUIRE(std::count(claimed.begin(), claimed.end(), offset) + std::count(held.begin(), held.end(), offset) == 0);
        claimed.push_back(offset);
        break;
      case 1:
        if (claimed.empty()) break;
        std::swap(claimed[random() % claimed.size()], claimed.back());
        offset = static_cast<std::uint32_t>(random() % 4);
        pool.hold(claimed.back(), offset);
        held.insert(held.end(), offset, claimed.back());
        claimed.pop_back();
        break;
      default:
        if (held.empty()) break;
        std::swap(held[random() % held.size()], held.back());
        REQUIRE(pool.release(held.back()));
        held.pop_back();
    }
    std::vector<std::uint32_t> taken = held;
    taken.insert(taken.end(), claimed.begin(), claimed.end());
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    REQUIRE(pool.free_blocks() == 7 - taken.size());
  }
}

TEST_CASE("sizes that a packet cannot address are refused") {
  REQUIRE(BlockPool::make(1, 0).status().code() == Code::kInvalid);
  REQUIRE(BlockPool::make(1, 100).status().code() == Code::kInvalid);
  REQUIRE(BlockPool::make(256, std::uint64_t{1} << 30).status().code() == Code::kTooLarge);
  REQUIRE(BlockPool::make(2, ~std::uint64_t{63}).status().code() == Code::kTooLarge);
  BlockPool largest = make(255, std::uint64_t{1} << 30);
  std::uint32_t offset = 0, last = 0;
  while (largest.claim(offset)) last = std::max(last, offset);
  REQUIRE(last == 254U << 24);
}

}  // namespace woa
