// A counter of the processor's for libfabric's performance hook, which reads one around every call and counts no call
// where there is none, as on virtual machines. Its value means nothing here: it grows with every look.
//
// The hook opens the counter with perf_event_open() (by libc's syscall(), which this file replaces for the program),
// maps the page that tells its number, and reads it with the instruction rdpmc. Where the system has no such counter,
// the page is our own, and the instruction, which then faults, is done by the handler of the fault.
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstring>

#if !defined(__x86_64__)
#error "reads instructions of x86-64"
#endif

namespace {

constexpr unsigned char kRdpmc[] = {0x0f, 0x33};

void do_rdpmc(int /*signal*/, siginfo_t* /*info*/, void* context) {
  static std::uint64_t value = 0;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (std::memcmp(reinterpret_cast<const void*>(registers[REG_RIP]), kRdpmc, sizeof kRdpmc) != 0) {
    std::signal(SIGSEGV, SIG_DFL);  // a fault of somebody else's: it happens again
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
  perf_event_mmap_page page{};
  page.index = 1;  // 0 would be: not there to read
  const int file = ::memfd_create("counter", MFD_CLOEXEC);
  if (file < 0 || ::sigaction(SIGSEGV, &action, nullptr) != 0) return -1;
  return ::write(file, &page, sizeof page) == sizeof page ? file : -1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  using Syscall = long (*)(long, ...);
  static const auto system = reinterpret_cast<Syscall>(::dlsym(RTLD_NEXT, "syscall"));
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  const long result =
      system(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  return number == SYS_perf_event_open && result < 0 ? open_emulated() : result;
}
