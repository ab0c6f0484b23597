// A program without a back-end: the library's calls for a run, and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/noop_xrt.h"

namespace woa::test {

// Runs that a back-end left open, with arguments and commands of its last firings: started and awaited by one thread.
class ByHand {
 public:
  ByHand(const xrt::Library& xrt, bool syncs) : xrt_(xrt), syncs_(syncs), runs_(NoopXrt::open_runs()) {}

  void run(std::uint32_t count, std::uint32_t at_once) const {
    std::uint32_t failed = 0;
    for (std::uint32_t ended = 0; ended < count; ended += at_once) {
      auto next = runs_.begin();
      for (std::uint32_t k = 0; k < at_once; ++k, ++next) failed += start(*next) ? 0 : 1;
      next = runs_.begin();
      for (std::uint32_t k = 0; k < at_once; ++k, ++next) failed += end(*next) ? 0 : 1;
    }
    REQUIRE(failed == 0);
  }
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

 private:
  using Entry = std::pair<const xrt::RunHandle, NoopRun>;
  [[nodiscard]] bool sync(const Entry& run, xrt::SyncDirection direction, wact::Argument buffer,
                          wact::Argument bytes) const {
    return !syncs_ || xrt_.buffer_sync(run.second.buffer[buffer], direction, run.second.value[bytes], 0) == 0;
  }
  [[nodiscard]] bool start(const Entry& run) const {
    return sync(run, xrt::kToDevice, wact::kArgumentCommand, wact::kArgumentCommandBytes) &&
           xrt_.run_start(run.first) == 0;
  }
  [[nodiscard]] bool end(const Entry& run) const {
    return xrt_.run_wait(run.first, 1000) == xrt::kCompleted &&
           sync(run, xrt::kFromDevice, wact::kArgumentResult, wact::kArgumentResultBytes);
  }

  const xrt::Library& xrt_;
  const bool syncs_;
  const std::map<xrt::RunHandle, NoopRun> runs_;
};

}  // namespace woa::test
