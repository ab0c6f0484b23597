#include "tests/doubles/cuda/ptx/order.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace woa::ptx {
namespace {

constexpr std::size_t kThreadStores = 12, kBlockStores = 64;
constexpr std::uint32_t kMood = 64;  // ticks until the way in which stores leave changes, on average

std::uintptr_t word_of(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at) >> 3; }
std::size_t bucket_of(const std::byte* at) { return word_of(at) * 0x9E3779B97F4A7C15U >> 58; }
std::uint64_t bit_of(const std::byte* at) { return 1ULL << bucket_of(at); }
bool same_word(const std::byte* one, const std::byte* other) { return word_of(one) == word_of(other); }

template <class T>
std::uint64_t read_as(const std::byte* at, Order order) {
  if (order == Order::kWeak) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  // An atomic load changes nothing.
  const std::atomic_ref<T> word(*reinterpret_cast<T*>(const_cast<std::byte*>(at)));
  return word.load(order == Order::kAcquire ? std::memory_order_acquire : std::memory_order_relaxed);
}

template <class T>
void write_as(const Store& store) {
  const T value = static_cast<T>(store.value);
  if (store.order == Order::kWeak) {
    std::memcpy(store.at, &value, sizeof value);
    return;
  }
  std::atomic_ref<T>(*reinterpret_cast<T*>(store.at))
      .store(value, store.order == Order::kRelease ? std::memory_order_release : std::memory_order_relaxed);
}

// Puts the bytes of a store over a value that was loaded.
void overlay(const Store& store, const std::byte* at, std::uint8_t bytes, std::uint64_t& value) {
  const std::ptrdiff_t shift = store.at - at;
  for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, shift); k < std::min<std::ptrdiff_t>(bytes, shift + store.bytes);
       ++k) {
    const std::uint64_t byte = store.value >> (8 * (k - shift)) & 0xFF;
    value = (value & ~(0xFFULL << (8 * k))) | byte << (8 * k);
  }
}

void overlay_own(const ThreadView& thread, const std::byte* at, std::uint8_t bytes, std::uint64_t& value) {
  if ((thread.filter & bit_of(at)) == 0) return;
  for (const Store& one : thread.stores)
    if (same_word(one.at, at)) overlay(one, at, bytes, value);
}

// Loads behind a strong load read nothing older than it did.
void remember(Stale& kept, const Stale& now, Order order) {
  if (order == Order::kWeak)
    kept = now;
  else if (same_word(kept.at, now.at))
    kept.at = nullptr;
}

// One order of all sequentially consistent fences. A function, because ThreadSanitizer knows no fences.
void order_all() {
  static std::atomic<std::uint64_t> turn{0};
  turn.fetch_add(1, std::memory_order_seq_cst);
}

}  // namespace

std::uint64_t read(const std::byte* at, std::uint8_t bytes, Order order) noexcept {
  switch (bytes) {
    case 1: return read_as<std::uint8_t>(at, order);
    case 2: return read_as<std::uint16_t>(at, order);
    case 4: return read_as<std::uint32_t>(at, order);
    default: return read_as<std::uint64_t>(at, order);
  }
}

void write(const Store& store) noexcept {
  switch (store.bytes) {
    case 1: return write_as<std::uint8_t>(store);
    case 2: return write_as<std::uint16_t>(store);
    case 4: return write_as<std::uint32_t>(store);
    default: return write_as<std::uint64_t>(store);
  }
}

std::uint64_t BlockView::base(ThreadView& thread, const std::byte* at, std::uint8_t bytes, Order order) {
  Stale& kept = read_.of(at);
  if (order == Order::kWeak && kept.at == at && kept.bytes == bytes && kept.time > thread.acquired &&
      !random_.chance(4))
    return kept.value;
  const std::uint64_t value = ptx::read(at, bytes, order);
  remember(kept, {at, value, time_ + 1, bytes}, order);
  return value;
}

std::uint64_t BlockView::global(ThreadView& thread, const std::byte* at, std::uint8_t bytes, Order order) {
  Stale& kept = thread.read.of(at);
  if (order == Order::kWeak && kept.at == at && kept.bytes == bytes && random_.chance(4)) return kept.value;
  std::uint64_t value = base(thread, at, bytes, order);
  if (buckets_[bucket_of(at)] != 0)
    for (const Store& one : stores_)
      if (same_word(one.at, at)) overlay(one, at, bytes, value);
  overlay_own(thread, at, bytes, value);
  remember(kept, {at, value, 0, bytes}, order);
  return value;
}

// A weak load may bring its whole line into a cache, and later loads may find the line's words there.
void BlockView::keep_line(const ThreadView& thread, const std::byte* at) {
  constexpr std::uintptr_t kLine = 64, kWord = 8;
  const std::byte* const line = at - reinterpret_cast<std::uintptr_t>(at) % kLine;
  for (const std::byte* word = line; word < line + kLine; word += kWord) {
    Stale& kept = read_.of(word);
    const bool is_kept = kept.at == word && kept.time > thread.acquired;
    if (!is_kept && !same_word(word, at)) kept = {word, ptx::read(word, kWord, Order::kWeak), time_ + 1, kWord};
  }
}

std::uint64_t BlockView::load(ThreadView& thread, const std::byte* at, std::uint8_t bytes, Order order, bool shared) {
  if (order == Order::kAcquire && ignored_.acquire) {
    order = Order::kWeak;
    if (!shared) keep_line(thread, at);
  }
  std::uint64_t value = 0;
  if (shared) {
    value = ptx::read(at, bytes, Order::kWeak);
    overlay_own(thread, at, bytes, value);
  } else {
    value = global(thread, at, bytes, order);
  }
  if (order == Order::kAcquire) acquire(thread);
  if (order == Order::kRelaxed) saw(thread, at, bytes);
  return value;
}

void BlockView::load_early(const ThreadView& thread, const std::byte* at, std::uint64_t room) {
  for (std::uint64_t k = 8; k < 128 && k + 8 <= room; k += 8) {
    Stale& kept = read_.of(at + k);
    if (kept.at == at + k && kept.time > thread.acquired) continue;
    kept = {at + k, ptx::read(at + k, 8, Order::kWeak), time_ + 1, 8};
  }
}

void BlockView::store(ThreadView& thread, Store store, Scope scope) {
  if (store.order == Order::kRelease) {
    store.order = Order::kRelaxed;
    if (!ignored_.release) release(thread, scope);
  }
  store.need = store.host ? thread.host_need : thread.need;
  if (store.host && scope != Scope::kSys) store.order = Order::kWeak;
  if (store.order == Order::kRelaxed && store.need != 0) store.order = Order::kRelease;
  if (thread.stores.size() >= kThreadStores) tick(thread);
  while (thread.stores.size() >= kThreadStores) move(thread, random_.below(thread.stores.size()));
  thread.stores.push_back(store);
  thread.filter |= bit_of(store.at);
  thread.read.forget(store.at);
}

void BlockView::release(ThreadView& thread, Scope scope) {
  move_all(thread);
  if (scope != Scope::kCta) thread.need = next_;
  if (scope == Scope::kSys) thread.host_need = next_;
}

void BlockView::fence(ThreadView& thread, bool sequential, Scope scope) {
  release(thread, scope);
  if (thread.seen_count > 0) {  // relaxed loads and a fence acquire
    for (std::uint32_t k = 0; k < std::min<std::size_t>(thread.seen_count, thread.seen.size()); ++k)
      ptx::read(thread.seen[k].at, thread.seen[k].bytes, Order::kAcquire);  // so that ThreadSanitizer knows
    acquire(thread);
    thread.seen_count = 0;
  }
  if (!sequential) return;
  leave_before(next_);
  order_all();
}

void BlockView::barrier(std::vector<ThreadView*>& threads) {
  if (ignored_.barrier_order) return;
  std::uint64_t acquired = 0;
  for (ThreadView* thread : threads) {
    move_all(*thread);
    acquired = std::max(acquired, thread->acquired);
  }
  for (ThreadView* thread : threads) {
    thread->acquired = acquired;
    thread->read.forget_all();
  }
}

void BlockView::settle(ThreadView& thread, const std::byte* at, bool shared) {
  const bool mine = (thread.filter & bit_of(at)) != 0;
  if (mine) move_all(thread);
  if (shared) return;
  leave_before(mine || buckets_[bucket_of(at)] != 0 ? next_ : thread.need);
  read_.forget(at);
  thread.read.forget(at);
}

void BlockView::move(ThreadView& thread, std::size_t which) {
  // The first store to a place goes first.
  for (std::size_t k = 0; k < which; ++k)
    if (same_word(thread.stores[k].at, thread.stores[which].at)) which = k;
  Store store = thread.stores[which];
  thread.stores.erase(thread.stores.begin() + static_cast<std::ptrdiff_t>(which));
  thread.filter = 0;
  for (const Store& one : thread.stores) thread.filter |= bit_of(one.at);
  if (store.shared) return write(store);
  leave_some(kBlockStores - 1);
  store.number = next_++;
  stores_.push_back(store);
  ++buckets_[bucket_of(store.at)];
}

void BlockView::move_all(ThreadView& thread) {
  while (!thread.stores.empty()) move(thread, random_.below(thread.stores.size()));
}

std::size_t BlockView::pick() {
  for (std::size_t k = newest_first_ ? stores_.size() - 1 : random_.below(stores_.size());; --k) {
    const bool ordered = stores_[k].need > stores_.front().number;
    const auto same = [&](const Store& one) { return same_word(one.at, stores_[k].at); };
    const auto end = stores_.begin() + static_cast<std::ptrdiff_t>(k);
    if (k == 0 || (!ordered && std::none_of(stores_.begin(), end, same))) return k;
  }
}

void BlockView::leave(std::size_t which) {
  const Store store = stores_[which];
  stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(which));
  --buckets_[bucket_of(store.at)];
  if (ended_) return late_.add(store);
  read_.forget(store.at);
  write(store);
}

void BlockView::leave_some(std::size_t most) {
  while (stores_.size() > most) leave(pick());
}

void BlockView::leave_before(std::uint64_t number) {
  while (!stores_.empty() && stores_.front().number < number) leave(pick());
}

void BlockView::tick(ThreadView& thread) {
  if (!thread.stores.empty() && random_.chance(2)) move(thread, random_.below(thread.stores.size()));
  if (random_.chance(kMood)) {
    newest_first_ = random_.chance(2);
    slow_ = random_.chance(4);
  }
  if (!stores_.empty() && random_.chance(slow_ ? 16 : 2)) leave(pick());
}

void BlockView::finish() {
  ended_ = true;
  leave_some(0);
}

}  // namespace woa::ptx
