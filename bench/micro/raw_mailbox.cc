#include "bench/micro/raw_mailbox.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <thread>

#include "runtime/base/clock.h"

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
    while (slot.flag.load(std::memory_order_acquire) != position + 1) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    std::memcpy(data, slot.payload.data(), bytes);
  }
};

void pin(std::size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// The other end; ends with its parent.
[[noreturn]] void echo(Mailbox* mailboxes, std::uint64_t bytes, std::uint64_t round_trips) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin(1);
  std::array<std::byte, 120> data{};
  for (std::uint64_t k = 0; k < round_trips; ++k) {
    mailboxes[0].receive(k, data.data(), bytes);
    mailboxes[1].send(k, data.data(), bytes);
  }
  ::_exit(0);
}

}  // namespace

Result<double> raw_mailbox_ns(std::uint64_t bytes, std::uint64_t round_trips) {
  if (std::thread::hardware_concurrency() < 2) return {Code::kUnavailable, "the raw mailbox needs two processors"};
  void* memory =
      ::mmap(nullptr, 2 * sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return {Code::kUnavailable, "no shared memory for the raw mailbox"};
  auto* mailboxes = static_cast<Mailbox*>(memory);
  new (mailboxes) Mailbox;
  new (mailboxes + 1) Mailbox;
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  const pid_t child = ::fork();
  if (child == 0) echo(mailboxes, bytes, round_trips);
  if (child < 0) return {Code::kUnavailable, "cannot start a process for the raw mailbox"};
  pin(0);
  std::array<std::byte, 120> data{};
  const std::uint64_t start = now_ns();
  for (std::uint64_t k = 0; k < round_trips; ++k) {
    mailboxes[0].send(k, data.data(), bytes);
    mailboxes[1].receive(k, data.data(), bytes);
  }
  const std::uint64_t end = now_ns();
  ::waitpid(child, nullptr, 0);
  sched_setaffinity(0, sizeof before, &before);
  ::munmap(memory, 2 * sizeof(Mailbox));
  return static_cast<double>(end - start) / static_cast<double>(round_trips) / 2;
}

const char* host_state(double one_way_ns) { return one_way_ns < kNear_ns ? "near" : "far"; }

}  // namespace woa::bench
