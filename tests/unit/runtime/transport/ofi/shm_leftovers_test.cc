#include "runtime/transport/ofi/shm_leftovers.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/base/unique_fd.h"
#include "tests/support/catch.h"

namespace woa::test {

TEST_CASE("files of libfabric's shm are removed if their process has gone and nobody has them open") {
  std::string folder = "/dev/shm/woa-leftovers-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  REQUIRE(::waitpid(ended, nullptr, 0) == ended);
  const std::string gone = std::to_string(ended), lives = std::to_string(::getpid());
  const auto path = [&](const std::string& name) { return folder + "/" + name; };
  for (const std::string& name : {gone + ":0:0", gone + ":0:1", gone + ":0", gone + ":0:0.x", lives + ":0:0"})
    std::ofstream(path(name)) << "x";
  {
    const UniqueFd used(::open(path(gone + ":0:1").c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(ofi::remove_shm_leftovers(folder) == 1);
    REQUIRE_FALSE(std::filesystem::exists(path(gone + ":0:0")));
    REQUIRE(std::filesystem::exists(path(gone + ":0:1")));
  }
  REQUIRE(ofi::remove_shm_leftovers(folder) == 1);
  for (const std::string& name : {gone + ":0", gone + ":0:0.x", lives + ":0:0"})
    REQUIRE(std::filesystem::exists(path(name)));
  std::filesystem::remove_all(folder);
  REQUIRE(ofi::remove_shm_leftovers(folder) == 0);
}

}  // namespace woa::test
