// Threads that wait: for a place in the window, first come, first served, and for the end of one instance.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/library/graphs.h"
#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

const std::vector<std::vector<woa_option>> kWays{{{"processes", "one"}, {"thread", "caller"}},
                                                 {{"processes", "one"}, {"thread", "own"}},
                                                 {{"processes", "per-controller"}, {"thread", "caller"}},
                                                 {{"processes", "per-controller"}, {"thread", "own"}}};

woa_status submit_within(Program& program, std::string& text, std::uint64_t timeout_ns, std::uint64_t* instance) {
  return woa_run_submit_within(program.run, Program::fill, &text, 0, timeout_ns, instance);
}

bool own(const std::vector<woa_option>& way) { return std::string(way[1].value) == "own"; }

// Turns of this process's threads that ended by waiting.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

TEST_CASE("a submission waits for a place, and a wait for one instance ends with it") {
  const Compiled compiled(kCopies, {{"window", "2"}});
  for (const std::vector<woa_option>& way : kWays) {
    INFO(way[0].value << ", " << way[1].value);
    Program program(compiled.plan, way);
    std::string text = "text";
    for (std::uint64_t k = 0; k < 100; ++k) {
      std::uint64_t number = 0;
      REQUIRE(submit_within(program, text, kLimit_ns, &number) == WOA_OK);
      REQUIRE(number == k);
      if (k % 7 == 0) REQUIRE(woa_run_wait(program.run, k, kLimit_ns) == WOA_OK);
    }
    REQUIRE(woa_run_wait(program.run, 99, kLimit_ns) == WOA_OK);
    CHECK(woa_run_wait(program.run, 3, 0) == WOA_OK);  // ended long ago
    CHECK(woa_run_wait(program.run, 100, kLimit_ns) == WOA_NOT_FOUND);
    CHECK(message() == "instance 100 was never submitted");
    REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
    CHECK(woa_run_wait(program.run, 99, 0) == WOA_OK);
    CHECK(submit_within(program, text, kLimit_ns, nullptr) == WOA_INVALID);
    CHECK(program.texts.size() == 100);
  }
}

TEST_CASE("an instance that fails has ended, too, and a time that is up is told") {
  const Compiled compiled(kSlow, {{"window", "1"}});
  for (const std::vector<woa_option>& way : kWays) {
    INFO(way[0].value << ", " << way[1].value);
    Program program(compiled.plan, way);
    std::string wrong = "Fail", text = "x";
    REQUIRE(program.submit(wrong) == WOA_OK);
    CHECK(woa_run_wait(program.run, 0, 1'000'000) == WOA_TIMED_OUT);
    if (own(way)) REQUIRE(submit_within(program, text, 1'000'000, nullptr) == WOA_OK);  // it waits in line
    CHECK(submit_within(program, text, 1'000'000, nullptr) == WOA_BACK_PRESSURED);
    REQUIRE(woa_run_wait(program.run, 0, kLimit_ns) == WOA_OK);
    CHECK(program.statuses.at(0) == WOA_KERNEL_FAILED);  // its callback has returned
    REQUIRE(submit_within(program, text, kLimit_ns, nullptr) == WOA_OK);
    REQUIRE(woa_run_cancel(program.run, WOA_FOREVER, "all of it") == WOA_OK);
    CHECK(woa_run_wait(program.run, 1, kLimit_ns) == WOA_OK);
    CHECK(program.statuses.at(1) == WOA_CANCELLED);
  }
}

TEST_CASE("whoever waits for a place when the run ends is told why") {
  const Compiled compiled(kSlow, {{"window", "1"}});
  Program program(compiled.plan, kWays[1]);
  program.keep = true;  // so the only place stays taken
  std::string text = "x";
  REQUIRE(program.submit(text) == WOA_OK);
  std::atomic<int> cancelled{0};
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      cancelled += submit_within(program, text, kLimit_ns, nullptr) == WOA_OK &&
                   submit_within(program, text, kLimit_ns, nullptr) == WOA_CANCELLED;
    });
  while (program.submitted() < 5) std::this_thread::yield();
  REQUIRE(woa_run_wait(program.run, 0, kLimit_ns) == WOA_OK);
  REQUIRE(woa_run_cancel(program.run, WOA_FOREVER, "no more") == WOA_OK);
  threads.clear();
  CHECK(cancelled == 4);
}

TEST_CASE("the first to come is the first to be served, and a thread has one submission in line") {
  const Compiled compiled(kCopies, {{"window", "1"}});
  Program program(compiled.plan, kWays[1]);
  program.keep = true;  // so a place is free only when the test says so
  std::string text = "x";
  const auto submit = [&](std::uint64_t timeout_ns, std::uint64_t expected) {
    std::uint64_t number = 99;
    return submit_within(program, text, timeout_ns, &number) == WOA_OK && number == expected;
  };
  REQUIRE(submit(kLimit_ns, 0));
  REQUIRE(submit(kLimit_ns, 1));
  CHECK(submit_within(program, text, 1'000'000, nullptr) == WOA_BACK_PRESSURED);
  CHECK(program.submit(text) == WOA_BACK_PRESSURED);
  bool others[2] = {};
  std::thread([&] { others[0] = submit(kLimit_ns, 2); }).join();
  std::jthread last([&] { others[1] = submit(kLimit_ns, 3) && submit(kLimit_ns, 4); });
  for (std::uint64_t instance = 0; instance < 4; ++instance) {
    while (woa_run_wait(program.run, instance, kLimit_ns) == WOA_NOT_FOUND) std::this_thread::yield();
    CHECK(woa_run_wait(program.run, instance + 1, 1'000'000) != WOA_OK);  // it has no place yet
    REQUIRE(woa_run_give_back(program.run, instance) == WOA_OK);
  }
  last.join();
  CHECK(others[0]);
  CHECK(others[1]);
}

TEST_CASE("an end wakes those that wait for it, not all") {
  constexpr int kThreads = 48, kEach = 20;
  const Compiled compiled(kCopies, {{"window", "4"}});
  Program program(compiled.plan, kWays[1]);
  std::atomic<int> wrong{0};
  const long before = sleeps();
  std::vector<std::jthread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&] {
      std::string text = "x";
      for (int n = 0; n < kEach; ++n) {
        std::uint64_t number = 0;
        wrong += submit_within(program, text, WOA_FOREVER, &number) != WOA_OK ||
                 woa_run_wait(program.run, number, WOA_FOREVER) != WOA_OK;
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
  CHECK(program.texts.size() == kThreads * kEach);
  // Each instance lets its own thread go on, beside the run's three. Before, all 48 woke.
  CHECK((sleeps() - before) / (kThreads * kEach) < 16);
}

}  // namespace program
