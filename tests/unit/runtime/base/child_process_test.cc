#include "runtime/base/child_process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kLong_ns = 20'000'000'000, kShort_ns = 50'000'000;

std::string failure_of(const std::function<std::string()>& work, std::uint64_t timeout_ns = kLong_ns) {
  const auto text = run_in_child(work, timeout_ns);
  return text.ok() ? "" : text.status().message();
}

}  // namespace

TEST_CASE("a child's text comes back whole, whatever is in it, and nothing else of what it did") {
  int here = 0;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20}) {
    const std::string text(bytes, '\0');
    const auto back = run_in_child([&] { return ++here, text; }, kLong_ns);
    REQUIRE(back.ok());
    REQUIRE(*back == text);
  }
  REQUIRE(here == 0);
}

TEST_CASE("a child that aborts, ends or hangs is told of") {
  REQUIRE(failure_of([]() -> std::string { ::signal(SIGABRT, SIG_DFL), std::abort(); }) == "aborted (signal 6)");
  REQUIRE(failure_of([]() -> std::string { ::_exit(0); }) == "ended the process that it ran in");
  REQUIRE(failure_of([]() -> std::string { ::_exit(3); }) == "ended the process that it ran in");
  REQUIRE(failure_of(
              []() -> std::string {
                for (;;) ::pause();
              },
              kShort_ns) == "did not answer within 50 ms");
}

TEST_CASE("a child ends when its parent is killed") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {  // its child says that it is there, and holds the pipe open as long as it lives
    ::close(ends[0]);
    const auto hangs = [&]() -> std::string {
      if (::write(ends[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    };
    ::_exit(run_in_child(hangs, kLong_ns).ok() ? 0 : 1);
  }
  REQUIRE(parent > 0);
  ::close(ends[1]);
  char there = 0;
  REQUIRE(::read(ends[0], &there, 1) == 1);
  ::kill(parent, SIGKILL);
  REQUIRE(::waitpid(parent, nullptr, 0) == parent);
  pollfd closed{.fd = ends[0], .events = POLLIN, .revents = 0};
  REQUIRE(::poll(&closed, 1, 10'000) == 1);
  REQUIRE(::read(ends[0], &there, 1) == 0);
  ::close(ends[0]);
}

TEST_CASE("a program gets its input whole and gives its output") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20}) {
    const std::string text(bytes, '\0');
    const auto back = run_program({"cat"}, text, kLong_ns);
    REQUIRE(back.status().message() == "");
    REQUIRE(*back == text);
  }
}

TEST_CASE("a program that is not there, fails, aborts or hangs is told of") {
  const auto failure = [](const std::vector<std::string>& command, std::uint64_t timeout_ns = kLong_ns) {
    return run_program(command, "", timeout_ns).status();
  };
  REQUIRE(failure({"no such program"}).code() == Code::kNotFound);
  REQUIRE(failure({"sh", "-c", "echo why >&2; exit 3"}).message() == "ended with code 3: why");
  REQUIRE(failure({"sh", "-c", "kill -9 $$"}).message() == "aborted (signal 9)");
  REQUIRE(failure({"sleep", "600"}, kShort_ns).message() == "did not answer within 50 ms");
}

}  // namespace woa::test
