// Files that a compilation with measured times reads.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/unit/compiler/fixture.h"

namespace woa::test {

namespace fs = std::filesystem;

// A machine file and a profile, removed with this object.
class MeasuredFiles {
 public:
  MeasuredFiles() : folder_(fs::temp_directory_path() / ("woa-costs-" + std::to_string(std::random_device()()))) {
    fs::create_directory(folder_);
  }
  ~MeasuredFiles() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  MeasuredFiles(const MeasuredFiles&) = delete;
  MeasuredFiles& operator=(const MeasuredFiles&) = delete;

  // Adds a kernel to all that options() returns from now on. `text` follows `name: NAME`.
  void add_kernel(const std::string& name, const std::string& text) {
    fs::create_directories(folder_ / "kernels" / name);
    write("kernels/" + name + "/kernel.yaml", "woa_kernel: 1\nname: " + name + "\nlibrary: libnone.so\n" + text);
  }
  // Options for `graph`; `measured` begins at `stages:`.
  CompileOptions options(const std::string& graph, const std::string& machine, const std::string& measured) {
    CompileOptions options = test::fixture_options();
    options.kernel_path.push_back(std::string(WOA_SOURCE_DIR) + "/tests/support/kernels");
    options.kernel_path.push_back(folder_ / "kernels");
    const Compilation checked = compile_text(graph, "graph.yaml", "folder", options);
    options.machine = write("machine.yaml", "woa_machine: 1\n" + machine);
    options.profile =
        write("profile.yaml", "woa_profile: 1\ngraph: test\ngraph_hash: \"" + checked.facts.hash + "\"\n" + measured);
    return options;
  }

 private:
  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

}  // namespace woa::test
