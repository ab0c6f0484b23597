// The thread of a fabric: keeps it going while no controller does, and keeps peers informed that this process lives.
//
// It sleeps on the fabric's descriptor and wakes whoever something came for. While controllers look for arrivals
// themselves and none goes to sleep, it only naps between keep-alives. A controller that goes to sleep ends a nap,
// since what comes for it would wait until the nap is over. One that sleeps on the descriptor itself (sleeper.h) does
// not. The thread runs no kernel, so a kernel that takes minutes does not look like a dead process.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/transport/ofi/fabric.h"

namespace woa::ofi {

struct KeepAlive {
  std::uint64_t every_ns = 300'000'000;
  std::uint64_t silence_ns = 1'500'000'000;  // a peer that says nothing for so long is lost
  std::uint64_t start_ns = 10'000'000'000;   // the same before its first word
};

// What the thread looks after: one open end of a channel.
class Served {
 public:
  virtual ~Served() = default;
  // Tells the peer how far this end is, and finds out whether the peer still lives. Any thread.
  virtual void beat(std::uint64_t now_ns) noexcept = 0;
  // Something waits for room on the wire: rings the end's controller, so that it tries again.
  virtual bool retry() noexcept = 0;
};

// Counts since the thread was started.
struct ServiceCounters {
  std::uint64_t naps = 0;   // while controllers look or sleep on the fabric themselves, or something waits for room
  std::uint64_t ended = 0;  // naps that a controller ended, which costs it a system call
};

class Service {
 public:
  // `fabric` outlives it. Throws std::system_error where the system has no descriptor or thread for it.
  Service(Fabric& fabric, KeepAlive keep_alive);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // The thread calls `served` until remove() has returned.
  void add(Served& served);
  void remove(Served& served);
  // A controller looks no more, because it is going to sleep: ends a nap. Any thread; may make a system call.
  void take_over() noexcept;
  // A controller begins to sleep on the fabric's descriptor itself.
  void begin_sleep() noexcept { sleeps_itself_.store(true, std::memory_order_relaxed); }
  // It has woken: ends a long nap, since its kernel may run for long. May make a system call.
  void end_sleep() noexcept;
  [[nodiscard]] ServiceCounters counters() const noexcept {
    return {naps_.load(std::memory_order_relaxed), ended_naps_.load(std::memory_order_relaxed)};
  }
  [[nodiscard]] const KeepAlive& keep_alive() const noexcept { return keep_alive_; }

 private:
  void run();
  [[nodiscard]] bool serve(std::uint64_t now);
  [[nodiscard]] bool is_attended() noexcept;
  void rest(bool waiting, std::uint64_t until_ns);

  Fabric& fabric_;
  const KeepAlive keep_alive_;
  std::mutex mutex_;
  std::vector<Served*> served_;
  std::uint64_t next_beat_ns_ = 0;
  unsigned refused_ = 0;      // waits in a row
  std::uint64_t nap_ns_ = 0;  // while it is attended
  int wake_descriptor_;
  std::atomic<bool> napping_{false}, naps_long_{false}, stop_{false}, sleeps_itself_{false};
  std::atomic<unsigned> attended_{0};  // looks in a row that found a controller attending, since one went to sleep
  std::atomic<std::uint64_t> naps_{0}, ended_naps_{0};
  std::thread thread_;
};

}  // namespace woa::ofi
