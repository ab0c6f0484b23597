// A counter of the processor's for libfabric's performance hook, which reads one around every call and on x86-64 counts
// no call where there is none, as on virtual machines. Its value means nothing here: it grows with every look.
//
// The hook opens the counter with perf_event_open() (by libc's syscall(), which this file replaces for the program),
// maps the page that tells its number, and reads it with the instruction rdpmc. Here the page is our own and names a
// counter that no processor has; the instruction faults, and is done by the handler of the fault.
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstring>

namespace {

constexpr unsigned char kRdpmc[] = {0x0f, 0x33};
constexpr std::uint32_t kNoSuchCounter = 1U << 29;
struct sigaction handler_before;  // a sanitizer's

void do_rdpmc(int /*signal*/, siginfo_t* /*info*/, void* context) {
  static std::uint64_t value = 0;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (std::memcmp(reinterpret_cast<const void*>(registers[REG_RIP]), kRdpmc, sizeof kRdpmc) != 0) {
    ::sigaction(SIGSEGV, &handler_before, nullptr);  // a fault of somebody else's: it happens again
    return;
  }
  const std::uint64_t now = __atomic_add_fetch(&value, 1, __ATOMIC_RELAXED);
  registers[REG_RAX] = static_cast<greg_t>(now & 0xffffffff), registers[REG_RDX] = static_cast<greg_t>(now >> 32);
  registers[REG_RIP] += sizeof kRdpmc;
}

// Stands for the descriptor of a counter; -1 as the system says it.
int open_emulated() {
  struct sigaction action {};
  action.sa_sigaction = do_rdpmc;
  action.sa_flags = SA_SIGINFO;
  static std::atomic<bool> handled{false};
  if (!handled.exchange(true) && ::sigaction(SIGSEGV, &action, &handler_before) != 0) return -1;
  perf_event_mmap_page page{};
  page.index = kNoSuchCounter;
  const int file = ::memfd_create("counter", MFD_CLOEXEC);
  return file >= 0 && ::write(file, &page, sizeof page) == sizeof page ? file : -1;
}

}  // namespace

// Reads six arguments, as libc's does, whatever the number of those that were passed: no fault of memory.
extern "C" __attribute__((visibility("default"), no_sanitize("address"))) long syscall(long number, ...) noexcept {
  if (number == SYS_perf_event_open) return open_emulated();
  using Syscall = long (*)(long, ...);
  // Not a static that is made once: its guard may call syscall() itself.
  static std::atomic<Syscall> found{nullptr};
  Syscall system = found.load(std::memory_order_relaxed);
  if (system == nullptr) found = system = reinterpret_cast<Syscall>(::dlsym(RTLD_NEXT, "syscall"));
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  return system(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
