#include "bench/micro/random_limits.h"

#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <vector>

#include "bench/micro/pair_race.h"
#include "runtime/base/clock.h"
#include "runtime/measure/memory.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kSlots = 8;

struct alignas(64) Slot {
  std::atomic<std::uint64_t> flag{0};  // the number of the bucket in it, from 1
  std::uint64_t count = 0;
  std::array<std::uint64_t, kLookAhead> numbers{};
};

// The mailbox of one process; the other process writes the slots.
struct Mailbox {
  std::array<Slot, kSlots> slots;
  alignas(64) std::atomic<std::uint64_t> credits{0};  // for this process: buckets of its own that the other has applied
};

// One process and what it sees of the other.
class Player {
 public:
  Player(const RandomTable& table, std::uint64_t process, std::span<std::uint64_t> part, Mailbox& mine, Mailbox& other)
      : table_(table), process_(process), part_(part), mine_(mine), other_(other) {
    for (auto& numbers : out_) numbers.reserve(kLookAhead);
  }

  bool run() {
    RandomStream stream = table_.stream_of(process_);
    for (std::uint64_t left = table_.part_updates(); left > 0;) {
      const std::uint64_t some = std::min(left, kLookAhead);
      for (auto& numbers : out_) numbers.clear();
      for (std::uint64_t k = 0; k < some; ++k) {
        const std::uint64_t number = stream.next();
        out_[table_.owner_of(number)].push_back(number);
      }
      left -= some;
      if (!send(out_[1 - process_])) return false;
      apply(out_[process_].data(), out_[process_].size());
      drain();
    }
    return spin_until([&] {
      drain();
      return mine_.credits.load(std::memory_order_acquire) == sent_;
    });
  }
  void drain() {
    for (;;) {
      Slot& slot = mine_.slots[taken_ % kSlots];
      if (slot.flag.load(std::memory_order_acquire) != taken_ + 1) return;
      apply(slot.numbers.data(), slot.count);
      other_.credits.store(++taken_, std::memory_order_release);
    }
  }

 private:
  bool send(const std::vector<std::uint64_t>& numbers) {
    const bool place = spin_until([&] {
      if (sent_ - mine_.credits.load(std::memory_order_acquire) < kSlots) return true;
      drain();
      return false;
    });
    Slot& slot = other_.slots[sent_ % kSlots];
    slot.count = numbers.size();
    std::memcpy(slot.numbers.data(), numbers.data(), numbers.size() * sizeof(std::uint64_t));
    slot.flag.store(++sent_, std::memory_order_release);
    return place;
  }
  void apply(const std::uint64_t* numbers, std::uint64_t count) {
    const std::uint64_t mask = table_.part_words() - 1;
    for (std::uint64_t k = 0; k < count; ++k) part_[numbers[k] & mask] ^= numbers[k];
  }

  RandomTable table_;
  std::uint64_t process_;
  std::span<std::uint64_t> part_;
  Mailbox &mine_, &other_;
  std::array<std::vector<std::uint64_t>, RandomTable::kProcesses> out_;
  std::uint64_t sent_ = 0, taken_ = 0;
};

}  // namespace

Result<double> local_updates_ns(const RandomTable& table) {
  WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(table.words * sizeof(std::uint64_t), Memory::Sharing::kWithChildren));
  const std::span words(reinterpret_cast<std::uint64_t*>(memory.bytes().data()), table.words);
  const std::array parts{words.first(table.part_words()), words.subspan(table.part_words())};
  table.fill(parts[0], 0);
  table.fill(parts[1], 1);
  RandomStream stream(0);
  const std::uint64_t mask = table.words - 1, updates = table.updates(), start_ns = now_ns();
  for (std::uint64_t k = 0; k < updates; ++k) {
    const std::uint64_t number = stream.next();
    words[number & mask] ^= number;
  }
  const auto ns = static_cast<double>(now_ns() - start_ns);
  WOA_RETURN_IF_ERROR(check_table(table, parts));
  return ns;
}

Result<double> raw_buckets_ns(const RandomTable& table) {
  const std::size_t part_bytes = table.part_words() * sizeof(std::uint64_t);
  WOA_ASSIGN_OR_RETURN(auto memory,
                       Memory::map(2 * (part_bytes + sizeof(Mailbox)) + 64, Memory::Sharing::kWithChildren));
  std::byte* at = memory.bytes().data();
  auto* mailboxes = new (at) Mailbox[2];
  const auto part = [&](std::uint64_t process) {
    auto* first = reinterpret_cast<std::uint64_t*>(at + 2 * sizeof(Mailbox) + process * part_bytes);
    return std::span(first, table.part_words());
  };
  const std::array parts{part(0), part(1)};
  std::array players{Player(table, 0, parts[0], mailboxes[0], mailboxes[1]),
                     Player(table, 1, parts[1], mailboxes[1], mailboxes[0])};
  const auto ns = race_ns({[&](std::uint64_t process) {
                             table.fill(parts[process], process);
                             return touch_pages(memory.bytes().first(2 * sizeof(Mailbox)));
                           },
                           [&](std::uint64_t process) { return players[process].run(); },
                           [&](std::uint64_t process) { players[process].drain(); }});
  if (!ns.ok()) return ns;
  WOA_RETURN_IF_ERROR(check_table(table, parts));
  return ns;
}

}  // namespace woa::bench
