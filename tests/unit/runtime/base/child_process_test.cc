#include "runtime/base/child_process.h"

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
