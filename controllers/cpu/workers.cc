#include "controllers/cpu/workers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"
#include "runtime/transport/idle.h"

namespace woa {
namespace {

constexpr std::uint32_t kMostDone = 32;  // that wait for a later ring

bool was_brief(const Firing& firing) noexcept { return firing.ended_ns - firing.started_ns < kBriefFiringNs; }

bool is_younger(const Firing* a, const Firing* b) noexcept {
  return a->instance != b->instance ? a->instance > b->instance : a->tag > b->tag;
}

}  // namespace

Workers::Workers(std::span<const LoadedStage> stages, std::uint32_t most, std::size_t room, bool guarded,
                 Isolation* isolation, Doorbell controller)
    : stages_(stages),
      most_(most),
      guarded_(guarded),
      isolation_(isolation),
      controller_(controller),
      allowed_(most),
      room_(room) {
  waiting_.reserve(room);
  idle_.reserve(most);
  workers_.reserve(most);
}

Workers::~Workers() {
  stopped_.store(true);
  for (const auto& worker : workers_) Doorbell(&worker->line).ring();
}

Workers::Given Workers::give(Firing& firing) noexcept {
  if (allowed_ == 0) return Given::kNobody;
  if (room_ == 0) return Given::kFull;
  Worker* woken = nullptr;
  bool short_of_workers = false;
  {
    const std::lock_guard lock(mutex_);
    woken = add(firing);
    short_of_workers = woken == nullptr && workers_.size() < allowed_;
  }
  if (woken != nullptr) Doorbell(&woken->line).ring();
  if (short_of_workers && !has_another()) {
    waiting_.clear();  // this firing alone
    waiting_count_.store(0, std::memory_order_relaxed);
    return Given::kNobody;
  }
  --room_;
  return Given::kYes;
}

// Under mutex_. The worker that must be rung; null: none is idle.
Workers::Worker* Workers::add(Firing& firing) noexcept {
  waiting_.push_back(&firing);
  std::push_heap(waiting_.begin(), waiting_.end(), is_younger);
  waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
  if (idle_.empty()) return nullptr;
  Worker* const last = idle_.back();
  idle_.pop_back();
  return last;
}

// Starts another worker. False: there is none at all.
bool Workers::has_another() noexcept {
  if (!or_no_memory([this] { return start_another(); }).ok()) allowed_ = workers_.size();  // nobody asks again
  return !workers_.empty();
}

Status Workers::start_another() {
  auto worker = std::make_unique<Worker>();
  worker->number = static_cast<std::uint32_t>(workers_.size());
  WOA_RETURN_IF_ERROR(worker->runner.reserve(stages_, guarded_, isolation_));
  Worker& started = *worker;
  const std::string what =
      "starting the thread of worker " + std::to_string(started.number) + " of " + std::to_string(most_);
  WOA_RETURN_IF_ERROR(start_thread(started.thread, what, [this, &started] { serve(started); }));
  workers_.push_back(std::move(worker));  // there is room: it cannot throw, and leave a worker without a thread
  return {};
}

// Runs on the worker's own thread.
void Workers::serve(Worker& worker) noexcept {
  ++serving_;  // here, since a thread that never starts serves nobody
  Idle idle(Doorbell(&worker.line), kHelperWaits);
  IsolatedRunner* const process = worker.runner.process();
  for (;;) {
    Firing* firing = nullptr;
    if (process != nullptr && process->has_any()) {
      if (leaves_to_others(worker)) break;
      firing = take_ahead(worker);
      if (firing == nullptr) {
        end(worker, process->take());
        continue;
      }
    } else {
      idle.wait_until([&] { return firing != nullptr || stopped_.load() || (firing = take(worker)) != nullptr; });
      if (firing == nullptr) break;
    }
    begin(worker, *firing);
  }
  if (process != nullptr) process->end();
}

void Workers::begin(Worker& worker, Firing& firing) noexcept {
  firing.worker = worker.number + 1;  // 0: the controller's thread
  if (is_late(firing.deadline, now_ns)) {
    firing.code = Code::kDeadlineExceeded;
    firing.message = kLate;  // it has room for it
    firing.started_ns = firing.ended_ns = now_ns();
    return finish(firing);
  }
  firing.activity->begin(firing.stage, firing.instance);
  const LoadedStage& stage = stages_[firing.stage];
  if (IsolatedRunner* const process = worker.runner.process_of(stage, firing)) return process->give(stage, firing);
  worker.runner.run(stage, firing);
  end(worker, firing);
}

// A worker for which no process can be started would fail all that it takes. True: it takes no firings any more.
bool Workers::leaves_to_others(Worker& worker) noexcept {
  IsolatedRunner& process = *worker.runner.process();
  const Status why = process.prepare();
  if (why.ok() || stopped_.load()) return false;
  if (--serving_ == 0) {  // there is no other
    ++serving_;
    return false;
  }
  const auto text = [&] {
    return "worker " + std::to_string(worker.number) + " of " + std::to_string(most_) +
           " has no process, and leaves its firings to the others: " + why.message();
  };
  log(LogLevel::kWarning, if_memory(text, std::string("a worker has no process; no memory to say why")));
  while (Firing* const firing = process.give_back()) {
    firing->activity->end();
    Worker* woken = nullptr;
    {
      const std::lock_guard lock(mutex_);
      woken = add(*firing);
    }
    if (woken != nullptr) Doorbell(&woken->line).ring();
  }
  return true;
}

void Workers::end(Worker& worker, Firing& firing) noexcept {
  worker.was_brief = was_brief(firing);
  firing.activity->end();
  finish(firing);
}

// The oldest firing that waits. Null: there is none, and whoever brings one rings this worker.
Firing* Workers::take(Worker& worker) noexcept {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find(idle_, &worker);
  if (waiting_.empty()) {
    if (at == idle_.end()) idle_.push_back(&worker);
    return nullptr;
  }
  if (at != idle_.end()) idle_.erase(at);
  return pop();
}

// One more firing for a process that has some, where they are brief and there are enough for all workers. Null: none.
Firing* Workers::take_ahead(Worker& worker) noexcept {
  IsolatedRunner& process = *worker.runner.process();
  if (stopped_.load() || !worker.was_brief || !process.has_room() ||
      waiting_count_.load(std::memory_order_relaxed) < most_)
    return nullptr;
  const std::lock_guard lock(mutex_);
  const bool are_enough = waiting_.size() >= most_ && idle_.empty();
  const bool is_apart = are_enough && worker.runner.process_of(stages_[waiting_.front()->stage], *waiting_.front());
  return is_apart ? pop() : nullptr;
}

Firing* Workers::pop() noexcept {
  std::pop_heap(waiting_.begin(), waiting_.end(), is_younger);
  Firing* const oldest = waiting_.back();
  waiting_.pop_back();
  waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
  return oldest;
}

// The controller's thread is woken for what it can do more: when firings get few, many are done, or one took long.
void Workers::finish(Firing& firing) noexcept {
  const bool was_long = !was_brief(firing);
  firing.next = done_.load(std::memory_order_relaxed);
  while (!done_.compare_exchange_weak(firing.next, &firing, std::memory_order_release, std::memory_order_relaxed)) {
  }
  const std::uint32_t done = done_count_.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::size_t waiting = waiting_count_.load(std::memory_order_relaxed);
  if (was_long || done >= kMostDone || waiting < most_) controller_.ring_as_helper();
}

std::size_t Workers::take_done(std::span<Firing*> done) noexcept {
  if (taken_ == nullptr && done_.load(std::memory_order_relaxed) != nullptr) {
    done_count_.store(0, std::memory_order_relaxed);
    Firing* last = done_.exchange(nullptr, std::memory_order_acquire);
    while (last != nullptr) {  // the first that ended comes first
      Firing* const before = last->next;
      last->next = std::exchange(taken_, last);
      last = before;
    }
  }
  std::size_t count = 0;
  for (; taken_ != nullptr && count < done.size(); ++count) done[count] = std::exchange(taken_, taken_->next);
  room_ += count;
  return count;
}

}  // namespace woa
