// Guards against truth tables over all choices.
#include "compiler/check/guard.h"

#include <random>

#include "tests/support/catch.h"

namespace woa {
namespace {

constexpr std::uint32_t kVariables = 4, kChoices = 3, kWorlds = 81;

// A guard and the worlds, numbered in base 3, in which it holds.
struct Pair {
  Guard guard = Guards::kNever;
  std::vector<bool> worlds = std::vector<bool>(kWorlds);
};

std::uint32_t choice_in(std::uint32_t world, std::uint32_t variable) {
  for (std::uint32_t v = 0; v < variable; ++v) world /= kChoices;
  return world % kChoices;
}

TEST_CASE("operations agree with truth tables, and equal conditions are equal guards") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Guards guards;
    std::vector<Pair> pairs{{Guards::kNever, std::vector<bool>(kWorlds, false)},
                            {Guards::kAlways, std::vector<bool>(kWorlds, true)}};
    for (std::uint32_t v = 0; v < kVariables; ++v) {
      REQUIRE(guards.add_variable(kChoices) == v);
      const std::size_t known = pairs.size();  // conditions on earlier variables only
      for (int i = 0; i < 3; ++i) {
        Pair chosen = pairs[random() % known];
        std::vector<bool> values{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
        chosen.guard = guards.choose(chosen.guard, v, values);
        for (std::uint32_t w = 0; w < kWorlds; ++w) chosen.worlds[w] = chosen.worlds[w] && values[choice_in(w, v)];
        pairs.push_back(chosen);
      }
      for (int i = 0; i < 6; ++i) {
        const Pair a = pairs[random() % pairs.size()], b = pairs[random() % pairs.size()];
        Pair both, either, without;
        both.guard = guards.both(a.guard, b.guard);
        either.guard = guards.either(a.guard, b.guard);
        without.guard = guards.without(a.guard, b.guard);
        for (std::uint32_t w = 0; w < kWorlds; ++w) {
          both.worlds[w] = a.worlds[w] && b.worlds[w];
          either.worlds[w] = a.worlds[w] || b.worlds[w];
          without.worlds[w] = a.worlds[w] && !b.worlds[w];
        }
        pairs.insert(pairs.end(), {both, either, without});
      }
    }
    for (const Pair& a : pairs) {
      for (const Pair& b : pairs) CHECK((a.guard == b.guard) == (a.worlds == b.worlds));
    }
  }
}

TEST_CASE("an example is a world in which the guard holds") {
  Guards guards;
  const std::uint32_t a = guards.add_variable(2), b = guards.add_variable(3);
  const Guard left = guards.choose(Guards::kAlways, a, {false, true});
  const Guard last = guards.choose(left, b, {false, false, true});
  const std::vector<Choice> choices = guards.example(last);
  REQUIRE(choices.size() == 2);
  CHECK((choices[0].variable == b && choices[0].value == 2));
  CHECK((choices[1].variable == a && choices[1].value == 1));
  CHECK(guards.example(Guards::kAlways).empty());
  CHECK(guards.implies(last, left));
  CHECK_FALSE(guards.implies(left, last));
}

TEST_CASE("work is bounded") {
  Guards guards;
  std::vector<Guard> bits;
  for (int i = 0; i < 60; ++i) bits.push_back(guards.choose(Guards::kAlways, guards.add_variable(2), {false, true}));
  Guard sum = Guards::kNever;  // pairs far apart in the order: the diagram doubles with each
  for (std::size_t i = 0; i < 30 && !guards.overflowed(); ++i)
    sum = guards.either(sum, guards.both(bits[i], bits[i + 30]));
  CHECK(guards.overflowed());
}

}  // namespace
}  // namespace woa
