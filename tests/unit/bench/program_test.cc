// Programs that a benchmark starts, and the ways in which they fail it.
#include "bench/harness/program.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/support/catch.h"

namespace woa::bench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

// True if it ends soon. A zombie, which nobody has waited for yet, has ended, too.
bool is_gone(int process) {
  for (int look = 0; look < 1000; ++look) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string stat((std::istreambuf_iterator<char>(file)), {});
    if (stat.empty() || stat.substr(stat.rfind(')'), 3) == ") Z") return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST_CASE("what a program writes comes back") {
  const auto text = run_program({"sh", "-c", "echo one; cat; echo \"$1\"", "sh", "two words"}, kLong);
  REQUIRE(text.ok());
  CHECK(*text == "one\ntwo words\n");
}

TEST_CASE("more than a pipe holds") {
  const auto text = run_program({"sh", "-c", "head -c 1000000 /dev/zero"}, kLong);
  REQUIRE(text.ok());
  CHECK(text->size() == 1'000'000);
}

TEST_CASE("a program that fails is named, with its exit code and what it wrote") {
  const auto text = run_program({"sh", "-c", "echo half; exit 3"}, kLong);
  CHECK(text.status().code() == Code::kPeerLost);
  CHECK(text.status().message() == "sh ended with 3, and wrote: half\n");
  CHECK(run_program({"sh", "-c", "kill -9 $$"}, kLong).status().message() == "sh ended with 137, and wrote: ");
}

TEST_CASE("a program that is not there") {
  const auto text = run_program({"./no-such-program"}, kLong);
  CHECK(text.status().code() == Code::kNotFound);
  CHECK(text.status().message() == "there is no program ./no-such-program");
  CHECK_FALSE(can_run("./no-such-program"));
  CHECK_FALSE(can_run("no-such-program"));
  CHECK(can_run("sh"));
}

TEST_CASE("a program that hangs is ended with all that it started") {
  const milliseconds limit{500};
  for (const char* script : {"sleep 1000 & echo $!; wait", "sleep 1000 & echo $!; exec >&-; wait",
                             "trap '' TERM; sleep 1000 & echo $!; wait; wait"}) {
    const auto text = run_program({"sh", "-c", script}, limit);
    CHECK(text.status().code() == Code::kDeadlineExceeded);
    const std::string said = "sh had not ended after 500 ms, and wrote: ";
    const std::string message = text.status().message();
    REQUIRE(message.substr(0, said.size()) == said);
    CHECK(is_gone(std::atoi(message.c_str() + said.size())));
  }
}

TEST_CASE("what a program leaves running ends with it") {
  const auto text = run_program({"sh", "-c", "sleep 1000 >/dev/null & echo $!"}, kLong);
  REQUIRE(text.ok());
  CHECK(is_gone(std::atoi(text->c_str())));
}

}  // namespace
}  // namespace woa::bench
