// How submissions get into a run: at once, by the thread that drives it, or by way of the line.
#include <algorithm>
#include <utility>

#include "library/answer.h"
#include "library/run_object.h"
#include "runtime/base/clock.h"
#include "runtime/base/futex.h"

namespace woa {
namespace {

// NOLINTNEXTLINE(cert-err58-cpp): made when the library is loaded
const Status window_is_full(Code::kExhausted, "as many instances are in flight as the window has");

}  // namespace

// The instance's place in submissions_ says what.
woa_status RunObject::push(std::uint64_t number) {
  const Push push = owned_->run().submit(
      [this, number](std::uint32_t input, std::span<std::byte> room) { return fill_input(number, input, room); },
      submissions_[number].timeout_ns);
  if (push == Push::kOk) return WOA_OK;
  if (push == Push::kBackPressured) return answer(WOA_BACK_PRESSURED, window_is_full);
  return answer(owned_->run().status());
}

// One that has left the line: it ends, whatever happens.
void RunObject::push_or_fail(std::uint64_t number) {
  if (push(number) == WOA_OK) return;
  const Status& why = owned_->run().status();
  Failure failure{why.code() == Code::kCancelled ? Code::kCancelled : Code::kPeerLost, {}, {}};
  failure.message = if_memory([&] { return why.message(); }, std::string());
  complete({number, 0, {}, &failure});
}

woa_status RunObject::submit(woa_fill fill, void* user, std::uint64_t timeout_ns, std::uint64_t patience_ns,
                             std::uint64_t* instance) {
  if (fill == nullptr) return answer({Code::kInvalid, "a submission needs a function that fills the inputs"});
  std::uint64_t number = 0;
  if (instance == nullptr) instance = &number;
  const Submission submission{fill, user, timeout_ns};
  return own_thread_ ? submit_in_line(submission, patience_ns, instance)
                     : submit_here(submission, patience_ns, instance);
}

// By the thread that drives.
woa_status RunObject::submit_here(const Submission& submission, std::uint64_t patience_ns, std::uint64_t* instance) {
  if (closed_) return answer({Code::kInvalid, kFinished});
  if (!status_.ok()) return answer(status_);
  if (!has_place() && patience_ns != 0) {
    if (const Status status = check_wait(); !status.ok()) return answer(status);
    const woa_status waited = drive_until(patience_ns, [this] { return has_place(); });
    if (waited != WOA_OK && waited != WOA_TIMED_OUT) return waited;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!has_place()) return refuse_for_now();
    *instance = next_number();
    end_of(*instance).told = false;
  }
  submissions_[*instance] = submission;
  const woa_status pushed = push(*instance);
  if (pushed == WOA_OK) return WOA_OK;
  const std::lock_guard lock(mutex_);
  --submitted_;
  return pushed;
}

// By any thread, also from a callback.
woa_status RunObject::submit_in_line(const Submission& submission, std::uint64_t patience_ns, std::uint64_t* instance) {
  Sleepers sleepers;
  std::unique_lock lock(mutex_);
  if (patience_ns != 0 && line_.has_mine()) {
    if (const Status status = check_wait(); !status.ok()) return answer(status);
    if (!wait_for_mine(lock, patience_ns)) return refuse_for_now();
  }
  if (closed_) return answer({Code::kInvalid, kFinished});
  if (!status_.ok()) return answer(status_);
  if (patience_ns == 0 && (line_.size() != 0 || !has_place())) return refuse_for_now();
  line_.join(submission);
  *instance = next_number();
  admit_line(sleepers);
  lock.unlock();
  sleepers.wake();
  return WOA_OK;
}

// Needs mutex_, but sleeps without it, until this thread's submission has left the line. False: it has not in time.
bool RunObject::wait_for_mine(std::unique_lock<std::mutex>& lock, std::uint64_t patience_ns) {
  std::atomic<std::uint32_t> told{0};
  line_.tell(&told);
  lock.unlock();
  const std::uint64_t began = now_ns();
  for (std::uint64_t rest = patience_ns; rest != 0 && told.load(std::memory_order_acquire) == 0;
       rest = time_left(began, patience_ns))
    futex_wait(told, 0, std::min(rest, kLongestSleep_ns));
  lock.lock();
  if (told.load() == 0) line_.tell(nullptr);
  return told.load() != 0;
}

// Needs mutex_.
woa_status RunObject::refuse_for_now() {
  seen_[std::this_thread::get_id()] = progress_;
  return answer(WOA_BACK_PRESSURED, window_is_full);
}

// Needs mutex_.
std::uint64_t RunObject::next_number() {
  if (first_submitted_ns_ == 0) first_submitted_ns_ = now_ns();
  return submitted_++;
}

// Needs mutex_, and that the line is not empty.
void RunObject::admit_first(Sleepers& sleepers) {
  const std::uint64_t number = admitted();
  submissions_[number] = line_.leave(sleepers);
  end_of(number).told = false;
}

// Needs mutex_. While there are places, the first in line get them; whoever drives pushes them.
void RunObject::admit_line(Sleepers& sleepers) {
  if (line_.size() == 0 || !has_place()) return;
  while (line_.size() != 0 && has_place()) admit_first(sleepers);
  wake_driver();
}

// Those in line when the run has ended fail, one by one.
void RunObject::fail_line() {
  for (;;) {
    Sleepers sleepers;
    {
      const std::lock_guard lock(mutex_);
      if (status_.ok() || line_.size() == 0) return;
      admit_first(sleepers);
    }
    sleepers.wake();
    push_or_fail(pushed_++);
  }
}

}  // namespace woa
