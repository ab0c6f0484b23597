// The order in which the stores of a block's threads become visible. A store waits in its thread, then in its block
// (whose threads see it there), then it is in memory. It overtakes others in both places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/doubles/cuda/ptx/interpreter.h"
#include "tests/doubles/cuda/ptx/program.h"

namespace woa::ptx {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 0x632BE59BD9B4E019U) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>((next() >> 32) * bound >> 32); }
  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }

 private:
  std::uint64_t state_;
};

struct Store {
  std::byte* at = nullptr;
  std::uint64_t value = 0;
  std::uint64_t need = 0;    // all stores of the block with a smaller number are in memory before
  std::uint64_t number = 0;  // in the block
  std::uint8_t bytes = 0;
  Order order = Order::kWeak;
  bool shared = false;  // shared memory: the block is all that sees it
  bool host = false;    // the host sees it, too
};

std::uint64_t read(const std::byte* at, std::uint8_t bytes, Order order) noexcept;
void write(const Store& store) noexcept;

// Stores of finished blocks, in an order that is theirs.
class Late final : public LateStores {
 public:
  Late() = default;
  Late(const Late&) = delete;
  Late& operator=(const Late&) = delete;
  ~Late() override { keep(0); }
  void add(const Store& store) { stores_.push_back(store); }
  void keep(std::size_t most) {
    for (; stores_.size() > most; stores_.pop_front()) write(stores_.front());
  }
  [[nodiscard]] bool empty() const { return stores_.empty(); }

 private:
  std::deque<Store> stores_;
};

// A value that was read from memory, and may be read again though memory has another one meanwhile.
struct Stale {
  const std::byte* at = nullptr;
  std::uint64_t value = 0, time = 0;
  std::uint8_t bytes = 0;
};

// By the address of the word of 8 bytes; of two words with one place the later stays.
template <std::size_t places>
class StaleValues {
 public:
  Stale& of(const std::byte* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return values_[(address >> 3 ^ address >> 6 ^ address >> 9) % places];  // cache lines lie in different places
  }
  void forget(const std::byte* at) { of(at).at = nullptr; }
  void forget_all() { values_ = {}; }

 private:
  std::array<Stale, places> values_{};
};

// A thread's stores that no other thread sees yet, and what it has read.
struct ThreadView {
  std::vector<Store> stores;
  std::uint64_t filter = 0;     // bits of the stores' places
  std::uint64_t need = 0;       // of stores behind the last fence
  std::uint64_t host_need = 0;  // of stores to the host's memory, behind the last fence of scope sys
  std::uint64_t acquired = 0;   // time of the last acquire
  struct Word {
    const std::byte* at = nullptr;
    std::uint8_t bytes = 0;
  };
  std::array<Word, 4> seen{};  // by strong loads since the last fence
  std::uint32_t seen_count = 0;
  StaleValues<4> read;  // since the last acquire or barrier: a load may come before it
};

class BlockView {
 public:
  BlockView(Random& random, const Ignored& ignored, Late& late) : random_(random), ignored_(ignored), late_(late) {}

  std::uint64_t load(ThreadView& thread, const std::byte* at, std::uint8_t bytes, Order order, bool shared);
  // Loads of the words behind this one may come before it, if no acquire stands between.
  void load_early(const ThreadView& thread, const std::byte* at, std::uint64_t room);
  void store(ThreadView& thread, Store store, Scope scope);
  void release(ThreadView& thread, Scope scope);
  void fence(ThreadView& thread, bool sequential, Scope scope);
  void barrier(std::vector<ThreadView*>& threads);
  // Before a read-modify-write: the place is in memory, and if the thread has fenced, what the fence orders, too.
  void settle(ThreadView& thread, const std::byte* at, bool shared);
  void acquire(ThreadView& thread) {
    thread.acquired = ++time_;
    thread.read.forget_all();
  }
  // A strong load, which acquires together with a fence behind it.
  void saw(ThreadView& thread, const std::byte* at, std::uint8_t bytes) {
    thread.seen[thread.seen_count++ % thread.seen.size()] = {at, bytes};
  }

  // Lets some store go on, from this thread or from the block.
  void tick(ThreadView& thread);
  void move_all(ThreadView& thread);
  void leave_all() { leave_some(0); }
  // All stores of the block, which has ended, go behind others.
  void finish();

 private:
  std::uint64_t global(ThreadView& thread, const std::byte* at, std::uint8_t bytes, Order order);
  std::uint64_t base(ThreadView& thread, const std::byte* at, std::uint8_t bytes, Order order);
  void keep_line(const ThreadView& thread, const std::byte* at);
  void move(ThreadView& thread, std::size_t which);  // from thread to block
  void leave(std::size_t which);                     // from block to memory
  void leave_some(std::size_t most);
  void leave_before(std::uint64_t number);
  [[nodiscard]] std::size_t pick();

  Random& random_;
  const Ignored& ignored_;
  Late& late_;
  std::vector<Store> stores_;               // by number
  std::array<std::uint8_t, 64> buckets_{};  // how many of the stores' places fall in each
  std::uint64_t next_ = 1;                  // number
  std::uint64_t time_ = 1;
  StaleValues<256> read_;  // by any thread of the block, from memory
  bool newest_first_ = random_.chance(2), slow_ = random_.chance(4);
  bool ended_ = false;
};

}  // namespace woa::ptx
