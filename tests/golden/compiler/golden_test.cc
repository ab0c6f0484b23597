// Every folder here with a graph.yaml is a case: what the compiler says of it is in expected.txt. WOA_REWRITE_GOLDEN=1
// writes these files anew; read the difference before you keep it.
//
// Beside graph.yaml a case may have machine.yaml, profile.yaml, kernel.yaml files that its graph names, and options.txt
// with lines `param STAGE.NAME=VALUE`, `window N`, `objective NAME`, `copies N`, `max-latency PS`, `max-period PS`,
// `max-price N` or `max-power MILLIWATTS`.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/diagnostics/problems.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(WOA_SOURCE_DIR) / "tests/golden/compiler";

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (fs::exists(entry.path() / "graph.yaml")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

CompileOptions options_of(const fs::path& folder) {
  CompileOptions options;
  options.kernel_path = {kFolder / "kernels"};
  if (fs::exists(folder / "machine.yaml")) options.machine = folder / "machine.yaml";
  if (fs::exists(folder / "profile.yaml")) options.profile = folder / "profile.yaml";
  std::ifstream lines(folder / "options.txt");
  for (std::string word, value; lines >> word >> value;) {
    if (word == "window") options.window = static_cast<std::uint32_t>(std::stoul(value));
    if (word == "objective") options.goal.objective = value;
    if (word == "max-latency") options.goal.most_latency_ps = std::stoull(value);
    if (word == "max-period") options.goal.most_period_ps = std::stoull(value);
    if (word == "copies") options.goal.copies = static_cast<std::uint32_t>(std::stoul(value));
    if (word == "max-price") options.goal.most_price = std::stoull(value);
    if (word == "max-power") options.goal.most_power_mw = std::stoull(value);
    if (word == "param") options.params[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
  }
  return options;
}

// Without the folder that the tree happens to lie in.
std::string without_folder(std::string text, const fs::path& folder) {
  for (const std::string& prefix : {folder.string() + "/", kFolder.string() + "/"}) {
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
  }
  return text;
}

Compilation compile_folder(const fs::path& folder) {
  return compile_text(read(folder / "graph.yaml"), "graph.yaml", folder, options_of(folder));
}

std::string compile_case(const fs::path& folder) {
  const Compilation result = compile_folder(folder);
  std::string text = result.plan ? "accepted\n" : "";
  for (const Diagnostic& diagnostic : result.diagnostics) text += format(diagnostic, false);
  return without_folder(text, folder);
}

TEST_CASE("the compiler says what expected.txt says", "[golden]") {
  const bool rewrite = std::getenv("WOA_REWRITE_GOLDEN") != nullptr;
  const std::vector<fs::path> all = cases();
  for (const fs::path& folder : all) {
    INFO("case " << folder.filename().string());
    const std::string said = compile_case(folder);
    if (rewrite) std::ofstream(folder / "expected.txt", std::ios::binary) << said;
    CHECK(said == read(folder / "expected.txt"));
  }
}

TEST_CASE("at least 80 cases show at least 50 codes", "[golden]") {
  std::size_t refused = 0;
  std::set<std::string> codes;
  for (const fs::path& folder : cases()) {
    const std::vector<Diagnostic> diagnostics = compile_folder(folder).diagnostics;
    if (!diagnostics.empty()) ++refused;
    for (const Diagnostic& diagnostic : diagnostics) codes.insert(diagnostic.code);
  }
  CHECK(refused >= 80);
  CHECK(codes.size() >= 50);
}

TEST_CASE("every problem has its place, its line and a fix, in words of our own", "[golden]") {
  const std::set<std::string_view> whole_file{problem::kEmptyFile, problem::kNoGraphInput, problem::kNoGraphOutput,
                                              problem::kNoPlacement};
  for (const fs::path& folder : cases()) {
    for (const Diagnostic& diagnostic : compile_folder(folder).diagnostics) {
      INFO("case " << folder.filename().string() << ": " << format(diagnostic, false));
      CHECK(!diagnostic.text.empty());
      CHECK(!diagnostic.fix.empty());
      for (const char* foreign :
           {"yaml-cpp", "libyaml", "bad conversion", "std::", "filesystem", "what()", "terminate"}) {
        CHECK(format(diagnostic, false).find(foreign) == std::string::npos);
      }
      if (diagnostic.file == kCommandLine || whole_file.contains(diagnostic.code)) continue;
      CHECK(diagnostic.line != 0);
      const bool secret = diagnostic.code == problem::kSecretParam;
      CHECK(diagnostic.source_line.empty() == secret);
    }
  }
}

TEST_CASE("a case shows every problem", "[golden]") {
  // Some need a file too large or too strange to keep in the tree, one is a warning that a command asks for; unit tests
  // show them.
  const std::set<std::string_view> elsewhere{problem::kCannotRead, problem::kFileTooLarge,    problem::kNotText,
                                             problem::kTooMany,    problem::kTooComplex,      problem::kBadPlan,
                                             problem::kBadOption,  problem::kTooManyIncludes, problem::kNotBuilt};
  std::string shown;
  for (const fs::path& folder : cases()) shown += read(folder / "expected.txt");
  for (const std::string_view code : problem::kAll) {
    INFO(code);
    if (!elsewhere.contains(code)) CHECK(shown.find("error[" + std::string(code) + "]") != std::string::npos);
  }
}

}  // namespace
}  // namespace woa
