// main() of every test program, and what skip() does to it. TMPDIR is a folder of the program's own, and files that are
// left there fail it.
#ifdef WOA_CATCH3
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/support/require.h"

namespace {

constexpr int kFailedCode = 1, kSkippedCode = 77;
bool skips_this_case = false;
int cases = 0, skipped_cases = 0;

#ifdef WOA_CATCH3
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

class SkipCounter : public Listener {
 public:
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo&) override { skips_this_case = false; }
  void testCaseEnded(const Catch::TestCaseStats&) override {
    ++cases;
    if (skips_this_case) ++skipped_cases;
  }
};
CATCH_REGISTER_LISTENER(SkipCounter)

}  // namespace

void woa::test::skip(std::string_view name, std::string_view reason) {
  report_unavailable(name, reason);
  skips_this_case = !required(name);
  if (!skips_this_case) FAIL("WOA_REQUIRE lists what is unavailable");
    // Catch ends a test case by this, and has counted no failure.
#ifdef WOA_CATCH3
  Catch::throw_test_failure_exception();
#else
  throw Catch::TestFailureException();
#endif
}

namespace {

// The folder for temporary files of this program and those that it starts.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "woa-tests-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
    std::filesystem::permissions(path_, std::filesystem::perms::all);  // for children that are another user
    setenv("TMPDIR", path_.c_str(), 1);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Prints what is there. True: nothing is.
  [[nodiscard]] bool is_empty() const {
    bool empty = true;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::printf("a test left this in the folder for temporary files: %s\n", entry.path().filename().c_str());
      empty = false;
    }
    return empty;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  const TemporaryFolder temporary;
  const int failures = Catch::Session().run(argc, argv);
  if (failures != 0 || !temporary.is_empty()) return kFailedCode;  // the number of failures might be 77
  return cases != 0 && cases == skipped_cases ? kSkippedCode : 0;
}
