#include "runtime/node/waiting.h"

#include <algorithm>

#include "runtime/base/processor.h"

namespace woa {

std::vector<IdleOptions> default_waits(const std::vector<int>& processors, std::size_t controllers,
                                       std::size_t usable) {
  std::vector<int> pins(controllers, kNoProcessor);
  std::copy_n(processors.begin(), std::min(controllers, processors.size()), pins.begin());
  const bool all_pinned = std::ranges::find(pins, kNoProcessor) == pins.end();
  std::vector<IdleOptions> waits(controllers);
  for (std::size_t k = 0; k < controllers; ++k) {
    const bool shares = pins[k] != kNoProcessor && std::ranges::count(pins, pins[k]) > 1;
    if (shares || (!all_pinned && controllers > usable)) waits[k].spin_ns = 0;
  }
  return waits;
}

}  // namespace woa
