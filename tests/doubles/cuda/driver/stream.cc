#include "tests/doubles/cuda/driver/stream.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/doubles/common/delays.h"
#include "tests/doubles/cuda/driver/context.h"
#include "tests/doubles/cuda/driver/options.h"

namespace woa::cuda_double {
namespace {

// Without new work for this long, late stores happen of themselves; and what an ignored order held back, so late that
// others come first on a busy machine, too.
constexpr long kLateNs = 300'000, kHeldNs = 20'000'000;

// ThreadSanitizer does not see a futex: it orders nothing.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, const timespec* limit) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, limit, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void Late::add(std::unique_ptr<ptx::LateStores> stores) {
  const std::lock_guard lock(mutex_);
  stores_.push_back(std::move(stores));
}

void Late::apply() {
  const std::lock_guard lock(mutex_);
  stores_.clear();  // their destructors store
}

void Late::drop() {
  static std::mutex mutex;
  static auto* const dropped = new std::vector<std::unique_ptr<ptx::LateStores>>;  // a destructor would store
  const std::scoped_lock lock(mutex_, mutex);
  for (auto& stores : stores_) dropped->push_back(std::move(stores));
  stores_.clear();
}

StreamState::StreamState(ContextState& context, std::uint64_t seed)
    : context_(context), last_(new Node), first_(last_), random_(seed), thread_([this] { work(); }) {}

void StreamState::push(Kind kind, Uses uses, std::function<void(StreamState&, Uses&)> run) {
  auto* const node = new Node;
  node->operation.reset(new Operation{kind, std::move(uses), std::move(run)});
  const std::lock_guard lock(push_mutex_);
  published_.store(++pushed_, std::memory_order_relaxed);
  last_->next.store(node, std::memory_order_release);
  last_ = node;
  pushes_.fetch_add(1, std::memory_order_release);
  futex_wake(pushes_);
}

bool StreamState::idle() const {
  const std::uint64_t pushed = published_.load(std::memory_order_relaxed);
  return ended_.load(std::memory_order_relaxed) >= pushed && ended_.load(std::memory_order_acquire) >= pushed &&
         !has_late_.load(std::memory_order_acquire);
}

void StreamState::wait_idle() const {
  while (!idle() && !context_.stopped()) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void StreamState::close() {
  closing_.store(true);
  pushes_.fetch_add(1, std::memory_order_release);
  futex_wake(pushes_);
}

void StreamState::join() {
  close();
  if (thread_.joinable()) thread_.join();
  delete std::exchange(first_, nullptr);
}

bool StreamState::resident() const {
  const std::int64_t from = resident_from_ns_.load(std::memory_order_relaxed);
  return from != 0 && now_ns() > from;
}

std::shared_ptr<Late> StreamState::late() {
  if (late_.empty() || late_recorded_) late_.push_back(std::make_shared<Late>());
  late_recorded_ = false;
  has_late_.store(true, std::memory_order_relaxed);
  return late_.back();
}

void StreamState::see_late() {
  for (const auto& late : late_) late->apply();
  late_.clear();
  has_late_.store(false, std::memory_order_release);
}

void StreamState::drop_late() {
  for (const auto& late : late_) late->drop();
  late_.clear();
  has_late_.store(false, std::memory_order_release);
}

std::vector<std::shared_ptr<Late>> StreamState::recorded_late() {
  late_recorded_ = true;
  return late_;
}

void StreamState::add_late(const std::vector<std::shared_ptr<Late>>& more) {
  if (more.empty()) return;
  late_.insert(late_.end(), more.begin(), more.end());
  late_recorded_ = true;
  has_late_.store(true, std::memory_order_relaxed);
}

void StreamState::delay() { std::this_thread::sleep_for(doubles::draw_delay(random_)); }

void StreamState::kernel_begins(std::chrono::nanoseconds resident_after) {
  resident_from_ns_.store(now_ns() + resident_after.count(), std::memory_order_relaxed);
}
void StreamState::kernel_ends() { resident_from_ns_.store(0, std::memory_order_relaxed); }

void StreamState::work() {
  while (std::unique_ptr<Operation> operation = take()) dispatch(std::move(operation));
  settle();
}

// Held operations and late stores happen now, unless the context has failed.
void StreamState::settle() {
  free_held();
  storing_.store(true);
  context_.stopped() ? drop_late() : see_late();
  storing_.store(false);
}

// Null: the stream is closed, and its queue empty.
std::unique_ptr<Operation> StreamState::take() {
  for (;;) {
    const std::uint32_t seen = pushes_.load(std::memory_order_acquire);
    if (Node* const next = first_->next.load(std::memory_order_acquire)) {
      delete std::exchange(first_, next);
      return std::move(next->operation);
    }
    if (closing_.load()) return nullptr;
    const bool waiting = !held_.empty() || !late_.empty();
    const timespec limit{0, held_.empty() && !options().ignore.write_barrier ? kLateNs : kHeldNs};
    futex_wait(pushes_, seen, waiting ? &limit : nullptr);
    if (waiting && pushes_.load(std::memory_order_relaxed) == seen) settle();
  }
}

bool StreamState::holds(Kind kind) const {
  const Ignore& ignore = options().ignore;
  return (ignore.write_order && kind == Kind::kWriteValue && held_.empty()) ||
         (ignore.copy_order && kind == Kind::kCopyToHost) || (ignore.stream_order && kind == Kind::kCopyToDevice);
}

bool StreamState::frees(Kind kind) const {
  return kind == Kind::kKernel || (options().ignore.write_order && kind == Kind::kWriteValue);
}

void StreamState::free_held() {
  for (const auto& operation : std::exchange(held_, {})) execute(*operation);
}

void StreamState::dispatch(std::unique_ptr<Operation> operation) {
  if (holds(operation->kind)) {
    held_.push_back(std::move(operation));
    return;
  }
  execute(*operation);
  if (frees(operation->kind)) free_held();
}

void StreamState::execute(Operation& operation) {
  delay();
  const bool stores = operation.kind != Kind::kHostFunction && operation.kind != Kind::kWait;
  const bool is_mute = context_.mute.load() && stores && operation.kind != Kind::kRecord;
  storing_.store(true);
  if (!context_.stopped() && stores && !is_mute) operation.run(*this, operation.uses);
  if (!context_.stopped() && operation.kind == Kind::kHostFunction) see_late();
  storing_.store(false);
  if (!context_.stopped() && !stores) operation.run(*this, operation.uses);
  operation.uses.end();
  ended_.fetch_add(1, std::memory_order_release);
}

}  // namespace woa::cuda_double
