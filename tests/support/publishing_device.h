// A device that publishes prepared packets: a thread that stores payloads and publications late, in the order in which
// it was given them, with random delays.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/transport/shared_memory.h"

namespace woa::test {

class PublishingDevice {
 public:
  // `completion` is rung after each publication.
  explicit PublishingDevice(std::uint32_t seed = 1, Doorbell completion = {})
      : completion_(completion), random_(seed), thread_([this] { work(); }) {}
  ~PublishingDevice() { destroy(); }
  PublishingDevice(const PublishingDevice&) = delete;
  PublishingDevice& operator=(const PublishingDevice&) = delete;

  // Later stores `payload` at `block`, then the publication, if its word is not null.
  void publish(const Publication& prepared, std::span<std::byte> block = {}, std::vector<std::byte> payload = {}) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({prepared, block, std::move(payload)});
    change_.notify_all();
  }
  // How many of the jobs that it was given are done.
  [[nodiscard]] std::size_t done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  // Returns when everything that it was given is out.
  void complete() {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [&] { return jobs_.empty(); });
  }
  // Ends it in the middle of its work: the packet that it is at may or may not go out, those behind it do not. From its
  // return on the device stores nothing. Idempotent.
  void destroy() {
    {
      const std::lock_guard lock(mutex_);
      destroyed_ = true;
      change_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Job {
    Publication prepared;
    std::span<std::byte> block;
    std::vector<std::byte> payload;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      change_.wait(lock, [&] { return destroyed_ || !jobs_.empty(); });
      if (destroyed_) return;
      Job& job = jobs_.front();  // stays where it is while others join
      lock.unlock();
      dawdle();
      std::copy(job.payload.begin(), job.payload.end(), job.block.begin());
      dawdle();
      lock.lock();
      if (destroyed_ && random_() % 2 == 0) return;
      if (job.prepared.word != nullptr) job.prepared.store();
      completion_.ring();
      jobs_.pop_front();
      ++done_;
      change_.notify_all();
    }
  }
  void dawdle() {
    for (auto turns = random_() % 8; turns > 0; --turns) std::this_thread::yield();
  }

  Doorbell completion_;
  std::minstd_rand random_;  // the thread's
  std::mutex mutex_;
  std::condition_variable change_;
  std::deque<Job> jobs_;
  std::size_t done_ = 0;
  bool destroyed_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace woa::test
