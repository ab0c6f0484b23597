// What comes back to an origin whose updates travel in packets: a count of the updates applied, and fetched values.
//
// The owner writes both into memory that the origin polls: no packet goes back. Internal to runtime/onesided.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/transport/transport.h"

namespace woa::onesided {

// Written by the owner alone, one line; the results follow.
struct alignas(64) ReturnWords {
  std::atomic<std::uint64_t> fetched{0};  // results written so far
  std::atomic<std::uint64_t> applied{0};  // updates applied so far, in the order of their issue; stored last
};
using ResultSlot = std::atomic<std::uint64_t>;
static_assert(ResultSlot::is_always_lock_free, "results are shared by processes");

std::size_t returns_bytes(std::uint32_t result_slots) noexcept;

// The owner's end. One thread.
class Returns {
 public:
  static Result<Returns> open(Transport& transport, const std::shared_ptr<Segment>& segment);

  // The next fetched value, in the order of issue. A broken origin may have asked for more than there are slots: then
  // it loses some of its own.
  void add(std::uint64_t value) noexcept;
  // Lets the origin see all results so far, and that `applied` updates were applied.
  void publish(std::uint64_t applied) noexcept;

 private:
  explicit Returns(std::shared_ptr<Mapping> mapping) noexcept;
  std::shared_ptr<Mapping> mapping_;
  ReturnWords* words_;
  std::span<ResultSlot> slots_;
  std::uint64_t fetched_ = 0;
};

// The origin's end. One thread.
class Landing {
 public:
  static Result<Landing> open(Transport& transport, const std::shared_ptr<Segment>& segment);

  // Takes a slot for a value to come; false while all are under way or hold values that take() has not taken.
  [[nodiscard]] bool expect() noexcept;
  void cancel() noexcept { --expected_; }  // what the last expect() took
  // Fetched values in the order of issue, at most out.size(); how many.
  std::size_t take(std::span<std::uint64_t> out) noexcept;
  [[nodiscard]] std::uint64_t applied() const noexcept { return words_->applied.load(std::memory_order_acquire); }

 private:
  explicit Landing(std::shared_ptr<Mapping> mapping) noexcept;
  std::shared_ptr<Mapping> mapping_;
  const ReturnWords* words_;
  std::span<const ResultSlot> slots_;
  std::uint64_t expected_ = 0, taken_ = 0;
};

}  // namespace woa::onesided
