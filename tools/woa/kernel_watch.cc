#include "tools/woa/kernel_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/sanitizers.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

constexpr std::array kFatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Data for signal handlers: nothing here allocates or locks once it is made.
struct Watched {
  std::span<const ActivitySlot> slots;
  std::vector<std::string> stages;  // "stage 'c' (kernel 'crash')", by number in the plan
  bool as_json = false;
  pid_t process = 0;  // whose kernels they are: a child of fork() may leave as it likes
  std::array<struct sigaction, kFatal.size()> before{};
};

std::atomic<Watched*> watched{nullptr};
std::atomic<bool> in_node{false};

// A text of fixed capacity, without allocation.
class Line {
 public:
  Line& operator<<(std::string_view text) noexcept {
    const std::size_t bytes = std::min(text.size(), text_.size() - used_);
    std::copy_n(text.begin(), bytes, text_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += bytes;
    return *this;
  }
  Line& operator<<(std::uint64_t number) noexcept {
    std::array<char, 20> digits{};
    auto at = digits.end();
    do {
      *--at = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << std::string_view(at, static_cast<std::size_t>(digits.end() - at));
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), used_}; }
  void write_to(int descriptor) const noexcept {
    (void)!::write(descriptor, text_.data(), used_);  // nothing is left to do if that fails
  }

 private:
  std::array<char, 1024> text_{};
  std::size_t used_ = 0;
};

// ", while stage 'c' (kernel 'crash') ran instance 0".
void add_running(const Watched& run, Line& line) noexcept {
  bool first = true;
  for (const ActivitySlot& slot : run.slots) {
    const std::uint32_t stage = slot.stage.load(std::memory_order_acquire);
    if (stage == ActivitySlot::kIdle || stage > run.stages.size()) continue;
    line << (first ? ", while " : " and ") << run.stages[stage - 1] << " ran instance " << slot.instance.load();
    first = false;
  }
}

void on_fatal_signal(int number) {
  const Watched* run = watched.exchange(nullptr);
  if (run == nullptr) return;  // another thread got here first, and the next fault ends the process
  Line message;
  message << "this process was ended by signal " << static_cast<std::uint64_t>(number);
  add_running(*run, message);
  message << "; --processes per-controller keeps what a kernel does out of this process";
  Line line;
  (line << "woa: error[kernel_failed]: " << message.text() << "\n").write_to(STDERR_FILENO);
  Line object;
  object << R"({"ok": false, "error": {"code": "kernel_failed", "message": ")" << message.text() << "\"}}\n";
  if (run->as_json && !has_answered()) object.write_to(::fileno(answer_stream()));
  // The fault recurs and reaches the handlers that were there before.
  for (std::size_t k = 0; k < kFatal.size(); ++k) ::sigaction(kFatal[k], &run->before[k], nullptr);
}

// A kernel has called `function`.
[[noreturn]] void refuse_exit(const Watched& run, std::string_view function, int code) {
  Line message;
  message << function << "(" << static_cast<std::uint64_t>(code & 0xff) << ") was called";
  add_running(run, message);
  message << "; a kernel must return a status and leave the process alone";
  leave_process(fail({Code::kBrokenContract, std::string(message.text())}, kFailed, run.as_json && !has_answered()));
}

void on_exit_call(int code, void*) {
  if (in_node.load()) leave_process(code);
  if (const Watched* run = watched.exchange(nullptr); run != nullptr) refuse_exit(*run, "exit", code);
  // Else main() has returned.
}

#if !defined(WOA_THREAD_SANITIZER) && !defined(WOA_ADDRESS_SANITIZER)
[[noreturn]] void on_quick_exit(std::string_view function, int code) {
  const Watched* run = watched.load();
  if (run != nullptr && run->process == ::getpid() && watched.exchange(nullptr) != nullptr)
    refuse_exit(*run, function, code);
  leave_process(code);
}
#endif

void hear_of_exit() {
  static const int once = ::on_exit(on_exit_call, nullptr);
  (void)once;  // not zero: no memory, and exit() goes unreported
}

}  // namespace

KernelWatch::KernelWatch(const Run& run, bool as_json) {
  static Watched only;
  only.slots = run.activity();
  only.as_json = as_json;
  only.process = ::getpid();
  only.stages.clear();
  for (const StagePlan& stage : run.plan().stages)
    only.stages.push_back("stage '" + stage.name + "' (kernel '" + stage.kernel + "')");
  hear_of_exit();
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  for (std::size_t k = 0; k < kFatal.size(); ++k) ::sigaction(kFatal[k], &action, &only.before[k]);
  watched.store(&only);
}

KernelWatch::~KernelWatch() {
  const Watched* run = watched.exchange(nullptr);
  for (std::size_t k = 0; run != nullptr && k < kFatal.size(); ++k) ::sigaction(kFatal[k], &run->before[k], nullptr);
}

ExitWatch::ExitWatch() {
  hear_of_exit();
  in_node.store(true);
}

ExitWatch::~ExitWatch() { in_node.store(false); }

}  // namespace woa::tools

// The loader finds these before the C library's, for kernels, too: a run that a kernel ended must not look like one
// that came to its end. Sanitizers have their own.
#if !defined(WOA_THREAD_SANITIZER) && !defined(WOA_ADDRESS_SANITIZER)
extern "C" {
[[noreturn, gnu::visibility("default")]] void _exit(int code) { woa::tools::on_quick_exit("_exit", code); }
[[noreturn, gnu::visibility("default")]] void _Exit(int code) noexcept { woa::tools::on_quick_exit("_Exit", code); }
[[noreturn, gnu::visibility("default")]] void quick_exit(int code) noexcept {
  woa::tools::on_quick_exit("quick_exit", code);
}
}
#endif
