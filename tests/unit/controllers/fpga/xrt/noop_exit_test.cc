// A program that ends while XRT works for it: XRT's threads and static objects go after ours.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "tests/unit/controllers/fpga/xrt/noop_rig.h"

namespace woa::test {
namespace {

std::atomic<int> ended{0};

// Ends this process as main() does. The rig is left as it is, with runs under way or behind it.
[[noreturn]] void exit_with_runs(bool wait) {
  auto* const rig = new NoopRig;
  for (int k = 0; k < 8; ++k) {
    const xrt::RunHandle run = rig->run();
    REQUIRE(rig->xrt().run_callback(
                run, xrt::kCompleted, [](xrt::RunHandle, int, void*) { ++ended; }, nullptr) == 0);
    REQUIRE(rig->xrt().run_start(run) == 0);
    if (wait) REQUIRE(rig->xrt().run_wait(run, 5000) == xrt::kCompleted);
  }
  std::exit(3);
}

}  // namespace

TEST_CASE("a program may end with XRT in use") {
  if (const auto& library = open_xrt(); !library.ok()) skip("xrt", library.status().message());
  for (const bool wait : {true, false}) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (const int number : {SIGABRT, SIGSEGV}) std::signal(number, SIG_DFL);  // Catch would report and go on
      ::alarm(30);
      exit_with_runs(wait);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    INFO("waits for the runs: " << wait << ", status " << status);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 3);
  }
}

}  // namespace woa::test
