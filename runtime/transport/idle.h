// How every thread of the runtime waits for work: it spins while its core is its own, yields while only its own run
// shares the core, and else sleeps on its doorbell.
//
// Spinning answers in well under a microsecond and costs a core; sleeping costs nothing and some ten microseconds.
// Waiting first as long as a sleep would take is never worse than twice the best choice (Karlin et al., Competitive
// randomized algorithms for nonuniform problems, Algorithmica 11, 1994). A yield hands the core to a thread of the same
// run within a microsecond. Beside other programs it costs a turn of each of them, milliseconds: so a yield that took
// long is set against what yields have saved, and once they cost more, the thread sleeps at once for a while.
#pragma once

#include <cstdint>

#include "runtime/transport/doorbell.h"

namespace woa {

struct IdleOptions {
  std::uint64_t spin_ns = 20'000;  // about what going to sleep and being woken takes
  std::uint32_t yields = 16;       // chances for others on a machine with more controllers than cores
  std::uint64_t sleep_ns =
      20'000'000;  // longest sleep: what rings nobody is noticed after it (a timer), or after some (a lost packet)
  std::uint64_t long_yield_ns = 500'000;  // a yield that took so long may have served another program
  std::uint64_t start_ns = 8'000'000;     // of long yields at first: while a run begins, its own threads take long
};

// For threads that serve a controller: their work is worth a wake-up, and whoever has some always rings.
inline constexpr IdleOptions kHelperWaits{.spin_ns = 0, .yields = 4, .sleep_ns = ~std::uint64_t{0}};

// How a thread has waited.
struct WaitCounts {
  bool spins = false;  // it may, since its core is its own
  std::uint64_t yields = 0, sleeps = 0;
  std::uint64_t crowded = 0;  // times that yields turned out to cost more than sleeps
};

// The account of yields: the time that they saved against sleeps, and their cost.
class YieldAccount {
 public:
  static constexpr std::uint64_t kSleepCostNs = 10'000;      // of a sleep and a wake-up, which a yield has saved
  static constexpr std::uint64_t kMostSavedNs = 20'000'000;  // so a program that comes later costs no more than this
  static constexpr std::uint64_t kPauseFor = 100;  // after a yield that cost too much: so many times as long without

  explicit YieldAccount(std::uint64_t saved_ns = 0) noexcept : saved_ns_(saved_ns) {}
  // Work came after a yield, without a sleep.
  void save() noexcept { saved_ns_ += saved_ns_ < kMostSavedNs ? kSleepCostNs : 0; }
  // A yield that took so long has returned. False: yields cost more than they have saved, and stop for a while. A
  // longer one than can be saved costs just that: the quota of a control group stops yields and sleeps alike.
  bool pay(std::uint64_t took_ns, std::uint64_t now_ns) noexcept {
    took_ns = took_ns < kMostSavedNs ? took_ns : kMostSavedNs;
    if (took_ns <= saved_ns_) {
      saved_ns_ -= took_ns;
      return true;
    }
    saved_ns_ = 0;
    paused_until_ns_ = now_ns + kPauseFor * took_ns;
    return false;
  }
  [[nodiscard]] bool has_paused() const noexcept { return paused_until_ns_ != 0; }
  // Whether yields still pause; asked only if they did.
  [[nodiscard]] bool pauses(std::uint64_t now_ns) noexcept {
    if (now_ns >= paused_until_ns_) paused_until_ns_ = 0;
    return has_paused();
  }

 private:
  std::uint64_t saved_ns_, paused_until_ns_ = 0;
};

// One per duty cycle, used by the thread that runs it.
class Idle {
 public:
  static constexpr std::uint64_t kForever = ~std::uint64_t{0};

  // `own` is the doorbell that others ring for this thread. With a sleeper, which outlives this, it sleeps by that.
  explicit Idle(Doorbell own, IdleOptions options = {}, Sleeper* sleeper = nullptr) noexcept
      : own_(own), options_(options), sleeper_(sleeper), account_(options.start_ns) {
    counts_.spins = options.spin_ns != 0;
  }

  // Call after every duty cycle. Returns at once if it `did_work`. `look_again` answers whether there is work after all
  // (it may be the duty cycle itself); it is asked once before a sleep, so that nothing published in between is slept
  // over. A sleep ends when the doorbell rings for what `awaits` answers, and lasts `most_ns` at most.
  template <class LookAgain, class Awaits>
  void idle(bool did_work, LookAgain&& look_again, Awaits&& awaits, std::uint64_t most_ns = kForever) noexcept {
    if (did_work) return reset();
    if (!spin_or_yield()) sleep(look_again, awaits, most_ns);
  }
  // The second half of it: sleeps unless there is work after all.
  template <class LookAgain, class Awaits>
  void sleep(LookAgain&& look_again, Awaits&& awaits, std::uint64_t most_ns = kForever) noexcept {
    const Doorbell::For what = awaits();
    own_.prepare(what);
    const bool found = look_again();
    if (!found && awaits() == what) {
      ++counts_.sleeps;
      const std::uint64_t sleep_ns = most_ns < options_.sleep_ns ? most_ns : options_.sleep_ns;
      return sleeper_ == nullptr ? own_.sleep(sleep_ns) : sleeper_->sleep(sleep_ns);
    }
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

  [[nodiscard]] const WaitCounts& counts() const noexcept { return counts_; }

 private:
  static constexpr std::uint32_t kSpinsPerLook = 8;  // at the clock, which takes about as long as a spin

  void reset() noexcept {
    const bool yields_were_enough = yields_ != 0 && yields_ < options_.yields;
    if (yields_were_enough) account_.save();
    idle_since_ns_ = 0, yields_ = 0, spins_ = 0;
  }
  // False when it is time to sleep. After a sleep that brought no work the next one follows at once.
  bool spin_or_yield() noexcept;

  Doorbell own_;
  IdleOptions options_;
  Sleeper* sleeper_;
  std::uint64_t idle_since_ns_ = 0;  // 0: not idle
  std::uint32_t yields_ = 0, spins_ = 0;
  YieldAccount account_;
  WaitCounts counts_;
};

}  // namespace woa
