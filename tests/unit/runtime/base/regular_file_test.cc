#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "runtime/base/file.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a file is read whole or up to a bound, and nothing that is no file") {
  std::string name = (fs::temp_directory_path() / "woa-file-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  std::ofstream(folder / "file") << "four lines of" << std::string(100'000, 'x');
  std::ofstream(folder / "empty").flush();
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(read_regular_file(folder / "file", 1 << 20)->size() == 100'013);
  CHECK(*read_regular_file(folder / "file", 4) == "four");
  CHECK(read_regular_file(folder / "empty", 4)->empty());
  CHECK(read_regular_file("/proc/self/status", 1 << 20)->starts_with("Name:"));
  const auto refusal = [](const fs::path& path, Code code) {
    const Status status = read_regular_file(path, 10).status();
    CHECK(status.code() == code);
    return status.message();
  };
  CHECK(refusal(folder / "absent", Code::kNotFound) == "there is no such file");
  CHECK(refusal(folder, Code::kUnavailable) == "it is a folder");
  CHECK(refusal(folder / "pipe", Code::kUnavailable).starts_with("it is a pipe"));
  CHECK(refusal("/dev/zero", Code::kUnavailable).starts_with("it is a pipe, a socket or a device"));
  CHECK(refusal(folder / "file" / "below", Code::kUnavailable) == "Not a directory");
  if (::geteuid() != 0) {  // who may read everything cannot be refused
    fs::permissions(folder / "file", fs::perms::none);
    CHECK(refusal(folder / "file", Code::kUnavailable) == "Permission denied");
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace woa
