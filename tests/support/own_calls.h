// Counts what a thread does itself while it uses a device's library: its allocations and system calls outside the
// library. A child process does the work; its parent traces it and sees each system call.
#pragma once

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <type_traits>

#include "tests/support/alloc_counter.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/require.h"

namespace woa::test {

// Counts in memory that child and parent share.
struct OwnCalls {
  std::atomic<bool> counting{false}, is_elsewhere{false};
  std::uint64_t own_allocations = 0, library_allocations = 0;
  std::atomic<std::uint64_t> callback_allocations{0};  // of our code on threads of the library
  char error[512] = "";
  // The parent alone has these:
  std::map<std::uint64_t, std::uint64_t>* own_calls = nullptr;  // by number
  std::uint64_t library_calls = 0;
};

inline OwnCalls& own_calls() {
  static auto* const shared =
      new (mmap(nullptr, sizeof(OwnCalls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) OwnCalls;
  return *shared;
}

inline thread_local bool is_counted = false;  // this thread is the one that counts

// While it lives, the thread that counts is in the library, or waits. Other threads may use the library, too.
class Elsewhere {
 public:
  Elsewhere() noexcept : before_(own_allocations()) {
    if (is_counted) own_calls().is_elsewhere = true;
  }
  ~Elsewhere() {
    if (!is_counted) return;
    own_calls().is_elsewhere = false;
    if (own_calls().counting) own_calls().library_allocations += own_allocations() - before_;
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  std::uint64_t before_;
};

// A function of a library's table, which `Open` opens, called as `Elsewhere`.
template <auto Open, auto Member, class Call = std::remove_cvref_t<decltype(Open().value().*Member)>>
struct Counted;
template <auto Open, auto Member, class R, class... A>
struct Counted<Open, Member, R (*)(A...)> {
  static R call(A... arguments) {
    const Elsewhere elsewhere;
    return (Open().value().*Member)(arguments...);
  }
};

// From here on the parent sees what the child does, until it ends.
inline void count_from_here() {
  is_counted = true;
  raise(SIGSTOP);
  own_calls().counting = true;
}

// Notes a call of the child, which stopped for the parent.
inline void note_call(pid_t child) {
  __ptrace_syscall_info call{};
  REQUIRE(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) > 0);
  if (call.op != PTRACE_SYSCALL_INFO_ENTRY || !own_calls().counting) return;
  if (own_calls().is_elsewhere) {
    ++own_calls().library_calls;
  } else {
    ++(*own_calls().own_calls)[call.entry.nr];
  }
}

// Runs `work` in a child, which calls count_from_here() and at its end clears `counting`. Returns its exit code.
inline int count_in_child(const std::function<int()>& work) {
  constexpr int kCall = SIGTRAP | 0x80, kUntraced = 78;
  Child child([&] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? work() : kUntraced; });
  auto step = PTRACE_CONT;
  for (int end = 0;;) {
    REQUIRE(waitpid(child.pid(), &end, 0) == child.pid());
    if (WIFEXITED(end) && WEXITSTATUS(end) == kUntraced) skip("ptrace", "this system lets no parent trace its child");
    if (!WIFSTOPPED(end)) return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
    int signal = WSTOPSIG(end);
    if (signal == kCall) note_call(child.pid());
    if (signal == SIGSTOP) {
      REQUIRE(ptrace(PTRACE_SETOPTIONS, child.pid(), nullptr, PTRACE_O_TRACESYSGOOD) == 0);
      step = PTRACE_SYSCALL;
    }
    if (signal == kCall || signal == SIGSTOP) signal = 0;  // others are the child's
    REQUIRE(ptrace(step, child.pid(), nullptr, signal) == 0);
  }
}

}  // namespace woa::test
