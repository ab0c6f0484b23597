// graphs/user-kernel: the commands of its README, in a copy of the folder.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kernel_under_test.h"

namespace woa::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(WOA_BUILD_DIR) / "tests" / "user-kernel";  // looks like the root of the repository
const fs::path kExample = kRoot / "graphs" / "user-kernel";

void make_root() {
  fs::remove_all(kRoot);
  fs::create_directories(kExample.parent_path());
  fs::create_directory_symlink(fs::path(WOA_SOURCE_DIR) / "include", kRoot / "include");
  fs::create_directory_symlink(WOA_BUILD_DIR, kRoot / "build");
  fs::copy(fs::path(WOA_SOURCE_DIR) / "graphs" / "user-kernel", kExample, fs::copy_options::recursive);
  fs::remove(kExample / "threshold" / "libthreshold.so");  // left by a user of the README in the source tree
}

std::string contents(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The README's code blocks in `language`, in order.
std::vector<std::string> blocks(const std::string& language) {
  const std::string readme = contents(kExample / "README.md"), begin = "\n```" + language + "\n";
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = readme.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    found.push_back(readme.substr(at, readme.find("```", at) - at));
  }
  return found;
}

// Runs the commands and returns what they print; fails unless they succeed.
std::string type_in(const std::string& commands) {
  std::ofstream(kRoot / "commands") << "set -eu\ncd '" << kRoot.string() << "'\n" << commands;
  const std::string output = (kRoot / "output").string();
  const std::string line = "sh '" + (kRoot / "commands").string() + "' > '" + output + "' 2>&1";
  const int result = std::system(line.c_str());
  INFO(contents(output));
  REQUIRE(result == 0);
  return contents(output);
}

}  // namespace

TEST_CASE("the user's kernel builds as its README says, and does what it says") {
  make_root();
  const auto commands = blocks("sh"), results = blocks("text");
  REQUIRE(commands.size() == 2);
  REQUIRE(results.size() == 1);
  type_in(commands[0]);

  const std::string library = (kExample / "threshold" / "libthreshold.so").string();
  const KernelUnderTest threshold(library, {{"level", "128"}}, {{4, 0}});
  CHECK(*threshold.run({Token{{0, 127, 128, 255}}}).outs[0] == Token{{0, 0, 255, 255}});
  CHECK(*threshold.run({Token{}}).outs[0] == Token{});
  CHECK(threshold.run({Token{Bytes(5)}}).status == WOA_TOO_LARGE);
  for (const char* wrong : {"-1", "256", "high"}) {
    CHECK(KernelUnderTest(library, {{"level", wrong}}, {}).created().status == WOA_INVALID);
  }

  if (!fs::exists(fs::path(WOA_BUILD_DIR) / "woa")) {
    WARN("the graph was not run: this build has no woa");
    return;
  }
  CHECK(contains(type_in(commands[1]), results[0]));
}

}  // namespace woa::test
