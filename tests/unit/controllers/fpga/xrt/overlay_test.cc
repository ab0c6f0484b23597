// The folder that stands for XRT's root where Debian's layout has none.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "controllers/fpga/xrt/library.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

namespace fs = std::filesystem;

class Folders {
 public:
  Folders() {
    fs::create_directories(libraries);
    fs::create_directories(temporary);
    std::ofstream(libraries / "libxrt_core.so.2");
  }
  ~Folders() { fs::remove_all(base_); }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

 private:
  fs::path base_ = fs::temp_directory_path() / ("overlay-" + std::to_string(::getpid()));

 public:
  fs::path libraries = base_ / "multiarch", temporary = base_ / "tmp";
};

}  // namespace

TEST_CASE("an overlay leads to the libraries, and is made once") {
  Folders folders;
  const auto overlay = xrt_overlay(folders.libraries, folders.temporary);
  REQUIRE(overlay.ok());
  CHECK(fs::exists(*overlay / "lib/libxrt_core.so.2"));
  CHECK((fs::status(*overlay).permissions() & fs::perms::mask) == fs::perms::owner_all);
  const auto again = xrt_overlay(folders.libraries, folders.temporary);
  REQUIRE(again.ok());
  CHECK(*again == *overlay);
  const auto other = xrt_overlay(folders.temporary, folders.temporary);
  REQUIRE(other.ok());
  CHECK(*other != *overlay);
}

TEST_CASE("processes that make an overlay at once all get it") {
  Folders folders;
  std::vector<std::unique_ptr<Child>> children;
  for (int k = 0; k < 8; ++k)
    children.push_back(std::make_unique<Child>([&] {
      for (int round = 0; round < 100; ++round) {
        const auto overlay = xrt_overlay(folders.libraries / std::to_string(round), folders.temporary);
        if (!overlay.ok() || fs::read_symlink(*overlay / "lib") != folders.libraries / std::to_string(round)) return 1;
      }
      return 0;
    }));
  for (const auto& child : children) CHECK(child->exit_code() == 0);
}

TEST_CASE("an overlay that others made or may change is refused") {
  Folders folders;
  const auto made = xrt_overlay(folders.libraries, folders.temporary);
  REQUIRE(made.ok());
  const auto refused = [&] { return xrt_overlay(folders.libraries, folders.temporary).status(); };
  SECTION("others may write to it") {
    fs::permissions(*made, fs::perms::all);
    CHECK(says(refused(), Code::kUnavailable, "other users can write to it"));
  }
  SECTION("it is a link to a folder of somebody's") {
    fs::remove_all(*made);
    fs::create_directory_symlink(folders.libraries, *made);
    CHECK(says(refused(), Code::kUnavailable, "it is no folder"));
  }
  SECTION("it leads elsewhere") {
    fs::remove(*made / "lib");
    fs::create_directory_symlink(folders.temporary, *made / "lib");
    CHECK(says(refused(), Code::kUnavailable, "does not lead to " + folders.libraries.string()));
  }
  SECTION("it belongs to another user") {
    if (::geteuid() != 0 || ::chown(made->c_str(), 12345, 12345) != 0) return;  // only root can make one
    CHECK(says(refused(), Code::kUnavailable, "other users can write to it"));
  }
  SECTION("the place for it is none") {
    fs::remove_all(folders.temporary);
    CHECK(says(refused(), Code::kUnavailable, "let XDG_CACHE_HOME name a folder of yours"));
  }
}

}  // namespace woa::test
