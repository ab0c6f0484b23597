// How a controller waits when a duty cycle found nothing: it spins, then yields, then sleeps on its doorbell.
//
// Spinning answers in well under a microsecond and costs a core; sleeping costs nothing and some ten microseconds.
// Waiting first as long as a sleep would take is never worse than twice the best choice.
#pragma once

#include <cstdint>

#include "runtime/transport/doorbell.h"

namespace woa {

struct IdleOptions {
  std::uint64_t spin_ns = 20'000;  // about what going to sleep and being woken takes
  std::uint32_t yields = 16;       // chances for others on a machine with more controllers than cores
  std::uint64_t sleep_ns =
      20'000'000;  // longest sleep: what rings nobody is noticed after it (a timer), or after some (a lost packet)
};

// For threads that serve a controller: their work is worth a wake-up, and whoever has some always rings.
inline constexpr IdleOptions kHelperWaits{0, 4, ~std::uint64_t{0}};

// One per duty cycle, used by the thread that runs it.
class Idle {
 public:
  static constexpr std::uint64_t kForever = ~std::uint64_t{0};

  // `own` is the doorbell that others ring for this thread.
  explicit Idle(Doorbell own, IdleOptions options = {}) noexcept : own_(own), options_(options) {}

  // Call after every duty cycle. Returns at once if it `did_work`. `look_again` answers whether there is work after all
  // (it may be the duty cycle itself); it is asked once before a sleep, so that nothing published in between is slept
  // over. A sleep ends when the doorbell rings for what `awaits` answers, and lasts `most_ns` at most.
  template <class LookAgain, class Awaits>
  void idle(bool did_work, LookAgain&& look_again, Awaits&& awaits, std::uint64_t most_ns = kForever) noexcept {
    if (did_work) return reset();
    if (spin_or_yield()) return;
    const Doorbell::For what = awaits();
    own_.prepare(what);
    const bool found = look_again();
    if (!found && awaits() == what) return own_.sleep(most_ns < options_.sleep_ns ? most_ns : options_.sleep_ns);
    own_.cancel();
    if (found) reset();
  }
  // The same for whoever takes every ring for work.
  template <class LookAgain>
  void idle(bool did_work, LookAgain&& look_again) noexcept {
    idle(did_work, look_again, [] { return Doorbell::kWorkOrRoom; });
  }

  // Waits until `ready` answers true.
  template <class Ready>
  void wait_until(Ready&& ready) noexcept {
    while (!ready()) idle(false, ready);
    reset();
  }

 private:
  static constexpr std::uint32_t kSpinsPerLook = 8;  // at the clock, which takes about as long as a spin

  void reset() noexcept {
    if (yields_ != 0 && yields_ < options_.yields) note_short_wait();
    idle_since_ns_ = 0, yields_ = 0, spins_ = 0;
  }
  void note_short_wait() noexcept;
  // `took_ns`: of a yield that has just returned. False: yields cost more than sleeps.
  bool note_yield(std::uint64_t took_ns, std::uint64_t now_ns) noexcept;
  // False when it is time to sleep. After a sleep that brought no work the next one follows at once.
  bool spin_or_yield() noexcept;

  Doorbell own_;
  IdleOptions options_;
  std::uint64_t idle_since_ns_ = 0;  // 0: not idle
  std::uint32_t yields_ = 0, spins_ = 0;
  std::uint64_t saved_ns_ = 0;          // by yields, against sleeping
  std::uint64_t crowded_until_ns_ = 0;  // other programs want this core; 0: not known
};

}  // namespace woa
