#include "runtime/base/status.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "runtime/base/unique_fd.h"

namespace woa {

std::string_view to_string(Code code) noexcept {
  switch (code) {
#define WOA_CODE_TEXT(name, number, text) \
  case Code::name: return text;
    WOA_CODES(WOA_CODE_TEXT)
#undef WOA_CODE_TEXT
  }
  return "unknown";
}

namespace {

// Made when the library is loaded.
const Status no_memory_left(
    Code::kExhausted,  // NOLINT(cert-err58-cpp)
    "there is no memory left; give the process more (`ulimit -v`, a container's limit), or lower "
    "the window or the bounds");

}  // namespace

const Status& Status::no_memory() noexcept { return no_memory_left; }

const std::string& Status::no_message() noexcept {
  static const std::string none;
  return none;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return {code_, std::string(context) + ": " + message()};
}

namespace {

std::string limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "no limit of its own";
  return "a limit of " + std::to_string(limit.rlim_cur);
}

std::string advice(int error) {
  switch (error) {
    case EMFILE:
      return "; this process has " + limit_of(RLIMIT_NOFILE) + " on open files, raise it with `ulimit -n 65536`";
    case ENFILE: return "; the whole system has too many open files, raise it with `sysctl fs.file-max=1000000`";
    case EAGAIN:
      return "; this user has " + limit_of(RLIMIT_NPROC) +
             " on processes and threads, raise it with `ulimit -u 65536`, and `pids.max` of a container";
    case ENOMEM:
      return "; this process has " + limit_of(RLIMIT_AS) + " on memory (`ulimit -v`); lower the window or the bounds";
    case EFBIG:
      return "; this process has " + limit_of(RLIMIT_FSIZE) +
             " bytes on files and shared memory, raise it with `ulimit -f unlimited`";
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

Status limit_reached(std::string_view what, int error) {
  return {Code::kExhausted, std::string(what) + ": " + std::generic_category().message(error) + advice(error)};
}

}  // namespace woa
