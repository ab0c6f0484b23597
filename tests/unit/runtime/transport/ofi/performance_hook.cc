#include "tests/unit/runtime/transport/ofi/performance_hook.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>

#include "tests/support/catch.h"

namespace woa::test {
namespace {

// What is written to stderr goes to a file of ours instead.
class Capture {
 public:
  Capture() : file_(::memfd_create("stderr", MFD_CLOEXEC)), stderr_(::dup(STDERR_FILENO)) {
    REQUIRE(file_ >= 0);
    REQUIRE(::dup2(file_, STDERR_FILENO) == STDERR_FILENO);
  }
  ~Capture() { ::dup2(stderr_, STDERR_FILENO), ::close(stderr_), ::close(file_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  [[nodiscard]] std::string text() const {
    std::string text;
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::pread(file_, some.data(), some.size(), static_cast<off_t>(text.size()))) > 0;)
      text.append(some.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  int file_, stderr_;
};

}  // namespace

PerformanceHook::PerformanceHook() {
  ::setenv("FI_HOOK", "ofi_hook_perf", 1);
  ::setenv("FI_LOG_LEVEL", "trace", 1);
}

void PerformanceHook::listen(const std::function<void()>& action) {
  const Capture capture;
  action();
  heard_ += capture.text();
}

// Rows as: libfabric:4711:1700000000::ofi_rxm:core:ofi_perfset_log():146<trace> 	perf_writedata      3.4 151
std::uint64_t PerformanceHook::calls(const std::string& call) const {
  const std::regex row(":ofi_rxm:[^\n]*[ \t]perf_" + call + " +[^ \n]+ +([0-9]+)");
  std::uint64_t sum = 0;
  for (auto at = std::sregex_iterator(heard_.begin(), heard_.end(), row); at != std::sregex_iterator(); ++at)
    sum += std::stoull((*at)[1]);
  return sum;
}

}  // namespace woa::test
