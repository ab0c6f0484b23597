#include "runtime/measure/raw_mailbox.h"

#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "runtime/base/clock.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/spin.h"

namespace woa::measure {
namespace {

constexpr std::size_t kSlots = 8;
constexpr std::uint64_t kWarmUp = kSlots;  // until every slot was used and the child has started

// The flag comes first, so that a payload of up to 56 bytes shares its cache line.
struct alignas(128) Slot {
  std::atomic<std::uint64_t> flag{0};
  std::array<std::byte, 120> payload;
};

struct Mailbox {
  std::array<Slot, kSlots> slots;
  void send(std::uint64_t position, const std::byte* data, std::uint64_t bytes) {
    Slot& slot = slots[position % kSlots];
    std::memcpy(slot.payload.data(), data, bytes);
    slot.flag.store(position + 1, std::memory_order_release);
  }
  [[nodiscard]] bool receive(std::uint64_t position, std::byte* data, std::uint64_t bytes) {
    Slot& slot = slots[position % kSlots];
    if (!spin_until([&] { return slot.flag.load(std::memory_order_acquire) == position + 1; })) return false;
    std::memcpy(data, slot.payload.data(), bytes);
    return true;
  }
};

}  // namespace

Result<double> raw_mailbox_ns(std::uint64_t bytes, std::uint64_t round_trips) {
  auto memory = Memory::map(2 * sizeof(Mailbox), Memory::Sharing::kWithChildren);
  if (!memory.ok()) return memory.status();
  auto* there = new (memory->bytes().data()) Mailbox;
  auto* back = new (memory->bytes().data() + sizeof(Mailbox)) Mailbox;
  std::array<std::byte, 120> data{};
  const std::uint64_t end = kWarmUp + round_trips;
  auto pair = PinnedPair::start([&] {
    for (std::uint64_t k = 0; k < end; ++k) {
      if (!there->receive(k, data.data(), bytes)) return 1;
      back->send(k, data.data(), bytes);
    }
    return 0;
  });
  if (!pair.ok()) return pair.status();
  const auto ping = [&](std::uint64_t k) {
    there->send(k, data.data(), bytes);
    return back->receive(k, data.data(), bytes);
  };
  bool ok = true;
  for (std::uint64_t k = 0; ok && k < kWarmUp; ++k) ok = ping(k);
  const std::uint64_t start_ns = now_ns();
  for (std::uint64_t k = kWarmUp; ok && k < end; ++k) ok = ping(k);
  const std::uint64_t end_ns = now_ns();
  if (!ok || pair->wait() != 0) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(round_trips) / 2;
}

}  // namespace woa::measure
