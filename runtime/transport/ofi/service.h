// The thread of a fabric: keeps it going while no controller does, and keeps peers informed that this process lives.
//
// While controllers look for arrivals themselves it only naps between keep-alives; otherwise it sleeps on the fabric's
// descriptor and wakes whoever something came for. A controller that goes to sleep says so, or what came for it would
// wait until the nap is over. It runs no kernel, so a kernel that takes minutes does not look like
// a dead process.
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
  [[nodiscard]] const KeepAlive& keep_alive() const noexcept { return keep_alive_; }

 private:
  void run();
  [[nodiscard]] bool serve(std::uint64_t now);
  void rest(bool waiting, std::uint64_t until_ns);

  Fabric& fabric_;
  const KeepAlive keep_alive_;
  std::mutex mutex_;
  std::vector<Served*> served_;
  std::uint64_t next_beat_ns_ = 0;
  unsigned refused_ = 0;  // waits in a row
  int wake_descriptor_;
  std::atomic<bool> napping_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace woa::ofi
