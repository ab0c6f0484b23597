// Processes that open their own sides of a job; all on one processor, which every machine has.
#include "bench/micro/sides.h"

#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace woa::bench {
namespace {

SidesJob sides_job(std::size_t sides) { return {1, 2, std::vector<std::size_t>(sides, 0)}; }

TEST_CASE("sides learn from each other") {
  for (const std::size_t sides : {2U, 3U, 9U}) {
    const auto ns = run_sides(sides_job(sides), [&](const Talk& talk) -> Result<Side> {
      const auto numbers = talk.gather(std::to_string(talk.number()));
      for (std::size_t k = 0; k < numbers.size(); ++k)
        WOA_RETURN_IF_ERROR(gone_unless(numbers[k] == std::to_string(k)));
      WOA_RETURN_IF_ERROR(gone_unless(numbers.size() == sides));
      const auto processes = talk.gather(std::to_string(::getpid()));
      WOA_RETURN_IF_ERROR(gone_unless(std::set(processes.begin(), processes.end()).size() == sides));
      return Side([](std::uint64_t) { return Status(); });
    });
    INFO(ns.status().message());
    CHECK(ns.ok());
  }
}

TEST_CASE("two sides swap") {
  const auto ns = run_sides(sides_job(2), [](const Talk& talk) -> Result<Side> {
    WOA_RETURN_IF_ERROR(
        gone_unless(talk.swap(talk.first() ? "first" : "second") == (talk.first() ? "second" : "first")));
    return Side([](std::uint64_t) { return Status(); });
  });
  CHECK(ns.ok());
}

TEST_CASE("a side that fails is noticed, whichever it is and whatever it is doing") {
  for (const std::size_t bad : {0U, 1U, 3U}) {
    const auto opening = run_sides(sides_job(4), [&](const Talk& talk) -> Result<Side> {
      if (talk.number() == bad) return {Code::kUnavailable, "on purpose"};
      WOA_RETURN_IF_ERROR(gone_unless(!talk.gather("here").empty()));
      return Side([](std::uint64_t) { return Status(); });
    });
    CHECK(opening.status().code() == (bad == 0 ? Code::kUnavailable : Code::kPeerLost));
    const auto working = run_sides(sides_job(4), [&](const Talk& talk) -> Result<Side> {
      return Side([fails = talk.number() == bad](std::uint64_t messages) {
        return fails && messages == 2 ? Status(Code::kDataLoss, "on purpose") : Status();
      });
    });
    CHECK(working.status().code() == (bad == 0 ? Code::kDataLoss : Code::kPeerLost));
  }
}

}  // namespace
}  // namespace woa::bench
