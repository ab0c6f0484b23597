// Threads that run firings: each takes the oldest that waits, and starts when there is first work for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "controllers/cpu/kernel_runner.h"
#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/transport/doorbell.h"

namespace woa {

// The controller's thread gives firings and takes those that are done. It alone is rung, and only when it has
// something to do: a worker that finds enough to go on with leaves its result for a later ring.
class Workers {
 public:
  // `stages`: by number in the plan. `most`: threads at most. `room`: for firings that were given and not taken back.
  // `isolation`: see KernelRunner::reserve().
  Workers(std::span<const LoadedStage> stages, std::uint32_t most, std::size_t room, bool guarded, Isolation* isolation,
          Doorbell controller);
  ~Workers();  // blocks until the firings that run have ended; those that wait are dropped
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // kFull: there is no room. kNobody: there is no worker, and no thread or memory for one.
  enum class Given : std::uint8_t { kYes, kFull, kNobody };
  [[nodiscard]] Given give(Firing& firing) noexcept;
  // Workers that there may be: fewer than asked for once the system has refused one.
  [[nodiscard]] std::size_t allowed() const noexcept { return allowed_; }
  // Firings that are done; at most done.size().
  std::size_t take_done(std::span<Firing*> done) noexcept;

 private:
  struct alignas(64) Worker {
    DoorbellLine line;  // the thread sleeps on it
    std::uint32_t number = 0;
    KernelRunner runner;
    bool was_brief = false;  // the last firing that it ran
    std::jthread thread;
  };
  [[nodiscard]] bool has_another() noexcept;
  Status start_another();
  void serve(Worker& worker) noexcept;
  void begin(Worker& worker, Firing& firing) noexcept;
  [[nodiscard]] bool leaves_to_others(Worker& worker) noexcept;
  Worker* add(Firing& firing) noexcept;
  [[nodiscard]] Firing* take(Worker& worker) noexcept;
  [[nodiscard]] Firing* take_ahead(Worker& worker) noexcept;
  [[nodiscard]] Firing* pop() noexcept;
  void end(Worker& worker, Firing& firing) noexcept;
  void finish(Firing& firing) noexcept;

  const std::span<const LoadedStage> stages_;
  const std::uint32_t most_;
  const bool guarded_;
  Isolation* const isolation_;
  const Doorbell controller_;
  std::size_t allowed_;  // of `most_`, since the system may refuse some
  std::size_t room_;     // for further firings

  std::mutex mutex_;              // of the next two
  std::vector<Firing*> waiting_;  // a heap, the oldest instance first
  std::vector<Worker*> idle_;     // the last that came is the next to go
  std::atomic<std::size_t> waiting_count_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint32_t> serving_{0};  // workers that take firings

  alignas(64) std::atomic<Firing*> done_{nullptr};  // the last that ended; each names the one before
  std::atomic<std::uint32_t> done_count_{0};
  Firing* taken_ = nullptr;  // of these, what take_done() had no room for; the controller's

  std::vector<std::unique_ptr<Worker>> workers_;  // last: their threads use the rest
};

}  // namespace woa
