// Which limit of the system refused something, and how to raise it (the end of status.h).
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "runtime/base/cgroup_limits.h"
#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

// A limit of this process, as the shell's `ulimit` counts it.
struct Limit {
  decltype(RLIMIT_NOFILE) resource;
  char option;
  rlim_t enough;  // in its unit
  rlim_t unit = 1;
};
constexpr Limit kFiles{RLIMIT_NOFILE, 'n', 65536}, kThreads{RLIMIT_NPROC, 'u', 65536},
    kFileSize{RLIMIT_FSIZE, 'f', RLIM_INFINITY}, kAddresses{RLIMIT_AS, 'v', RLIM_INFINITY, 1024};

// Not every root may: a container's seldom can.
bool may_raise_all() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  return ::syscall(SYS_capget, &header, data.data()) == 0 && (data[0].effective & 1U << CAP_SYS_RESOURCE) != 0;
}

rlimit values_of(const Limit& limit) {
  rlimit values{RLIM_INFINITY, RLIM_INFINITY};
  ::getrlimit(limit.resource, &values);
  for (rlim_t* each : {&values.rlim_cur, &values.rlim_max})
    if (*each != RLIM_INFINITY) *each /= limit.unit;
  return values;
}

bool is_set(const Limit& limit) { return values_of(limit).rlim_cur != RLIM_INFINITY; }

std::string found(const Limit& limit) {
  const rlim_t most = values_of(limit).rlim_cur;
  return most == RLIM_INFINITY ? "no limit of its own" : "a limit of " + std::to_string(most);
}

// "raise it with `ulimit -n 65536`", by a command that this user may give.
std::string raise(const Limit& limit) {
  const rlimit values = values_of(limit);
  const auto command = [&](rlim_t to) {
    return std::string("`ulimit -") + limit.option + " " + (to == RLIM_INFINITY ? "unlimited" : std::to_string(to)) +
           "`";
  };
  const rlim_t wanted = limit.enough == RLIM_INFINITY ? limit.enough : std::max(limit.enough, 2 * values.rlim_cur);
  if (wanted <= values.rlim_max || may_raise_all()) return "raise it with " + command(wanted);
  if (values.rlim_cur < values.rlim_max) return "raise it with " + command(values.rlim_max);
  return "raise it with " + command(wanted) + " as root, or start from a shell without it";
}

std::string advice_on_memory() {
  if (is_set(kAddresses))
    return "; this process has " + found(kAddresses) + " KiB on its address space (`ulimit -v`), " + raise(kAddresses) +
           ", or lower the window or the ports' bounds";
  return "; lower the window or the ports' bounds, or free memory of this machine";
}

// The C library answers EAGAIN for a thread whose stack finds no room, too.
bool has_room_for_a_stack() {
  std::size_t bytes = 0;
  pthread_attr_t usual;
  pthread_attr_init(&usual);
  pthread_attr_getstacksize(&usual, &bytes);
  pthread_attr_destroy(&usual);
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  return at != MAP_FAILED && ::munmap(at, bytes) == 0;
}

std::string advice_on_threads() {
  if (!has_room_for_a_stack()) return advice_on_memory();
  if (const auto group = cgroup_limits().processes; group && group->used >= group->most)
    return "; the control group of this process has a limit of " + std::to_string(group->most) +
           " on processes and threads, raise it in " + group->file;
  if (is_set(kThreads) && ::geteuid() != 0)  // the system counts no threads of root
    return "; this user has " + found(kThreads) + " on processes and threads, " + raise(kThreads);
  return "; the whole system has too many processes or threads, raise that with `sysctl kernel.threads-max=1000000`";
}

std::string advice(int error) {
  switch (error) {
    case EMFILE: return "; this process has " + found(kFiles) + " on open files, " + raise(kFiles);
    case ENFILE: return "; the whole system has too many open files, raise it with `sysctl fs.file-max=1000000`";
    case EAGAIN: return advice_on_threads();
    case ENOMEM: return advice_on_memory();
    case EFBIG:
      return "; this process has " + found(kFileSize) + " bytes on files and shared memory, " + raise(kFileSize);
    default: return "";
  }
}

}  // namespace

bool is_limit(int error) { return error == EMFILE || error == ENFILE; }

std::string reason_of(int error) {
  return std::generic_category().message(error) + (is_limit(error) || error == EFBIG ? advice(error) : "");
}

std::string limit_at_hand() {
  constexpr std::size_t kSome = 16;  // a library that fails has closed what it opened before
  std::array<UniqueFd, kSome> opened;
  for (UniqueFd& each : opened) {
    each = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (each.get() < 0 && is_limit(errno)) return advice(errno);
  }
  return "";
}

std::string what_gives_memory() {
  if (is_set(kAddresses)) return advice_on_memory();
  return "; give the process more (`ulimit -v`, a container's limit), or lower the window or the bounds";
}

Status limit_reached(std::string_view what, int error) {
  return {Code::kExhausted, std::string(what) + ": " + std::generic_category().message(error) + advice(error)};
}

}  // namespace woa
