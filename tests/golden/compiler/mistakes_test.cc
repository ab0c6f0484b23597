// One mistake brings one message: every example of `graphs/`, with one character or one line too few.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  REQUIRE_FALSE(text.str().empty());
  return text.str();
}

// Whatever lies there, in the order of names.
std::vector<fs::path> examples() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(WOA_SOURCE_DIR) / "graphs")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Diagnostic> problems(const std::string& text) {
  CompileOptions options;
  options.kernel_path = {fs::path(WOA_SOURCE_DIR) / "kernels"};
  return compile_text(text, "graph.yaml", fs::path(WOA_SOURCE_DIR) / "graphs", options).diagnostics;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Each text without its comments in which one word lacks its second letter, or one sign of YAML is missing.
std::vector<std::string> with_a_slip(const std::string& text) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const std::size_t line = text.rfind('\n', i - 1) + 1;
    if (text.substr(line, i - line).find('#') != std::string::npos) continue;
    const bool second = is_word(text[i]) && is_word(text[i - 1]) && (i == 1 || !is_word(text[i - 2]));
    if (second || std::string("{}[]:,\"").find(text[i]) != std::string::npos) {
      texts.push_back(text.substr(0, i) + text.substr(i + 1));
    }
  }
  return texts;
}

// But not without the line between inputs and stages: where inputs stand one to a line, stages then are inputs.
std::vector<std::string> with_a_line_too_few(const std::string& text) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    if (text.substr(begin, end - begin) != "stages:\n" || text.find("\ninputs:\n") == std::string::npos)
      texts.push_back(text.substr(0, begin) + text.substr(end));
    begin = end;
  }
  return texts;
}

std::string text_of(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += format(diagnostic, false);
  return text;
}

TEST_CASE("a slip of the pen brings one message at most", "[golden]") {
  std::size_t seen = 0, noticed = 0;
  for (const fs::path& file : examples()) {
    const std::string text = text_of(file);
    REQUIRE(problems(text).empty());
    for (const std::string& wrong : with_a_slip(text)) {
      const std::vector<Diagnostic> found = problems(wrong);
      INFO(file.filename().string() << "\n" << wrong << text_of(found));
      CHECK(found.size() <= 1);
      ++seen;
      noticed += found.size();
    }
  }
  CHECK(seen >= 1000);
  CHECK(noticed >= seen * 9 / 10);  // some change a name that nothing reads, or a number
}

TEST_CASE("a line too few brings one message at most", "[golden]") {
  std::size_t noticed = 0;
  for (const fs::path& file : examples()) {
    for (const std::string& wrong : with_a_line_too_few(text_of(file))) {
      const std::vector<Diagnostic> found = problems(wrong);
      INFO(file.filename().string() << "\n" << wrong << text_of(found));
      CHECK(found.size() <= 1);
      noticed += found.size();
    }
  }
  CHECK(noticed >= 50);
}

}  // namespace
}  // namespace woa
