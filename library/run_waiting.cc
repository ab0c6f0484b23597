// How threads wait for a run, whoever drives it.
#include <algorithm>
#include <chrono>
#include <utility>

#include "library/answer.h"
#include "library/run_object.h"
#include "runtime/base/clock.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

// NOLINTNEXTLINE(cert-err58-cpp): made when the library is loaded
const Status nothing_ended(Code::kDeadlineExceeded, "nothing has ended within the given time");
constexpr int kPatience_s = 5;  // with whoever keeps outputs

}  // namespace

std::uint64_t RunObject::time_left(std::uint64_t began, std::uint64_t timeout_ns) {
  if (timeout_ns == WOA_FOREVER) return WOA_FOREVER;
  const std::uint64_t passed = now_ns() - began;
  return passed < timeout_ns ? timeout_ns - passed : 0;
}

woa_status RunObject::drive_until(std::uint64_t timeout_ns, const std::function<bool()>& done) {
  const std::uint64_t began = now_ns();
  Run& run = owned_->run();
  for (;;) {
    const bool ordered = carry_out_orders();
    const std::size_t worked = run.do_work();
    note_progress();
    if (done()) return WOA_OK;
    if (!status_.ok()) return answer(status_);
    if (worked > 0 || ordered) continue;
    const std::uint64_t rest = time_left(began, timeout_ns);
    if (rest == 0) return answer(WOA_TIMED_OUT, nothing_ended);
    run.wait(rest, [this] { return has_orders_.load(); });
    note_progress();
  }
}

// `lock` holds mutex_. `changed` tells of what `done` looks at. `to_the_end`: also of a run that has ended: its
// instances are told, one by one.
woa_status RunObject::wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                                 std::uint64_t timeout_ns, const std::function<bool()>& done, bool to_the_end) {
  const std::uint64_t began = now_ns();
  for (;;) {
    if (done()) return WOA_OK;
    if (!status_.ok() && !to_the_end) return answer(status_);
    if (finished_) return answer({Code::kInvalid, kFinished});
    const std::uint64_t rest = time_left(began, timeout_ns);
    if (rest == 0) return answer(WOA_TIMED_OUT, nothing_ended);
    changed.wait_for(lock, std::chrono::nanoseconds(std::min(rest, kLongestSleep_ns)));
  }
}

bool RunObject::has_ended(std::uint64_t instance) const {
  return instance < oldest_ || (instance < admitted() && ends_[instance].told);
}

woa_status RunObject::wait(std::uint64_t instance, std::uint64_t timeout_ns) {
  if (const Status status = check_wait(); !status.ok()) return answer(status);
  const auto done = [&] { return has_ended(instance); };
  std::unique_lock lock(mutex_);
  if (instance >= submitted_)
    return answer({Code::kNotFound, "instance " + std::to_string(instance) + " was never submitted"});
  if (own_thread_ || done()) return wait_until(lock, end_of(instance).changed, timeout_ns, done, true);
  lock.unlock();
  return drive_until(timeout_ns, done);
}

woa_status RunObject::work(std::uint64_t timeout_ns) {
  if (const Status status = check_wait(); !status.ok()) return answer(status);
  std::unique_lock lock(mutex_);
  if (finished_) return answer({Code::kInvalid, kFinished});
  std::uint64_t& seen = seen_[std::this_thread::get_id()];  // by this thread: several may wait
  const auto done = [this, &seen] { return std::exchange(seen, progress_) != progress_; };
  if (own_thread_) return wait_until(lock, changed_, timeout_ns, done, false);
  lock.unlock();
  return drive_until(timeout_ns, done);
}

woa_status RunObject::drain(std::uint64_t timeout_ns) {
  if (const Status status = check_wait(); !status.ok()) return answer(status);
  const auto done = [this] { return submitted_ == told_; };
  std::unique_lock lock(mutex_);
  if (own_thread_) {
    const woa_status waited = wait_until(lock, drained_, timeout_ns, done, true);
    return waited == WOA_OK && !status_.ok() ? answer(status_) : waited;
  }
  lock.unlock();
  const woa_status waited = drive_until(timeout_ns, done);
  return waited == WOA_OK && !status_.ok() ? answer(status_) : waited;
}

// Drains, and closes the run to submissions. Kept outputs may hold the blocks that instances in flight wait for.
Status RunObject::drain_to_finish() {
  std::uint64_t seen = 0;
  for (int quiet_s = 0;; ++quiet_s) {
    const bool in_time = drain(1'000'000'000) != WOA_TIMED_OUT;
    const std::lock_guard lock(mutex_);
    if (in_time && (submitted_ == told_ || !status_.ok())) {  // else another thread has submitted since
      closed_ = true;
      return {};
    }
    if (std::exchange(seen, progress_) != progress_) quiet_s = 0;
    if (kept_ == 0 || quiet_s < kPatience_s) continue;
    return {Code::kInvalid, "the outputs of " + counted(kept_, "instance") + " are kept, and " +
                                counted(submitted_ - succeeded_ - failed_, "instance") +
                                " in flight made no progress for 5 s: give outputs back, and finish again"};
  }
}

}  // namespace woa
