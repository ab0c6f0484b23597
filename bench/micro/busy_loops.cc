#include "bench/micro/busy_loops.h"

#include <unistd.h>

#include <vector>

namespace woa::bench {

Result<measure::PinnedGroup> start_busy_loops(const BusyLoops& loops) {
  const auto compute = [nicer = loops.nicer]() -> int {
    [[maybe_unused]] const int nice = ::nice(nicer);
    for (volatile std::uint64_t number = 1;;) number = number * 3 + 1;
  };
  return measure::PinnedGroup::start(std::vector<measure::Member>(loops.count, {measure::kAnyProcessor, compute}),
                                     measure::kAnyProcessor);
}

}  // namespace woa::bench
