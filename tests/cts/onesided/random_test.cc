// Random updates against a sequential model: the region and every fetched value.
#include <random>

#include "tests/cts/onesided/rig.h"

namespace woa::cts {
namespace {

constexpr std::size_t kSmallRegionBytes = 256;  // few elements, so that they meet

Update random_update(std::mt19937_64& random) {
  const Width width = random() % 2 == 0 ? Width::k32 : Width::k64;
  const std::uint64_t elements = kSmallRegionBytes / static_cast<std::uint64_t>(width);
  const auto word = [&]() -> std::uint64_t { return random() % 3 == 0 ? random() : random() % 4; };
  return {kOperations[random() % kOperations.size()], width, random() % elements * static_cast<std::uint64_t>(width),
          word(), word()};
}

}  // namespace

TEST_CASE("random updates of one origin do what they do one after another") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Rig rig(kSmallRegionBytes);
    const auto updater = need(rig.open());
    std::vector<std::byte> model(kSmallRegionBytes);
    std::vector<std::uint64_t> expected, fetched;
    std::array<std::uint64_t, 5> some{};
    const auto take = [&] {
      const std::size_t count = updater->take_results(some);
      fetched.insert(fetched.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
    };
    for (int issued = 0; issued < 1000;) {
      const Update update = random_update(random);
      Outcome outcome = updater->update(update);
      (void)in_time([&] {
        if (outcome != Outcome::kBackPressured) return true;
        if (random() % 2 == 0) updater->flush();
        if (random() % 2 == 0) updater->poll(random() % 2 * 1'000'000'000'000 + 1);
        rig.poll();
        take();
        outcome = updater->update(update);
        return false;
      });
      REQUIRE(outcome == Outcome::kOk);
      const std::uint64_t old = model_update(model, update);
      if (onesided::fetches(update.operation)) expected.push_back(old);
      if (random() % 50 == 0) updater->flush();
      if (random() % 20 == 0) rig.poll();
      if (random() % 30 == 0) take();
      ++issued;
    }
    REQUIRE(rig.settle(*updater));
    REQUIRE(in_time([&] { return take(), fetched.size() >= expected.size(); }));
    REQUIRE(fetched == expected);
    REQUIRE(std::memcmp(rig.region.bytes().data(), model.data(), kSmallRegionBytes) == 0);
  }
}

}  // namespace woa::cts
