// What a controller sleeps on when it has nothing to do, and what others ring.
//
// One cache line in memory that every process of the host maps. Only the owner waits; anybody rings. Ringing costs a
// fence and a load while the owner is awake; of those who ring while it sleeps, the first makes one futex call. An
// owner that waits for no room sleeps on while others give back what it need not have now.
#pragma once

#include <atomic>
#include <cstdint>

namespace woa {

struct alignas(64) DoorbellLine {
  std::atomic<std::uint32_t> rings{0};     // futex word, bumped by a ring that finds the owner asleep
  std::atomic<std::uint32_t> sleeping{0};  // a Doorbell::For, set by the owner, cleared by it or by the first who rings
  std::uint32_t seen = 0;                  // the owner's: `rings` when it announced its sleep
  std::atomic<std::int32_t> process{0};    // in which a ring writes to `descriptor`; 0: it wakes the futex
  std::int32_t descriptor = -1;
  std::atomic<std::uint32_t> workers_run{0};  // of the owner, who lacks processors for them
  std::atomic<std::uint32_t> writing{0};      // rings that are about to write to the descriptor
};
static_assert(sizeof(DoorbellLine) == 64 && std::atomic<std::uint32_t>::is_always_lock_free);

// A handle: copies ring the same line. A default-made one rings nobody.
class Doorbell {
 public:
  Doorbell() = default;
  explicit Doorbell(DoorbellLine* line) noexcept : line_(line) {}

  // An owner sleeps until one of these comes: what its own helpers have done, while they have enough to do and it needs
  // no more; or also work; or also room (blocks and places that others give back).
  enum For : std::uint32_t { kHelpers = 1, kWork = 2, kWorkOrRoom = 3 };

  // Call after publishing what a helper of the owner has done. Any thread.
  void ring_as_helper() const noexcept { ring_from(kHelpers); }
  // Call after publishing work. Any thread or process.
  void ring() const noexcept { ring_from(kWork); }
  // Call after giving back. Any thread or process.
  void ring_for_room() const noexcept { ring_from(kWorkOrRoom); }

  // Owner only. From now on a ring that finds it asleep writes to `descriptor`, an eventfd of this process; -1: no
  // more: then nobody writes to it any longer, and it may be closed. So the owner may sleep on that and on other
  // descriptors in place of sleep(). Rings of other processes are lost.
  void ring_into(int descriptor) const noexcept;
  [[nodiscard]] bool rings_descriptor() const noexcept {
    return line_ != nullptr && line_->process.load(std::memory_order_relaxed) != 0;
  }

  // Owner only. Says that workers of its own run that need all processors: meanwhile nobody else spins or yields.
  void note_workers(bool run) const noexcept {
    if (line_ != nullptr) line_->workers_run.store(run ? 1 : 0, std::memory_order_relaxed);
  }
  // Anybody.
  [[nodiscard]] bool workers_run() const noexcept {
    return line_ != nullptr && line_->workers_run.load(std::memory_order_relaxed) != 0;
  }

  // Owner only. Announces sleep; then the caller must look for work once more, and either cancel() or sleep().
  void prepare(For what = kWorkOrRoom) const noexcept;
  void cancel() const noexcept;
  // Has the owner announced that it will sleep, and not cancelled or been rung since?
  [[nodiscard]] bool prepared() const noexcept {
    return line_ != nullptr && line_->sleeping.load(std::memory_order_relaxed) != 0;
  }
  // Returns when rung since prepare(), or after `timeout_ns`. Spurious returns happen. Without a line: after
  // `timeout_ns`.
  void sleep(std::uint64_t timeout_ns) const noexcept;

 private:
  void ring_from(For least) const noexcept;

  DoorbellLine* line_ = nullptr;
};

// Another way to sleep, for an owner whose work comes by descriptors of the system's.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  // In place of Doorbell::sleep().
  virtual void sleep(std::uint64_t timeout_ns) noexcept = 0;
};

}  // namespace woa
