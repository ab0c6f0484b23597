// The events of a run's trace, as one controller sees them. Callers ask on() first, since making an event takes time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/controller/stats.h"

namespace woa {

class Trace {
 public:
  // At most `limit` events are kept; later ones are only counted. 0: no trace.
  Trace(std::uint64_t limit, ControllerStats& stats) : limit_(limit), stats_(stats) {
    if (on()) events_.reserve(kReserve);
  }
  [[nodiscard]] bool on() const noexcept { return limit_ > 0; }
  // False once the trace is full: nobody needs the time of a later event.
  [[nodiscard]] bool keeps() const noexcept { return events_.size() < limit_; }
  void add(const TraceEvent& event) {
    if (keeps()) {
      events_.push_back(event);
    } else {
      ++stats_.untraced;
    }
  }
  [[nodiscard]] std::span<const TraceEvent> events() const noexcept { return events_; }

 private:
  static constexpr std::size_t kReserve = 4096;

  const std::uint64_t limit_;
  ControllerStats& stats_;
  std::vector<TraceEvent> events_;
};

}  // namespace woa
