#include "bench/micro/raw_mailbox.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "bench/micro/pinned_pair.h"
#include "runtime/base/clock.h"
#include "runtime/base/pause.h"

namespace woa::bench {
namespace {

constexpr std::size_t kSlots = 8;
constexpr double kNear_ns = 100;  // hyper-threads of one core stay below it, separate cores do not

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
  void receive(std::uint64_t position, std::byte* data, std::uint64_t bytes) {
    Slot& slot = slots[position % kSlots];
    while (slot.flag.load(std::memory_order_acquire) != position + 1) pause_core();
    std::memcpy(data, slot.payload.data(), bytes);
  }
};

}  // namespace

Result<double> raw_mailbox_ns(std::uint64_t bytes, std::uint64_t round_trips) {
  void* memory =
      ::mmap(nullptr, 2 * sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return {Code::kUnavailable, "no shared memory for the raw mailbox"};
  const std::unique_ptr<void, void (*)(void*)> unmap(memory, [](void* m) { ::munmap(m, 2 * sizeof(Mailbox)); });
  auto* mailboxes = static_cast<Mailbox*>(memory);
  new (mailboxes) Mailbox;
  new (mailboxes + 1) Mailbox;
  std::array<std::byte, 120> data{};
  auto pair = PinnedPair::start([&] {
    for (std::uint64_t k = 0; k < round_trips; ++k) {
      mailboxes[0].receive(k, data.data(), bytes);
      mailboxes[1].send(k, data.data(), bytes);
    }
    return 0;
  });
  if (!pair.ok()) return pair.status();
  const std::uint64_t start = now_ns();
  for (std::uint64_t k = 0; k < round_trips; ++k) {
    mailboxes[0].send(k, data.data(), bytes);
    mailboxes[1].receive(k, data.data(), bytes);
  }
  const std::uint64_t end = now_ns();
  if (pair->wait() != 0) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(end - start) / static_cast<double>(round_trips) / 2;
}

const char* host_state(double one_way_ns) { return one_way_ns < kNear_ns ? "near" : "far"; }

}  // namespace woa::bench
