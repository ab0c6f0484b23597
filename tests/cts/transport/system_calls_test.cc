// A busy channel does not call the system. Not built with sanitizers, which call it on their own account.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>

#include "tests/cts/transport/traffic.h"
#include "tests/support/child.h"

namespace woa::cts {
namespace {

// From here on the process may exit and nothing else; any other system call ends it by SIGSYS.
bool forbid_system_calls() {
  std::array<sock_filter, 5> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  }};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

TEST_CASE("a channel makes no system call while nobody sleeps") {
  Channel channel;
  test::Child busy([&] {
    if (!forbid_system_calls()) return 2;
    return traffic(channel, 10'000) > 4000 ? 0 : 1;
  });
  INFO("exit code 2: this system allows no seccomp filter");
  REQUIRE(busy.exit_code() == 0);
  test::Child rings_a_sleeper([&] {
    if (!forbid_system_calls()) return 2;
    Doorbell(&channel.consumer_bell).prepare();
    channel.sender->wake();
    return 0;
  });
  const int end = rings_a_sleeper.wait();  // the filter works: this is the one call there is
  REQUIRE(WIFSIGNALED(end));
  REQUIRE(WTERMSIG(end) == SIGSYS);
}

}  // namespace woa::cts
