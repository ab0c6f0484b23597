#include "runtime/memory/credits.h"

#include <deque>
#include <map>
#include <random>

#include "tests/support/catch.h"

namespace woa {

TEST_CASE("the oldest instance may take everything, a younger one what lies beyond b(e)") {
  EdgeCredits credits(2, 5, 64);
  for (int k = 0; k < 3; ++k) {
    REQUIRE(credits.available(8, 7));
    credits.take(8);
  }
  REQUIRE_FALSE(credits.available(8, 7));
  REQUIRE_FALSE(credits.available(9, 7));
  for (int k = 0; k < 2; ++k) {
    REQUIRE(credits.available(7, 7));
    credits.take(7);
  }
  REQUIRE_FALSE(credits.available(7, 7));
  REQUIRE(credits.occupied() == 5);
}

TEST_CASE("what the oldest occupies does not count against the others") {
  EdgeCredits credits(1, 3, 64);
  credits.take(0);
  credits.take(1);
  REQUIRE(credits.available(2, 0));
  credits.take(2);
  REQUIRE_FALSE(credits.available(3, 0));
  REQUIRE(credits.give(0));
  REQUIRE_FALSE(credits.available(3, 0));
  REQUIRE(credits.available(3, 1));  // 1 is the oldest now
}

TEST_CASE("an edge with no more than b(e) blocks serves one instance at a time") {
  EdgeCredits credits(2, 2, 64);
  REQUIRE_FALSE(credits.available(1, 0));
  credits.take(0);
  REQUIRE_FALSE(credits.available(1, 0));
  REQUIRE(credits.available(0, 0));
}

TEST_CASE("what nobody occupies cannot be given back") {
  EdgeCredits credits(1, 4, 64);
  REQUIRE_FALSE(credits.give(3));
  credits.take(3);
  REQUIRE_FALSE(credits.give(4));
  REQUIRE(credits.give(3));
  REQUIRE_FALSE(credits.give(3));
  REQUIRE(credits.occupied() == 0);
}

TEST_CASE("a return names an instance by its low 16 bits") {
  EdgeCredits credits(1, 4, 64);
  const std::uint64_t instance = 0x1234'5678'9abc'def1;
  credits.take(instance);
  REQUIRE(credits.give(instance & 0xffff));
  REQUIRE(credits.occupied() == 0);
}

// Rule 8 against a book of who holds what, on random edges, through many retirements. Instances begin at a number whose
// low 16 bits wrap on the way.
TEST_CASE("whatever younger instances claim, the oldest finds its b(e) blocks") {
  std::mt19937 random(6);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t min_blocks = 1 + up_to(4), blocks = min_blocks + up_to(9), window = 1 + up_to(63);
    EdgeCredits credits(min_blocks, blocks, window);
    std::uint64_t oldest = 65'500 + up_to(20);
    std::map<std::uint64_t, std::uint32_t> held;
    std::uint32_t total = 0;
    for (int step = 0; step < 500; ++step) {
      const std::uint64_t instance = oldest + up_to(window - 1);
      if (up_to(2) == 0) {
        REQUIRE(credits.give(instance & 0xffff) == (held[instance] > 0));
        if (held[instance] > 0) --held[instance], --total;
      } else if (held[instance] < min_blocks) {  // what b(e) means: no instance occupies more
        const bool spare = total - held[oldest] < blocks - min_blocks;
        REQUIRE(credits.available(instance, oldest) == (instance == oldest || (spare && total < blocks)));
        if (credits.available(instance, oldest)) credits.take(instance), ++held[instance], ++total;
      }
      REQUIRE(total <= blocks);
      REQUIRE(credits.occupied() == total);
      REQUIRE(total - held[oldest] <= blocks - min_blocks);
      if (held[oldest] == 0 && up_to(3) == 0) held.erase(oldest++);
    }
  }
}

}  // namespace woa
