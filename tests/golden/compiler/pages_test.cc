// docs/diagnostics.md: a page for each problem, whose examples are what it says. In a block of `diff` the lines with
// `-` are wrong, those with `+` mend them; a block of `yaml NAME` stands beside it in both.
#include "compiler/diagnostics/pages.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
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

// The files of one side of an example, by name.
using ExampleFiles = std::map<std::string, std::string>;

struct Example {
  ExampleFiles wrong, mended;
};

void add_line(Example& example, const std::string& file, const std::string& line, bool diff) {
  REQUIRE(!(diff && line.empty()));
  const char side = diff ? line[0] : ' ';
  const std::string text = (diff ? line.substr(1) : line) + "\n";
  REQUIRE((side == ' ' || side == '-' || side == '+'));
  if (side != '+') example.wrong[file] += text;
  if (side != '-') example.mended[file] += text;
}

// All blocks of a page together; empty if there are none.
Example example_of(std::string_view page) {
  Example example;
  std::istringstream lines{std::string(page)};
  bool inside = false, diff = false;
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("```")) {
      if (inside) add_line(example, file, line, diff);
      continue;
    }
    inside = !inside;
    if (!inside) continue;
    std::istringstream words(line.substr(3));
    std::string kind;
    file = "graph.yaml";
    words >> kind >> file;
    if (file.empty()) file = "graph.yaml";
    diff = kind == "diff";
    REQUIRE((diff || kind == "yaml"));
    example.wrong[file], example.mended[file];
  }
  CHECK_FALSE(inside);
  return example;
}

class ExampleFolder {
 public:
  ExampleFolder() {
    std::string name = (fs::temp_directory_path() / "woa-pages-XXXXXX").string();
    path_ = fs::canonical(::mkdtemp(name.data()));
  }
  ~ExampleFolder() { fs::remove_all(path_); }
  ExampleFolder(const ExampleFolder&) = delete;
  ExampleFolder& operator=(const ExampleFolder&) = delete;

  Compilation compile(const ExampleFiles& files) const {
    for (const char* name : {"kernel.yaml", "machine.yaml"}) {
      fs::remove(path_ / name);
      if (files.contains(name)) std::ofstream(path_ / name) << files.at(name);
    }
    CompileOptions options;
    options.kernel_path = {fs::path(WOA_SOURCE_DIR) / "kernels"};
    if (files.contains("machine.yaml")) options.machine = path_ / "machine.yaml";
    const std::string kernels = files.contains("kernel.yaml") ? "kernels: [kernel.yaml]\n" : "";
    const std::string plain = "woa: 1\ngraph: example\n" + kernels +
                              "inputs: {x: {type: bytes, max: 1MiB}}\nstages:\n  s: {kernel: copy, in: {data: x}}\n"
                              "outputs: {y: s.data}\n";
    return compile_text(files.contains("graph.yaml") ? files.at("graph.yaml") : plain, "graph.yaml", path_, options);
  }

 private:
  fs::path path_;
};

std::string all_texts(const Compilation& result) {
  std::string text;
  for (const Diagnostic& diagnostic : result.diagnostics) text += format(diagnostic, false);
  return text;
}

TEST_CASE("every problem has a page, and there are no others", "[golden]") {
  std::ifstream stream(fs::path(WOA_SOURCE_DIR) / "docs/diagnostics.md");
  std::vector<std::string> listed;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ")) listed.push_back(line.substr(3, line.find(':') - 3));
  }
  CHECK(std::vector<std::string>(problem::kAll.begin(), problem::kAll.end()) == listed);
  for (const std::string_view code : problem::kAll) {
    INFO(code);
    const auto page = problem_page(code);
    REQUIRE(page.has_value());
    CHECK_FALSE(page->title.empty());
    CHECK(page->text.find("*Fix:*") != std::string_view::npos);
    CHECK(page->text.find("\n# ") == std::string_view::npos);
  }
  CHECK_FALSE(problem_page("").has_value());
  CHECK_FALSE(problem_page("E0000").has_value());
  CHECK_FALSE(problem_page("# Diagnostics").has_value());
}

TEST_CASE("what a page's example shows as wrong has that problem and no other, and what it shows as mended compiles",
          "[golden]") {
  const ExampleFolder folder;
  std::size_t examples = 0;
  for (const std::string_view code : problem::kAll) {
    INFO(code);
    const Example example = example_of(problem_page(code).value().text);
    if (example.wrong.empty()) continue;
    ++examples;
    const Compilation wrong = folder.compile(example.wrong), mended = folder.compile(example.mended);
    INFO(all_texts(wrong) << "mended:\n" << all_texts(mended));
    std::set<std::string_view> codes;
    for (const Diagnostic& diagnostic : wrong.diagnostics) codes.insert(diagnostic.code);
    CHECK(codes == std::set<std::string_view>{code});
    CHECK(mended.plan.has_value());
  }
  CHECK(examples >= 50);
}

TEST_CASE("a code is E and digits", "[golden]") {
  for (const char* code : {"E0101", "e0101", "E1", "E00000001"}) CHECK(is_problem_code(code));
  for (const char* path : {"", "E", "E0101.yaml", "./E0101", "0101", "F0101", "E01 01", "plan"})
    CHECK_FALSE(is_problem_code(path));
}

}  // namespace
}  // namespace woa
