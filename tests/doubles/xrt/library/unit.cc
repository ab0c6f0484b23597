#include "tests/doubles/xrt/library/unit.h"

#include <algorithm>

#include "tests/doubles/common/delays.h"
#include "tests/doubles/xrt/library/library.h"

namespace woa::xrt_double {
namespace {

constexpr unsigned kCycles = 16;  // at most, between two looks at the queue
// Registers of ap_ctrl_chain (rtl/wact_control.sv), and the bit of them that means a run's end.
constexpr std::uint32_t kInterrupts = 0x04, kWanted = 0x08, kRaised = 0x0c, kEnd = 1;
constexpr std::chrono::milliseconds kHeld{5};    // a start that shall change places, where no other comes
constexpr std::chrono::milliseconds kLate{200};  // a start whose caller shall be too early, on a busy machine as well

std::chrono::microseconds draw(std::mt19937_64& random) {
  return options().seed == 0 ? std::chrono::microseconds(0) : doubles::draw_delay(random);
}

}  // namespace

thread_local bool in_callback = false;

// A caller that does not wait for the end shall always be too early.
bool Unit::starts_late() { return options().ignore.early_callback || options().ignore.wait; }

Unit::Unit(Banks& banks, std::uint64_t seed, unsigned width)
    : card_(banks, {.width = width}),
      random_(seed),
      call_random_(seed + 1),
      worker_([this] { work(); }),
      caller_([this] { call_back(); }) {}

Unit::~Unit() {
  {
    const std::scoped_lock lock(mutex_, call_mutex_);
    stopping_ = calls_stopping_ = true;
  }
  changed_.notify_all();
  call_changed_.notify_all();
  worker_.join();
  caller_.join();
}

void Unit::start(Run& run, const WactArguments& arguments, Fate fate) {
  if (options().ignore.early_callback) push_call(run, xrt::kCompleted);
  const std::lock_guard lock(mutex_);
  const Start start{&run, arguments, fate, Clock::now(), {}};
  if (options().ignore.start_order && held_.empty()) {
    held_.push_back(start);
  } else {
    queue_.push_back(start);
    queue_.insert(queue_.end(), held_.begin(), held_.end());
    held_.clear();
  }
  changed_.notify_all();
}

void Unit::work() {
  card_.write_register(kInterrupts, 1);
  card_.write_register(kWanted, kEnd);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    accept();
    finish_due(Clock::now());
    if (running_.empty()) {
      wait(lock);
      continue;
    }
    lock.unlock();
    for (unsigned k = 0; k < kCycles && !card_.interrupts(); ++k) card_.clock(1);
    if (card_.interrupts()) {
      card_.write_register(kRaised, kEnd);  // first: the next end raises it again
      if (card_.ended()) end_first();
    }
    lock.lock();
  }
}

// Hands runs to the card. Those that it does not see wait for the ones before them, so that runs end in order.
void Unit::accept() {
  if (!held_.empty() && Clock::now() >= held_.front().at + kHeld) {
    queue_.insert(queue_.end(), held_.begin(), held_.end());
    held_.clear();
  }
  while (!queue_.empty() && !hung_ && !lost_.load()) {
    const Start& next = queue_.front();
    if (starts_late() && Clock::now() < next.at + kLate) return;
    const bool seen = next.fate == Fate::kNormal || next.fate == Fate::kSlow;
    if (seen ? !card_.can_start() : !running_.empty()) return;
    if (next.fate != Fate::kNormal && next.fate != Fate::kSkipped && next.fate != Fate::kError) failed_.store(true);
    if (next.fate == Fate::kLost) return lose();
    hung_ = next.fate == Fate::kHung;
    if (hung_) return;
    running_.push_back(next);
    queue_.pop_front();
    seen ? card_.start(running_.back().arguments) : end_first();
  }
}

void Unit::end_first() {
  Start first = running_.front();
  running_.pop_front();
  first.due = first.at + options().delay + draw(random_);
  if (first.fate == Fate::kSlow) first.due += options().slow;
  ended_.push_back(first);
}

void Unit::finish_due(Clock::time_point now) {
  while (!ended_.empty() && ended_.front().due <= now) {
    const Start first = ended_.front();
    ended_.pop_front();
    finish(first, first.fate == Fate::kError ? xrt::kError : xrt::kCompleted);
  }
}

// Runs that are under way get no answer.
void Unit::lose() {
  lost_.store(true);
  for (auto* const starts : {&ended_, &running_, &queue_}) {
    for (const Start& start : *starts) finish(start, xrt::kNoResponse);
    starts->clear();
  }
}

void Unit::wait(std::unique_lock<std::mutex>& lock) {
  if (!ended_.empty()) {
    changed_.wait_until(lock, ended_.front().due);
  } else if (!held_.empty()) {
    changed_.wait_until(lock, held_.front().at + kHeld);
  } else if (starts_late() && !queue_.empty() && !hung_) {
    changed_.wait_until(lock, queue_.front().at + kLate);
  } else {
    changed_.wait(lock);
  }
}

void Unit::finish(const Start& start, int state) {
  Run& run = *start.run;
  if (options().ignore.state) state = xrt::kCompleted;
  const bool calls = run.callback != nullptr && !options().ignore.early_callback && !options().ignore.callback;
  {
    const std::lock_guard lock(run.mutex);
    for (const Run::Value& value : run.values)
      if (value.buffer != nullptr) --value.buffer->users;
    run.under_way = false;
    run.state = state;
    run.stale = options().seed != 0 && random_() % 2 == 0;
    if (calls) ++run.calls_due;
  }
  run.changed.notify_all();
  if (calls) push_call(run, state);
}

void Unit::push_call(Run& run, int state) {
  const std::lock_guard lock(call_mutex_);
  calls_.push_back({&run, state});
  call_changed_.notify_all();
}

// Callbacks come late, and in any order.
void Unit::call_back() {
  std::unique_lock lock(call_mutex_);
  for (;;) {
    call_changed_.wait(lock, [&] { return calls_stopping_ || !calls_.empty(); });
    if (calls_stopping_) return;
    const auto at =
        calls_.begin() + (options().seed == 0 ? 0 : static_cast<std::ptrdiff_t>(call_random_() % calls_.size()));
    const Call call = *at;
    calls_.erase(at);
    lock.unlock();
    std::this_thread::sleep_for(draw(call_random_));
    {
      const std::lock_guard run_lock(call.run->mutex);
      if (call.run->calls_due != 0) --call.run->calls_due;  // the caller may close the run once it was called
    }
    in_callback = true;
    if (call.run->callback != nullptr) call.run->callback(call.run->handle, call.state, call.run->user);
    in_callback = false;
    lock.lock();
  }
}

}  // namespace woa::xrt_double
