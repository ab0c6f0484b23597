// Files that are no graphs at all: each gets a clear diagnostic, quickly.
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

using test::codes;

std::string repeat(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("files that are not text") {
  CHECK(codes(std::string("woa: 1\0graph: x", 15)) == "E0103");
  CHECK(codes("woa: \xff\xfe") == "E0103");
  CHECK(codes("\xff\xfew\0o\0a\0") == "E0103");    // UTF-16
  CHECK(codes("a: \xc0\x80") == "E0103");          // overlong
  CHECK(codes("a: \xed\xa0\x80") == "E0103");      // a surrogate
  CHECK(codes("a: \xf4\x90\x80\x80") == "E0103");  // beyond Unicode
  CHECK(codes("a: \xe2\x82") == "E0103");          // cut
  CHECK(codes("a: \x1b[31m") == "E0103");
  CHECK(codes("a: \xc2\x9b"
              "31m") == "E0103");  // the same in Latin 1
  CHECK(codes("\x7f"
              "ELF") == "E0103");
}

const std::string kNoBreakSpace = "\xc2\xa0", kLineSeparator = "\xe2\x80\xa8", kMark = "\xef\xbb\xbf";
const std::string kSpacedGraph = test::graph_text("stages:\n  s: {kernel: copy, in: {in: x}}\noutputs: {y: s.out}\n");

// kSpacedGraph with `what` in place of `of`.
std::string spaced(const std::string& of, const std::string& what) {
  std::string text = kSpacedGraph;
  REQUIRE(text.find(of) != std::string::npos);
  return text.replace(text.find(of), of.size(), what);
}

// "CODE line:column text" of the one problem.
std::string only_problem(const std::string& text) {
  const Compilation result = compile_text(text, "graph.yaml", "", test::fixture_options());
  INFO(text << test::say(result));
  REQUIRE(result.diagnostics.size() == 1);
  const Diagnostic& found = result.diagnostics[0];
  return found.code + " " + std::to_string(found.line) + ":" + std::to_string(found.column) + " " + found.text;
}

TEST_CASE("no file has characters at which only some programs end a line") {
  for (const std::string& end :
       {kLineSeparator, std::string("\xe2\x80\xa9"), std::string("\xc2\x85"), std::string("\r")})
    CHECK(codes(spaced("\n", " # a comment" + end + "window: 1\n")) == "E0103");
  CHECK(only_problem(spaced("\n", " # a comment" + kLineSeparator + "window: 1\n")) ==
        "E0103 1:19 U+2028 (line separator) here, which editors do not show");
  CHECK(codes(spaced("\n", " # a comment\r\n")).empty());
}

TEST_CASE("a hidden character is named where a text without quotes has it") {
  CHECK(only_problem(spaced("  s: {", kNoBreakSpace + " s: {")) ==
        "E0104 5:1 U+00A0 (no-break space) here, which editors show as a blank");
  CHECK(only_problem(spaced("stages:", "stages:" + kNoBreakSpace)) ==
        "E0104 4:8 U+00A0 (no-break space) here, which editors show as a blank");
  CHECK(only_problem(spaced("kernel: copy",
                            "kernel: \xe2\x80\x8b"
                            "copy")) == "E0104 5:15 U+200B (zero-width space) here, which editors do not show");
  CHECK(only_problem(spaced("outputs: {", "outputs: {\xe3\x80\x80")) ==
        "E0104 6:11 U+3000 (ideographic space) here, which editors show as a blank");
  CHECK(only_problem(spaced("outputs:", "\"outputs\"\xe2\x80\x8d:")) ==
        "E0104 6:10 U+200D (zero-width joiner) here, which editors do not show");
  CHECK(only_problem(kMark + kMark + kSpacedGraph) ==
        "E0103 1:1 U+FEFF (byte order mark) here, which editors do not show");
}

TEST_CASE("each hidden character is reported at once, and nothing that follows from it") {
  CHECK(codes(spaced("stages:", "window:" + kNoBreakSpace + "3\ndeadline: " + kNoBreakSpace + "2s\nstages:")) ==
        "E0104");
  CHECK(codes(spaced("stages:", "window: " + kNoBreakSpace + "3\ndeadline: " + kNoBreakSpace + "2s\nstages:")) ==
        "E0104 E0104");
}

TEST_CASE("comments and quoted texts may have hidden characters, and a message shows their number") {
  CHECK(codes(spaced("\n", " # a" + kNoBreakSpace + "comment\n")).empty());
  CHECK(only_problem(spaced("kernel: copy", "kernel: \"" + kNoBreakSpace + "copy\"")) ==
        "E0116 5:15 `<U+00A0>copy` cannot be the name of a kernel");
  CHECK(only_problem(spaced("kernel: copy",
                            "kernel: co\xe2\x80\x8d"
                            "py")) == "E0116 5:15 `co<U+200D>py` cannot be the name of a kernel");
}

TEST_CASE("empty files") {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "~", "\xef\xbb\xbf"}) {
    INFO(text);
    CHECK(codes(text) == "E0105");
  }
}

TEST_CASE("a byte order mark and CRLF are no problem") {
  const std::string graph = test::graph_text("stages:\n  s: {kernel: copy, in: {in: x}}\noutputs: {y: s.out}\n");
  CHECK(codes("\xef\xbb\xbf" + graph).empty());
  std::string crlf;
  for (const char c : graph) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(codes(crlf).empty());
}

// Code, column and text of each problem with `text` as the value of a parameter that has choices.
std::string complaint_of(const std::string& text) {
  const std::string body =
      "stages:\n  d: {kernel: decode, in: {jpeg: x}}\n  s: {kernel: resize, in: {image: d.image}, params: {filter: " +
      text + ", clamp: 7, width: 4}}\noutputs: {y: s.image}\n";
  const Compilation result = compile_text(test::graph_text(body), "graph.yaml", "folder", test::fixture_options());
  std::string all;
  for (const Diagnostic& diagnostic : result.diagnostics)
    all += diagnostic.code + ":" + std::to_string(diagnostic.column) + ": " + diagnostic.text + "\n";
  return all;
}

TEST_CASE("a pair of JSON's escapes is one character, in double quotes alone") {
  const std::string start = "E0505:62: parameter `filter` is `", end = "`, expected one of `bilinear` and `nearest`\n";
  const auto then = [](int column) {
    return "E0503:" + std::to_string(column) + ": parameter `clamp` is `7`, expected a value of type bool\n";
  };
  const std::string pair = R"(\ud83d\ude00)", large = R"(\uD83D\uDE00)";
  CHECK(complaint_of('"' + pair + '"') == start + "\xf0\x9f\x98\x80" + end + then(85));
  CHECK(complaint_of('"' + pair + large + '"') == start + "\xf0\x9f\x98\x80\xf0\x9f\x98\x80" + end + then(97));
  CHECK(complaint_of("'" + large + pair + "'") == start + large + pair + end + then(97));
  CHECK(complaint_of(large) == start + large + end + then(83));
  CHECK(complaint_of("\"\\\\ud83d\"") == start + "\\ud83d" + end + then(80));
  CHECK(complaint_of(R"("\ue000\ud83d\ude00\ue001")") ==
        start + "\xee\x80\x80\xf0\x9f\x98\x80\xee\x80\x81" + end + then(97));
}

TEST_CASE("half of a pair of escapes is no character") {
  for (const char* half :
       {R"("\ud83d")", R"("\ude00")", R"("\ude00\ud83d")", R"("\ud83d\ud83d")", R"("\\ud83d\ude00")"}) {
    INFO(half);
    CHECK(complaint_of(half).find("half of a pair (`\\ud83d`)") != std::string::npos);
  }
}

TEST_CASE("large files are refused at once") {
  CHECK(codes(repeat("x", 20'000'000)) == "E0102");
  CHECK(codes(repeat("- a\n", 1'000'000)) == "E0112");
}

TEST_CASE("hostile YAML ends with one diagnostic") {
  CHECK(codes("a: &a [1]\nb: *a\n") == "E0107");
  CHECK(codes("a: *nowhere\n") == "E0107");
  CHECK(codes(repeat("[", 1'000'000)) == "E0108");
  CHECK(codes(repeat("{", 1'000'000)) == "E0108");
  CHECK(codes(repeat("- ", 1'000'000)) == "E0108");
  CHECK(codes(repeat("? ", 100'000)) == "E0108");
  CHECK(codes("woa: 1\n---\nwoa: 1\n") == "E0106");
  CHECK(codes("woa: 1\n...\n}{") == "E0104");
  CHECK(codes("%YAML 9.9\n---\nwoa: 1\n") == "E0104");
  CHECK(codes("{woa: 1") == "E0104");
  CHECK(codes("woa: \"1") == "E0104");
  CHECK(codes("woa: !!int 1") == "E0114");
  CHECK(codes("[1]: 2") == "E0112");
}

TEST_CASE("every anchor and every tag is reported at once, an alias with its anchor") {
  CHECK(codes("a: &a [1]\nb: &b {c: *a, *a : *b}\nd: *nowhere\n") == "E0107 E0107 E0107");
  CHECK(codes("a: !!int 1\nb: !x [!!str y]\n") == "E0114 E0114 E0114");
  CHECK(codes("a: &a !!int 1\n{") == "E0107 E0114 E0104");
  std::string many;
  for (int k = 0; k < 1000; ++k) many += "k" + std::to_string(k) + ": &a" + std::to_string(k) + " 1\n";
  CHECK(compile_text(many, "graph.yaml", "", {}).diagnostics.size() <= 101);
}

TEST_CASE("no text of the YAML library reaches the user") {
  for (const char* text :
       {"{", "[", "a: b: c", "a:\n\t- b", "\"", "'", "@", "`", "%", "!<", "&", "*", "- a\nb", "a: |x", "? - :", "}"}) {
    const Compilation result = compile_text(text, "graph.yaml", "", {});
    INFO(text << "\n" << test::say(result));
    REQUIRE_FALSE(result.diagnostics.empty());
    for (const char* theirs : {"yaml-cpp", "libyaml", "while scanning", "while parsing", "did not find",
                               "could not find", "found ", "not allowed in this context"}) {
      CHECK(test::say(result).find(theirs) == std::string::npos);
    }
  }
}

TEST_CASE("many problems are counted, not all shown") {
  std::string text = test::graph_text("stages:\n");
  for (int i = 0; i < 1000; ++i)
    text += "  s" + std::to_string(i) + ": {kernel: none" + std::to_string(i) + ", in: {in: x}}\n";
  const Compilation result = compile_text(text, "graph.yaml", "", test::fixture_options());
  REQUIRE(result.diagnostics.size() == 101);
  CHECK(result.diagnostics.back().code == "E0118");
}

TEST_CASE("columns count characters, and a caret stands under its place") {
  const Compilation result =
      compile_text(test::graph_text("stages:\n  s: {kernel: \"\xc3\xa4\", kernle: copy}\n"), "graph.yaml", "", {});
  REQUIRE(result.diagnostics.size() == 2);
  const std::string text = format(result.diagnostics[1], false);
  INFO(text);
  CHECK(result.diagnostics[1].line == 5);
  CHECK(result.diagnostics[1].column == 20);
  CHECK(text.find("\n" + std::string(2 + 19, ' ') + "^~~~~~\n") != std::string::npos);
  CHECK(format(result.diagnostics[1], true).find("\033[") != std::string::npos);
}

}  // namespace
}  // namespace woa
