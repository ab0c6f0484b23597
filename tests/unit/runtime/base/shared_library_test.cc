// load_library(): the loader's reason, and the limit on open files where that is the true one.
#include "runtime/base/shared_library.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include <string>

#include "tests/support/catch.h"

namespace woa {
namespace {

constexpr const char* kAbsent = "libwoa-no-such-library.so";

TEST_CASE("a library is loaded, or the loader's reason is given") {
  const auto loaded = load_library("libc.so.6", "");
  REQUIRE(loaded.ok());
  CHECK(::dlsym(*loaded, "getpid") != nullptr);
  CHECK(::dlclose(*loaded) == 0);
  const Status absent = load_library(kAbsent, "install it").status();
  CHECK(absent.code() == Code::kUnavailable);
  CHECK(absent.message().find(kAbsent) != std::string::npos);
  CHECK(absent.message().ends_with("; install it"));
}

TEST_CASE("at the limit on open files, the limit and how to raise it are named") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{3, before.rlim_max};  // the three standard streams
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const Status status = load_library(kAbsent, "install it").status();
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(status.code() == Code::kExhausted);
  const std::string limit = "a limit of 3 on open files, raise it with `ulimit -n ";
  CHECK(status.message().find(limit) != std::string::npos);
  CHECK(status.message().ends_with("`; install it"));
  CHECK(limit_at_hand().empty());
}

}  // namespace
}  // namespace woa
