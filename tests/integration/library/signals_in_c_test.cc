// Signals and the library's threads: a program that blocks a signal in its own threads may wait for it.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

bool has(std::uint64_t mask, int signal) { return (mask >> (signal - 1) & 1) != 0; }

// The signals that a thread of this process blocks, a bit each; 0: the thread has gone. One that begins or ends blocks
// all for a moment, which the C library does.
std::uint64_t blocked_by(const std::filesystem::path& thread) {
  std::uint64_t mask = 0;
  for (int tries = 0; tries < 1000; ++tries) {
    std::ifstream file(thread / "status");
    mask = 0;
    for (std::string word; file >> word;)
      if (word == "SigBlk:" && file >> word) mask = std::stoull(word, nullptr, 16);
    if (!has(mask, SIGSEGV)) return mask;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return mask;
}

}  // namespace

TEST_CASE("no thread of the library takes a signal that a program may wait for") {
  const std::string kernel = GENERATE("copy", "slow");
  const std::string work = kernel == "copy" ? "kernel: copy" : "kernel: fail_if, params: {byte: 33, delay_ms: 20}";
  const Compiled compiled("woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 64}}\nstages:\n  a: {" + work +
                          ", in: {data: x}, on: \"cpu:0\"}\n  b: {kernel: copy, in: {data: a.data}, on: \"cpu:1\"}\n"
                          "outputs: {y: b.data}\n");
  for (const std::vector<woa_option>& options :
       std::vector<std::vector<woa_option>>{{{"thread", "own"}},
                                            {{"thread", "caller"}},
                                            {{"thread", "own"}, {"processes", "per-controller"}},
                                            {{"thread", "caller"}, {"processes", "per-controller"}}}) {
    INFO(options[0].value << (options.size() == 1 ? "" : ", a process per controller"));
    Program program(compiled.plan, options);
    std::string text = "x";
    for (int k = 0; k < 4; ++k) REQUIRE(program.submit(text) == WOA_OK);
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      if (std::stoi(thread.path().filename()) == ::gettid()) continue;
      const std::uint64_t blocked = blocked_by(thread.path());
      INFO("thread " << thread.path().filename().string() << " blocks " << std::hex << blocked);
      if (blocked == 0 && !std::filesystem::exists(thread.path())) continue;
      for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGALRM, SIGRTMIN})
        CHECK(has(blocked, signal));
      for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) CHECK_FALSE(has(blocked, signal));
    }
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
  }
}

TEST_CASE("a signal waits for the program that blocks it and asks for it, and its mask is its own") {
  sigset_t mine, before, after;
  sigemptyset(&mine);
  sigaddset(&mine, SIGUSR1);
  REQUIRE(::pthread_sigmask(SIG_SETMASK, nullptr, &before) == 0);
  const Compiled compiled(
      "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 64}}\nstages: {a: {kernel: copy, in: {data: x}}}\noutputs: {y: "
      "a.data}\n");
  for (const char* const thread : {"own", "caller"}) {
    Program program(compiled.plan, {{"thread", thread}});
    REQUIRE(::pthread_sigmask(SIG_SETMASK, nullptr, &after) == 0);
    for (int signal = 1; signal < NSIG; ++signal) CHECK(sigismember(&before, signal) == sigismember(&after, signal));
    REQUIRE(::pthread_sigmask(SIG_BLOCK, &mine, nullptr) == 0);
    REQUIRE(::kill(::getpid(), SIGUSR1) == 0);
    std::string text = "x";
    REQUIRE(program.submit(text) == WOA_OK);
    const timespec limit{10, 0};
    CHECK(::sigtimedwait(&mine, nullptr, &limit) == SIGUSR1);
    REQUIRE(woa_run_drain(program.run, kLimit_ns) == WOA_OK);
    REQUIRE(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  }
}

}  // namespace program
