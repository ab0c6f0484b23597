// The end of every test program: it fails if a test left something in its folder for temporary files.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLeave = "WOA_LEAVE_A_FILE";

TEST_CASE("a test program that leaves a file in its folder for temporary files fails, and the folder goes") {
  if (std::getenv(kLeave) != nullptr) {
    std::ofstream(fs::temp_directory_path() / "forgotten").put('x');
    return;
  }
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string command = kLeave + std::string("=1 '") + self + "' '-#' '[#temporary_folder_test]'";
  FILE* const output = popen(command.c_str(), "r");
  REQUIRE(output != nullptr);
  std::string text;
  for (int c = 0; (c = std::fgetc(output)) != EOF;) text.push_back(static_cast<char>(c));
  const int status = pclose(output);
  INFO(text);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(text.find("a test left this in the folder for temporary files: forgotten") != std::string::npos);
  CHECK(fs::is_empty(fs::temp_directory_path()));  // the other program's was inside this one's
}

}  // namespace
}  // namespace woa
