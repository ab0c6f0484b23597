#include "compiler/diagnostics/report.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

TEST_CASE("a note has its own place and line, also in another file") {
  Report report;
  const std::uint32_t a = report.add_source("a.yaml", "first\nsecond\n"), b = report.add_source("b.yaml", "\tthird\n");
  report.error("E0000", {a, 2, 1, 6}, "twice", "remove one", {{{b, 1, 2, 5}, "the other"}});
  const std::vector<Diagnostic> out = report.take();
  REQUIRE(out.size() == 1);
  CHECK(format(out[0], false) ==
        "a.yaml:2:1: error[E0000]: twice\n  second\n  ^~~~~~\n  fix: remove one\n"
        "b.yaml:1:2: note: the other\n  \tthird\n  \t^~~~~\n");
}

TEST_CASE("a hidden line is quoted neither by an error nor by a note, whichever came first") {
  Report report;
  const std::uint32_t source = report.add_source("a.yaml", "key: 0123\nplain\n");
  report.error("E0000", {source, 1, 6, 4}, "an error", "a fix", {{{source, 1, 1, 3}, "a note"}});
  report.hide_line({source, 1, 6, 4});
  const std::string text = format(report.take().at(0), false);
  CHECK(text == "a.yaml:1:6: error[E0000]: an error\n  fix: a fix\na.yaml:1:1: note: a note\n");
}

TEST_CASE("of a long line the part around the place is shown") {
  Report report;
  const std::string left(1000, 'l'), right(1000, 'r');
  const std::uint32_t source = report.add_source("a.yaml", left + "here" + right);
  report.error("E0000", {source, 1, 1001, 4}, "far", "");
  const Diagnostic out = report.take().at(0);
  CHECK(out.column == 1001);
  CHECK(out.length == 4);
  CHECK(out.source_line.size() < 300);
  CHECK(out.source_line.substr(out.caret, 4) == "here");
  CHECK(format(out, false).find("\n  " + std::string(out.caret, ' ') + "^~~~\n") != std::string::npos);
}

TEST_CASE("a long line is not cut within a character") {
  for (std::size_t shift = 0; shift < 3; ++shift) {
    Report report;
    std::string text(shift, 'a');
    while (text.size() < 1500) text += "\xe2\x82\xac";  // the euro sign
    const std::uint32_t source = report.add_source("a.yaml", text);
    report.error("E0000", {source, 1, static_cast<std::uint32_t>(shift + 300 * 3 + 1), 3}, "x", "");
    const Diagnostic out = report.take().at(0);
    CHECK(out.column == shift + 301);
    CHECK(out.length == 1);
    REQUIRE(out.source_line.size() > 3);
    CHECK(out.source_line.substr(0, 3) == "...");
    CHECK(out.source_line.substr(3).size() % 3 == 0);
    CHECK(out.source_line.substr(3, 3) == "\xe2\x82\xac");
  }
}

TEST_CASE("the nearest name") {
  CHECK(nearest("cpoy", {"join", "copy"}) == "copy");
  CHECK(nearest("Copy", {"copy"}) == "copy");
  CHECK(nearest("GPU", {"cpu", "gpu"}) == "gpu");
  CHECK(nearest("input", {"kernel", "in", "on"}) == "in");
  CHECK(nearest("parameters", {"params"}) == "params");
  CHECK(nearest("sharpen", {"shrapnel_of_war", "sharpen3x3"}) == "sharpen3x3");
  for (const char* far : {"x", "s", "", "frobnicate", "zzz"}) CHECK(nearest(far, {"a", "copy", "join2"}).empty());
}

TEST_CASE("a file that is no text is not shown on the terminal") {
  const auto out = compile_text("woa: \x1b[31m\n", "graph.yaml", "folder", test::fixture_options()).diagnostics;
  REQUIRE(out.size() == 1);
  CHECK(out[0].code == problem::kNotText);
  CHECK(out[0].source_line.empty());
}

}  // namespace
}  // namespace woa
