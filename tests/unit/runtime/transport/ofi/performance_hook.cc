#include "tests/unit/runtime/transport/ofi/performance_hook.h"

#include <cstdlib>
#include <regex>

#include "tests/support/captured_stderr.h"

namespace woa::test {
PerformanceHook::PerformanceHook() {
  ::setenv("FI_HOOK", "ofi_hook_perf", 1);
  ::setenv("FI_LOG_LEVEL", "trace", 1);
}

void PerformanceHook::listen(const std::function<void()>& action) {
  const CapturedStderr capture;
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
