#include "runtime/node/waiting.h"

#include <algorithm>

namespace woa {

std::size_t count_on(const Processors& these, const std::vector<Processors>& processors) {
  const auto meets = [&](const Processors& others) { return std::ranges::find_first_of(these, others) != these.end(); };
  return static_cast<std::size_t>(std::ranges::count_if(processors, meets));
}

std::vector<IdleOptions> default_waits(const std::vector<Processors>& processors, std::size_t controllers,
                                       std::size_t usable) {
  std::vector<Processors> pins = processors;
  pins.resize(controllers);
  const bool all_pinned = std::ranges::none_of(pins, &Processors::empty);
  std::vector<IdleOptions> waits(controllers);
  for (std::size_t k = 0; k < controllers; ++k) {
    const bool shares = count_on(pins[k], pins) > pins[k].size();
    if (shares || (!all_pinned && controllers > usable)) waits[k].spin_ns = 0;
  }
  return waits;
}

}  // namespace woa
