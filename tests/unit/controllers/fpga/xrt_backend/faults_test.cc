// Everything that a card, its driver or its file can do wrong is an error that says where, what and what to do. Each
// case has a process of its own: the double reads what is wrong with it once.
#include "tests/support/faults.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "controllers/fpga/xrt/register.h"
#include "runtime/base/child_process.h"
#include "runtime/base/clock.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/noop_backend.h"
#include "tests/support/run_in_this_thread.h"

namespace woa::test {
namespace {

std::string in_child_with(const std::string& words, const std::function<std::string()>& work) {
  return test::in_child_with("WOA_XRT_DOUBLE", words, work);
}

// Loads a controller and runs some instances. Ends with what was logged.
Status run_some(std::uint64_t limit_ns) {
  auto backend = xrt_factory().make(0, make_controller("fpga:0", *find_backend("xrt")));
  if (!backend.ok()) return backend.status();
  RunInThisThread running(sharpens(3, "xrt"));
  WOA_RETURN_IF_ERROR(running.start(std::move(backend).value()));
  return running.run(20, limit_ns);
}
std::string run_for(std::uint64_t limit_ns) {
  const CapturedStderr captured;
  const std::string status = text_of(run_some(limit_ns));
  return status + "\n" + captured.text();
}

void fails(const std::string& words, std::string_view code, std::initializer_list<std::string_view> parts,
           std::uint64_t limit_ns = kPatienceNs) {
  const std::string told = in_child_with(words, [&] { return run_for(limit_ns); });
  INFO(words << ": " << told);
  CHECK(told.starts_with(code));
  CHECK(contains(told, parts));
}

TEST_CASE("a card that cannot be used says why, and what to do") {
  for (const char* const seed : {"seed=0", "seed=3", "seed=4,no_user_pointer"}) fails(seed, "ok: ", {});
  fails("devices=0", "unavailable", {});
  fails("fail=load@1", "unavailable", {"does not configure card", "woa.xclbin", "Input/output error"});
  fails("fail=wrong_shell@1", "unavailable", {"built for platform 'woa_none'", "woa doctor --fpga"});
  fails("fail=busy@1", "unavailable", {"woa_wact:{woa_wact_1}", "is taken", "one controller"});
  fails("fail=group@2", "unsupported", {"different memory banks", "docs/fpga.md"});
  fails("fail=alloc@3", "exhausted", {"no room for", "DDR[0] of 1 GiB", "are this controller's"});
  fails("memory=40K", "exhausted", {"no room for", "DDR[0]", "KiB"});
}

TEST_CASE("a command of the start that is not carried out is told, and what has ended is given back") {
  fails("fail=run_error@1", "kernel_failed", {"the command 'describe'", "'error'", "xbutil reset"});
  fails("fail=run_error@2", "kernel_failed", {"the command 'tables'", "'error'", "unit 'woa_wact_1'"});
  fails("fail=lost@2", "kernel_failed", {"the command 'tables'", "'no response'"});
}

// The double's library, whose sync with the `nth` command of the start goes wrong: `lost`, the result's does nothing;
// else the command's takes another first word to the card.
xrt::Library damaging_start(int nth, bool lost) {
  static const xrt::Library real = open_xrt()->functions;
  static int left;
  static bool loses;
  left = nth, loses = lost;
  xrt::Library table = real;
  table.buffer_sync = [](xrt::BufferHandle buffer, int direction, std::size_t bytes, std::size_t at) {
    if (direction != (loses ? xrt::kFromDevice : xrt::kToDevice) || --left != 0)
      return real.buffer_sync(buffer, direction, bytes, at);
    if (loses) return 0;
    *static_cast<std::uint32_t*>(real.buffer_map(buffer)) = 1;
    return real.buffer_sync(buffer, direction, bytes, at);
  };
  return table;
}

TEST_CASE("a command of the start that the kernel refuses, or whose result is not there, is told") {
  for (const auto& [nth, what] : {std::pair{1, "the command 'describe'"}, std::pair{2, "the command 'tables'"}}) {
    for (const bool lost : {false, true}) {
      const std::string told = in_child_with("seed=0", [&, n = nth] {
        static xrt::Library table;
        table = damaging_start(n, lost);
        auto backend = make_noop_backend(table, true);
        RunInThisThread running(sharpens(1, "xrt"));
        return text_of(backend.ok() ? running.start(std::move(backend).value()) : backend.status());
      });
      INFO(told);
      CHECK(told.starts_with(lost ? "data_loss" : "internal"));
      CHECK(contains(told, {what, lost ? "its result is not there" : "it refused its command"}));
    }
  }
}

TEST_CASE("a card that is gone once it was probed is told") {
  const std::string told = in_child_with("fail=no_card@2", [] {  // the first one is the first controller's
    RunInThisThread first(sharpens(1, "xrt")), second(sharpens(1, "xrt"));
    for (RunInThisThread* const running : {&first, &second}) {
      auto backend = xrt_factory().make(0, make_controller("fpga:0", *find_backend("xrt")));
      const Status status = backend.ok() ? running->start(std::move(backend).value()) : backend.status();
      if (!status.ok()) return (running == &second ? "second: " : "first: ") + text_of(status);
    }
    return std::string("both started");
  });
  INFO(told);
  CHECK(told.starts_with("second: unavailable"));
  CHECK(contains(told, {"XRT does not open card 'Test double", "No such device", "woa doctor --fpga"}));
}

TEST_CASE("a run that fails ends the controller, with its stage, instance and run") {
  fails("fail=sync@20", "unavailable", {"stage '", "instance ", "run ", "copying", "Input/output error"});
  fails("fail=start@7", "unavailable", {"stage '", "instance ", "run ", "the start of a run", "Input/output error"});
  fails("fail=run_error@9", "kernel_failed", {"stage '", "instance ", "ended in state 'error'", "unit 'woa_wact_1'"});
  fails("fail=run_error@9,ignore=state", "data_loss", {"stage '", "its result is not there"});
  fails("fail=damaged@9", "data_loss", {"stage '", "the packet node refused activate", ": magic"});
  fails("fail=lost@9", "", {"stage '", "card 'Test double"});  // a run or a copy is the first to find out
}

TEST_CASE("each copy that fails ends the controller") {
  for (const int copy : {5, 6, 7, 8, 9, 10, 11, 12}) {
    const std::string words = "seed=2,fail=sync@" + std::to_string(copy);
    const std::uint64_t begin = now_ns();
    fails(words, "unavailable", {"copying"});
    CHECK(now_ns() - begin < 20'000'000'000);
  }
}

// Like fails(), while the caller goes on: exits with 0, or prints what was told instead.
Child failing(const std::string& words, std::string_view code, std::initializer_list<std::string_view> parts,
              std::uint64_t limit_ns = kPatienceNs) {
  return Child([&] {
    ::setenv("WOA_XRT_DOUBLE", words.c_str(), 1);
    const std::string told = run_for(limit_ns);
    if (told.starts_with(code) && contains(told, parts)) return 0;
    std::fprintf(stderr, "%s: %s\n", words.c_str(), told.c_str());
    return 1;
  });
}

// All wait for the 5 s after which a run is named, or a command is given up, so they do it together.
TEST_CASE("a run that takes long is named and completes; one that never ends does not keep its controller from going") {
  Child hung = failing("fail=hung@6", "deadline_exceeded",
                       {"stage '", "has run for 5 s", "does not end; it keeps its memory until this process ends"},
                       8'000'000'000);
  Child tables = failing("fail=hung@2", "kernel_failed", {"the command 'tables'", "'timed out'"});
  fails("fail=slow@6,slow_us=6500000", "ok: ", {"stage '", "instance ", "run ", "has run for 5 s", "xbutil reset"});
  CHECK(hung.exit_code() == 0);
  CHECK(tables.exit_code() == 0);
}

TEST_CASE("a run whose wait fails may go on: its memory is left to the driver") {
  const std::string told = in_child_with("seed=0,delay_us=300000", [] {
    const CapturedStderr captured;
    static int (*const wait)(xrt::RunHandle, unsigned) = open_xrt()->functions.run_wait;
    static std::atomic<int> waits{2};  // for the node's description and its tables
    static xrt::Library table = open_xrt()->functions;
    table.run_wait = [](xrt::RunHandle run, unsigned ms) { return waits.fetch_sub(1) > 0 ? wait(run, ms) : -1; };
    auto backend = make_noop_backend(table, true);
    if (!backend.ok()) return text_of(backend.status());
    std::string status;
    {
      RunInThisThread running(sharpens(3, "xrt"));
      const Status started = running.start(std::move(backend).value());
      status = text_of(started.ok() ? running.run(1) : started);
    }
    return status + "\n" + captured.text();
  });
  INFO(told);
  CHECK(told.starts_with("unavailable"));
  CHECK(contains(told, {"stage '", "instance ", "waiting for it failed", "it keeps its memory until this process"}));
}

// A process with a controller on the card that `words` name, which tells by a pipe once runs are under way.
class Holder {
 public:
  explicit Holder(const std::string& words)
      : child_([&] {
          ::setenv("WOA_XRT_DOUBLE", words.c_str(), 1);
          auto backend = xrt_factory().make(0, make_controller("fpga:0", *find_backend("xrt")));
          if (!backend.ok()) return 1;
          RunInThisThread running(sharpens(3, "xrt"));
          if (!running.start(std::move(backend).value()).ok() || !running.run(5).ok()) return 1;
          if (::write(pipe_[1], "r", 1) != 1) return 1;
          (void)running.run(1'000'000'000, kPatienceNs);
          return 0;
        }) {}
  ~Holder() {
    for (const int end : pipe_) ::close(end);
  }
  bool wait_until_it_runs() const {
    char told = 0;
    ::pollfd ready{pipe_[0], POLLIN, 0};
    return ::poll(&ready, 1, 60'000) == 1 && ::read(pipe_[0], &told, 1) == 1;
  }
  void kill() { child_.kill(), child_.wait(); }

 private:
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    return ends;
  }
  std::array<int, 2> pipe_ = make_pipe();
  Child child_;
};

TEST_CASE("two processes do not share a unit; one that is killed with runs under way leaves it to the next") {
  const std::string file = std::filesystem::temp_directory_path() / ("woa-card-" + std::to_string(::getpid()));
  const std::string words = "card=" + file + ",delay_us=500";
  {
    Holder holder(words);
    REQUIRE(holder.wait_until_it_runs());
    fails(words, "unavailable", {"is taken by another controller or process", "end it, or use another card"});
    holder.kill();
    fails(words, "ok: ", {});
  }
  std::filesystem::remove(file + "0");  // of card 0
}

}  // namespace
}  // namespace woa::test
