// Calls that a program should not make, and threads that get into each other's way: an answer each, and nothing hangs.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

const std::string kCopies = R"(
woa: 1
graph: copies
inputs: {x: {type: bytes, max: 64}}
stages: {a: {kernel: copy, in: {data: x}}}
outputs: {y: a.data}
)";

// The answers to a callback, by the function that it called.
struct Called {
  woa_run* run = nullptr;
  std::map<std::string, woa_status> answers;

  static woa_taken complete(void* user, const woa_completion*) {
    Called& self = *static_cast<Called*>(user);
    self.answers = {{"work", woa_run_work(self.run, 0)},
                    {"drain", woa_run_drain(self.run, 0)},
                    {"finish", woa_run_finish(self.run, nullptr)}};
    woa_run_free(self.run);
    return WOA_DONE;
  }
};

struct Counted {
  std::atomic<woa_run*> run{nullptr};
  std::atomic<int> ended{0}, wrong{0}, more{0};
  // Its first byte is what `user` points to.
  static woa_status fill(void* user, std::uint64_t, std::uint32_t, woa_output* room, woa_error*) {
    room->data[0] = *static_cast<std::uint8_t*>(user);
    room->bytes = 1;
    return WOA_OK;
  }
  static woa_taken complete(void* user, const woa_completion* done) {
    Counted& self = *static_cast<Counted*>(user);
    if (done->status != WOA_OK || done->outputs[0].data[0] != *static_cast<std::uint8_t*>(done->user)) ++self.wrong;
    ++self.ended;
    static std::uint8_t from_a_callback = 99;
    if (self.more > 0 && woa_run_submit(self.run, fill, &from_a_callback, 0, nullptr) == WOA_OK) --self.more;
    return WOA_DONE;
  }
  woa_run* start(const Compiled& compiled) {
    const woa_option own{"thread", "own"};
    const woa_run_setup setup{sizeof setup, &own, 1, complete, this, nullptr};
    woa_run* started = nullptr;
    REQUIRE(woa_run_start(compiled.plan, &setup, &started) == WOA_OK);
    return run = started;
  }
};

// A function of a run, with arguments as several threads may give them at once, and its possible answers.
struct Function {
  const char* name;
  woa_status (*call)(woa_run*);
  std::set<woa_status> answers;
  bool any_thread = false;  // also of a run that its caller drives
};

const std::uint64_t kMoment_ns = 1'000'000;
std::string one_byte = "x";

const std::vector<Function> kFunctions = {
    {"submit",
     [](woa_run* run) { return woa_run_submit(run, Program::fill, &one_byte, 0, nullptr); },
     {WOA_OK, WOA_BACK_PRESSURED, WOA_INVALID}},
    {"submit_within",
     [](woa_run* run) { return woa_run_submit_within(run, Program::fill, &one_byte, 0, kMoment_ns, nullptr); },
     {WOA_OK, WOA_BACK_PRESSURED, WOA_INVALID}},
    {"wait", [](woa_run* run) { return woa_run_wait(run, 1, kMoment_ns); }, {WOA_OK, WOA_TIMED_OUT}},
    {"work", [](woa_run* run) { return woa_run_work(run, kMoment_ns); }, {WOA_OK, WOA_TIMED_OUT, WOA_INVALID}},
    {"give_back", [](woa_run* run) { return woa_run_give_back(run, 1); }, {WOA_OK, WOA_NOT_FOUND}},
    {"cancel", [](woa_run* run) { return woa_run_cancel(run, 1, "why"); }, {WOA_OK, WOA_NOT_FOUND}, true},
    {"statistics",
     [](woa_run* run) {
       woa_statistics statistics{};
       statistics.size = sizeof statistics;
       return woa_run_statistics(run, &statistics);
     },
     {WOA_OK},
     true},
    {"drain", [](woa_run* run) { return woa_run_drain(run, kMoment_ns); }, {WOA_OK, WOA_TIMED_OUT}},
    {"finish", [](woa_run* run) { return woa_run_finish(run, nullptr); }, {WOA_OK, WOA_INVALID}},
};

}  // namespace

TEST_CASE("each function of a run beside each other, from two threads") {
  const Compiled compiled(kCopies);
  const std::string thread = GENERATE("own", "caller");
  for (const Function& here : kFunctions) {
    for (const Function& there : kFunctions) {
      INFO(thread << ": " << here.name << " beside " << there.name);
      Program program(compiled.plan, {{"thread", thread.c_str()}});
      for (int k = 0; k < 2; ++k) REQUIRE(program.submit(one_byte) == WOA_OK);
      std::barrier begin(2);
      woa_status answer = WOA_INTERNAL;
      std::jthread other([&] {
        begin.arrive_and_wait();
        answer = there.call(program.run);
      });
      begin.arrive_and_wait();
      const woa_status own = here.call(program.run);
      other.join();
      CHECK(here.answers.contains(own));
      CHECK((thread == "own" || there.any_thread ? there.answers.contains(answer) : answer == WOA_INVALID));
      const woa_status finished = woa_run_finish(program.run, nullptr);
      CHECK((finished == WOA_OK || message() == "the run has finished; start another"));
      CHECK(program.statuses.size() == program.submitted());
    }
  }
}

TEST_CASE("of two threads that finish a run one is told to wait for the other") {
  const Compiled compiled(R"(
woa: 1
graph: slow
inputs: {x: {type: bytes, max: 64}}
stages: {a: {kernel: fail_if, in: {data: x}, params: {byte: 33, delay_ms: 50}}}
outputs: {y: a.data}
)");
  Program program(compiled.plan, {{"thread", "own"}});
  REQUIRE(program.submit(one_byte) == WOA_OK);
  std::array<woa_status, 2> answers{};
  {
    std::barrier begin(2);
    std::vector<std::jthread> threads;
    for (woa_status& answer : answers)
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        answer = woa_run_finish(program.run, nullptr);
      });
  }
  std::ranges::sort(answers);
  CHECK(answers == std::array<woa_status, 2>{WOA_OK, WOA_INVALID});
  CHECK(program.texts[0] == one_byte);
}

TEST_CASE("a callback cannot wait for, end or free the run that calls it") {
  const Compiled compiled(kCopies);
  for (const char* const thread : {"caller", "own"}) {
    Called called;
    const woa_option option{"thread", thread};
    const woa_run_setup setup{sizeof setup, &option, 1, Called::complete, &called, nullptr};
    REQUIRE(woa_run_start(compiled.plan, &setup, &called.run) == WOA_OK);
    std::string text = "x";
    REQUIRE(woa_run_submit(called.run, Program::fill, &text, 0, nullptr) == WOA_OK);
    REQUIRE(woa_run_drain(called.run, kLimit_ns) == WOA_OK);
    CHECK(called.answers ==
          std::map<std::string, woa_status>{{"work", WOA_INVALID}, {"drain", WOA_INVALID}, {"finish", WOA_INVALID}});
    CHECK(woa_run_finish(called.run, nullptr) == WOA_OK);
    woa_run_free(called.run);
  }
}

TEST_CASE("a run that its caller drives belongs to that thread, but may be cancelled from others") {
  const Compiled compiled(kCopies);
  Program program(compiled.plan, {});
  std::string text = "x";
  REQUIRE(program.submit(text) == WOA_OK);
  std::vector<woa_status> answers;
  std::jthread([&] {
    answers = {program.submit(text), woa_run_drain(program.run, 0), woa_run_give_back(program.run, 0),
               woa_run_cancel(program.run, 0, "another thread")};
  }).join();
  CHECK(answers == std::vector<woa_status>{WOA_INVALID, WOA_INVALID, WOA_INVALID, WOA_OK});
  REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
  CHECK(program.statuses.size() == 1);
}

TEST_CASE("after the end each call is answered, also to a thread that waits meanwhile") {
  const Compiled compiled(kCopies);
  for (const char* const thread : {"caller", "own"}) {
    Program program(compiled.plan, {{"thread", thread}});
    woa_status waited = WOA_OK;
    std::jthread waiter;
    if (std::string(thread) == "own") waiter = std::jthread([&] { waited = woa_run_work(program.run, WOA_FOREVER); });
    REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
    if (waiter.joinable()) {
      waiter.join();
      CHECK(waited == WOA_INVALID);
    }
    CHECK(woa_run_work(program.run, WOA_FOREVER) == WOA_INVALID);
    CHECK(message() == "the run has finished; start another");
    CHECK(woa_run_drain(program.run, WOA_FOREVER) == WOA_OK);
    CHECK(woa_run_give_back(program.run, 0) == WOA_NOT_FOUND);
  }
}

TEST_CASE("a drain ends after the last callback has") {
  const Compiled compiled(kCopies);
  struct Slow {
    std::atomic<bool> began{false};
    bool ended = false;
  } state;
  const auto slow = [](void* user, const woa_completion*) {
    Slow& told = *static_cast<Slow*>(user);
    told.began = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    told.ended = true;
    return WOA_DONE;
  };
  const woa_option own{"thread", "own"};
  const woa_run_setup setup{sizeof setup, &own, 1, slow, &state, nullptr};
  woa_run* run = nullptr;
  REQUIRE(woa_run_start(compiled.plan, &setup, &run) == WOA_OK);
  std::string text = "x";
  REQUIRE(woa_run_submit(run, Program::fill, &text, 0, nullptr) == WOA_OK);
  while (!state.began) std::this_thread::yield();
  REQUIRE(woa_run_drain(run, kLimit_ns) == WOA_OK);
  CHECK(state.ended);
  woa_run_free(run);
}

TEST_CASE("outputs are given back by threads while another finishes the run") {
  const Compiled compiled(kCopies, {{"window", "8"}});
  for (int round = 0; round < 20; ++round) {
    Program program(compiled.plan, {{"thread", "own"}});
    program.keep = true;
    std::string text = "x";
    for (int k = 0; k < 8; ++k) REQUIRE(program.submit(text) == WOA_OK);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
    std::atomic<int> given{0};
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        for (std::uint64_t k = t; k < 8; k += 2) given += woa_run_give_back(program.run, k) == WOA_OK ? 1 : 0;
      });
    REQUIRE(woa_run_finish(program.run, nullptr) == WOA_OK);
    threads.clear();
    CHECK(given == 8);
  }
}

TEST_CASE("a finish that kept outputs hold up says so") {
  const Compiled compiled(kCopies, {{"window", "4"}, {"buffers", "least"}});
  Program program(compiled.plan, {});
  program.keep = true;
  std::string text = "x";
  for (int k = 0; k < 2; ++k) REQUIRE(program.submit(text) == WOA_OK);
  CHECK(woa_run_finish(program.run, nullptr) == WOA_INVALID);
  CHECK(message() ==
        "the outputs of 1 instance are kept, and 1 instance in flight made no progress for 5 s: give outputs back, and "
        "finish again");
  REQUIRE(woa_run_give_back(program.run, 0) == WOA_OK);
  CHECK(woa_run_finish(program.run, nullptr) == WOA_OK);
  CHECK(program.texts.size() == 2);
}

TEST_CASE("several threads wait for places of one run, and its callbacks submit, too") {
  const Compiled compiled(kCopies, {{"window", "3"}});
  Counted counted;
  counted.more = 50;
  woa_run* const run = counted.start(compiled);
  std::vector<std::jthread> threads;
  std::vector<std::uint8_t> values{1, 2, 3, 4};
  for (std::uint8_t& value : values)
    threads.emplace_back([&counted, &value, run] {
      for (int k = 0; k < 200;) {
        const woa_status pushed = woa_run_submit(run, Counted::fill, &value, 0, nullptr);
        if (pushed == WOA_OK) {
          ++k;
        } else if (pushed != WOA_BACK_PRESSURED || woa_run_work(run, kLimit_ns) != WOA_OK) {
          ++counted.wrong;
          return;
        }
      }
    });
  threads.clear();
  REQUIRE(woa_run_drain(run, kLimit_ns) == WOA_OK);
  CHECK(counted.wrong == 0);
  CHECK(counted.ended == 850 - counted.more);
  CHECK(woa_run_finish(run, nullptr) == WOA_OK);
  woa_run_free(run);
}

TEST_CASE("a fill's own status is the instance's") {
  const Compiled compiled(kCopies, {{"window", "3"}});
  Program program(compiled.plan, {});
  const auto absent = [](void*, std::uint64_t, std::uint32_t, woa_output*, woa_error* error) {
    return woa_fail(error, WOA_NOT_FOUND, "no such picture");
  };
  const auto odd = [](void*, std::uint64_t, std::uint32_t, woa_output*, woa_error*) { return WOA_BACK_PRESSURED; };
  REQUIRE(woa_run_submit(program.run, absent, nullptr, 0, nullptr) == WOA_OK);
  REQUIRE(woa_run_submit(program.run, odd, nullptr, 0, nullptr) == WOA_OK);
  REQUIRE(woa_run_submit(program.run, woa_fill_from, nullptr, 0, nullptr) == WOA_OK);
  REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
  CHECK(program.statuses ==
        std::map<std::uint64_t, woa_status>{{0, WOA_NOT_FOUND}, {1, WOA_BROKEN_CONTRACT}, {2, WOA_INVALID}});
  CHECK(program.failures.at(0) == "source: input 'x': no such picture");
}

TEST_CASE("null pointers are answered") {
  const Compiled compiled(kCopies);
  Program program(compiled.plan, {});
  const woa_run_setup setup{sizeof setup, nullptr, 0, nullptr, nullptr, nullptr};
  woa_run* run = nullptr;
  char* text = nullptr;
  woa_plan* plan = nullptr;
  woa_port port;
  CHECK(woa_options(nullptr, &text) == WOA_INVALID);
  CHECK(woa_options("run", nullptr) == WOA_INVALID);
  CHECK(woa_compile("g.yaml", "", nullptr, 0, nullptr, nullptr, nullptr) == WOA_INVALID);
  CHECK(woa_compile("g.yaml", "", nullptr, 1, nullptr, nullptr, &plan) == WOA_INVALID);
  CHECK(woa_plan_write(nullptr, "file") == WOA_INVALID);
  CHECK(woa_plan_write(compiled.plan, nullptr) == WOA_INVALID);
  CHECK(woa_plan_text(nullptr, "json", &text) == WOA_INVALID);
  CHECK(woa_plan_text(compiled.plan, nullptr, &text) == WOA_INVALID);
  CHECK(woa_plan_text(compiled.plan, "json", nullptr) == WOA_INVALID);
  CHECK(woa_plan_port(nullptr, WOA_IN, 0, &port) == WOA_INVALID);
  CHECK(woa_plan_port(compiled.plan, WOA_IN, 0, nullptr) == WOA_INVALID);
  CHECK(woa_page(nullptr, &text) == WOA_INVALID);
  CHECK(woa_page("E0201", nullptr) == WOA_INVALID);
  CHECK(woa_run_start(nullptr, &setup, &run) == WOA_INVALID);
  CHECK(woa_run_start(compiled.plan, nullptr, &run) == WOA_INVALID);
  CHECK(woa_run_start(compiled.plan, &setup, nullptr) == WOA_INVALID);
  CHECK(woa_run_submit(program.run, nullptr, nullptr, 0, nullptr) == WOA_INVALID);
  CHECK(woa_run_statistics(program.run, nullptr) == WOA_INVALID);
  CHECK(message() == "there is no place for statistics: it is null");
  CHECK(woa_run_finish(nullptr, nullptr) == WOA_INVALID);
  woa_run_free(nullptr);
  woa_plan_free(nullptr);
}

}  // namespace program
