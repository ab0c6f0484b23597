#include "runtime/controller/ready.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "tests/support/catch.h"

namespace woa {
namespace {

using Age = std::tuple<std::uint64_t, std::uint64_t>;  // instance, tag

MatchKey key_of(std::uint32_t stage, std::uint64_t instance, std::uint64_t tag = 0) {
  MatchKey key;
  key.stage = stage;
  key.instance = instance;
  key.tag = tag;
  return key;
}

std::vector<std::uint32_t> fire_all(Ready& ready) {
  std::vector<std::uint32_t> fired;
  ready.each_oldest([&](std::uint32_t match) {
    fired.push_back(match);
    ready.remove(match);
    return true;
  });
  return fired;
}

}  // namespace

TEST_CASE("what can fire does so by age, whatever its stage") {
  Ready ready(10, 3);
  CHECK(ready.empty());
  ready.add(4, key_of(2, 7));
  ready.add(0, key_of(1, 5));
  ready.add(9, key_of(2, 5, 1));
  ready.add(3, key_of(1, 8));
  CHECK_FALSE(ready.empty());
  CHECK(fire_all(ready) == std::vector<std::uint32_t>{0, 9, 4, 3});
  CHECK(ready.empty());
}

TEST_CASE("a stage whose oldest match cannot fire is tried once, and the others go on") {
  Ready ready(10, 2);
  for (std::uint32_t m = 0; m < 6; ++m) ready.add(m, key_of(m % 2, m));
  std::vector<std::uint32_t> tried;
  ready.each_oldest([&](std::uint32_t match) {
    tried.push_back(match);
    if (match % 2 == 0) return false;
    ready.remove(match);
    return true;
  });
  CHECK(tried == std::vector<std::uint32_t>{0, 1, 3, 5});
  CHECK(fire_all(ready) == std::vector<std::uint32_t>{0, 2, 4});
}

TEST_CASE("matches come and go while others are tried") {
  Ready ready(10, 3);
  for (std::uint32_t m = 0; m < 3; ++m) ready.add(m, key_of(m, m));
  std::vector<std::uint32_t> tried;
  ready.each_oldest([&](std::uint32_t match) {
    tried.push_back(match);
    ready.remove(match);
    if (match == 0) ready.remove(1), ready.add(5, key_of(0, 9)), ready.add(6, key_of(2, 1));
    return true;
  });
  CHECK(tried == std::vector<std::uint32_t>{0, 6, 2, 5});
}

// Against a set of each stage's matches.
TEST_CASE("any order of additions and removals leaves each stage its oldest match") {
  std::mt19937 random(44);
  const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t matches = 1 + any(40), stages = 1 + any(4);
    Ready ready(matches, stages);
    std::map<std::uint32_t, std::pair<std::uint32_t, Age>> there;  // by match: its stage and age
    std::set<Age> used;
    for (int step = 0; step < 200; ++step) {
      const std::uint32_t match = any(matches), stage = any(stages);
      if (there.contains(match)) {
        ready.remove(match);
        there.erase(match);
      } else if (const Age age{any(20), any(3)}; used.emplace(age).second || any(4) == 0) {
        const auto same = [&](const auto& each) { return each.second == std::pair(stage, age); };
        if (std::ranges::any_of(there, same)) continue;
        ready.add(match, key_of(stage, std::get<0>(age), std::get<1>(age)));
        there[match] = {stage, age};
      }
      REQUIRE(ready.empty() == there.empty());
      std::map<std::uint32_t, Age> oldest;
      for (const auto& [number, of] : there) {
        const auto at = oldest.emplace(of).first;
        at->second = std::min(at->second, of.second);
      }
      Age before{0, 0};
      std::size_t tried = 0;
      ready.each_oldest([&](std::uint32_t number) {
        const auto& [of_stage, age] = there.at(number);
        REQUIRE(age == oldest.at(of_stage));
        REQUIRE(age >= before);
        before = age;
        ++tried;
        return false;
      });
      REQUIRE(tried == oldest.size());
    }
  }
}

}  // namespace woa
