#include "tests/unit/runtime/transport/ofi/performance_hook.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <regex>

namespace woa::test {
namespace {

std::string contents(int file) {
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t got = 0; (got = ::pread(file, some.data(), some.size(), static_cast<off_t>(text.size()))) > 0;)
    text.append(some.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

PerformanceHook::PerformanceHook() : log_(::memfd_create("libfabric log", MFD_CLOEXEC)), stderr_(::dup(STDERR_FILENO)) {
  ::setenv("FI_HOOK", "ofi_hook_perf", 1);
  ::setenv("FI_LOG_LEVEL", "trace", 1);
  ::dup2(log_, STDERR_FILENO);
}

PerformanceHook::~PerformanceHook() {
  ::dup2(stderr_, STDERR_FILENO);
  std::fputs(contents(log_).c_str(), stderr);
  ::close(log_), ::close(stderr_);
}

bool PerformanceHook::installed() const {
  const std::string log = contents(log_);
  return log.find("Installing perf hook") != std::string::npos && log.find("Unable to open PMU") == std::string::npos;
}

// Rows as: libfabric:4711:1700000000::ofi_rxm:core:ofi_perfset_log():146<trace> 	perf_writedata      3.4 151
std::uint64_t PerformanceHook::calls(const std::string& call) const {
  const std::string log = contents(log_);
  const std::regex row(":ofi_rxm:[^\n]*[ \t]perf_" + call + " +[^ \n]+ +([0-9]+)");
  std::uint64_t sum = 0;
  for (auto at = std::sregex_iterator(log.begin(), log.end(), row); at != std::sregex_iterator(); ++at)
    sum += std::stoull((*at)[1]);
  return sum;
}

}  // namespace woa::test
