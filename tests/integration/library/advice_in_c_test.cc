// Advice of the library names the library's options, and a program that follows it goes on.
#include <string>
#include <vector>

#include "tests/integration/library/graphs.h"
#include "tests/integration/library/program.h"
#include "tests/support/catch.h"
#include "woa/woa.h"

namespace program {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Why the only instance of a run failed; empty if it did not.
std::string failure_of(const Compiled& compiled, std::uint64_t deadline_ns = 0) {
  Program program(compiled.plan, {});
  std::string text = "text";
  REQUIRE(program.submit(text, deadline_ns) == WOA_OK);
  char* json = nullptr;
  REQUIRE(woa_run_finish(program.run, &json) == WOA_OK);
  const std::string report = json, failure = program.failures.empty() ? "" : program.failures.begin()->second;
  woa_text_free(json);
  CHECK(!has(report, "--"));
  return failure;
}

woa_status compile(const std::string& graph, const std::vector<woa_option>& options, std::string& shown) {
  woa_plan* plan = nullptr;
  const auto note = [](void* user, const woa_diagnostic* problem) {
    *static_cast<std::string*>(user) += std::string(problem->text) + "\n" + problem->fix + "\n" + problem->shown;
  };
  const woa_status status =
      woa_compile("graph.yaml", graph.c_str(), options.data(), options.size(), note, &shown, &plan);
  woa_plan_free(plan);
  return status;
}

woa_status start(const Compiled& compiled, const std::vector<woa_option>& options) {
  const woa_run_setup setup{sizeof setup, options.data(), options.size(), nullptr, nullptr, nullptr};
  woa_run* run = nullptr;
  const woa_status status = woa_run_start(compiled.plan, &setup, &run);
  woa_run_free(run);
  return status;
}

}  // namespace

TEST_CASE("a deadline is raised where it was given") {
  const std::string late = failure_of(Compiled(kSlow, {{"deadline", "1ms"}}));
  CHECK(has(late, "raise option deadline or find the slow stage (option trace)"));
  CHECK(failure_of(Compiled(kSlow, {{"deadline", "1min"}})).empty());
  const Compiled unbounded(kSlow);
  CHECK(has(failure_of(unbounded, 1'000'000), "raise the deadline that it was submitted with or find the slow stage"));
  CHECK(has(failure_of(unbounded, 1), "raise the deadline that it was submitted with"));  // a stage finds it late
  CHECK(failure_of(unbounded, 60'000'000'000).empty());
}

TEST_CASE("advice of a graph's problems names options without dashes, and commands as they are") {
  const std::string small =
      "woa: 1\ngraph: g\ninputs: {x: {type: \"u8[h,w,3]\", max: 1KiB}}\n"
      "stages: {r: {kernel: resize_bilinear, params: {height: 4}, in: {image: x}}}\noutputs: {y: r.image}\n";
  std::string shown;
  CHECK(compile(small, {}, shown) == WOA_INVALID);
  CHECK(has(shown, "or give option `param r.width=VALUE`"));
  CHECK(!has(shown, "--"));
  CHECK(compile(small, {{"param", "r.width=4"}}, shown) == WOA_OK);
  CHECK(compile(kCopies, {{"buffers", "throughput"}}, shown) == WOA_INVALID);
  CHECK(message() ==
        "option buffers throughput: nothing is known of what stages take; measure the graph with `woa profile` and "
        "give option profile FILE");
}

TEST_CASE("advice of options that do not go together names them without dashes") {
  const Compiled compiled(kCopies);
  CHECK(start(compiled, {{"transport", "ofi"}}) == WOA_INVALID);
  CHECK(has(message(), "; use option processes per-controller"));
  CHECK(start(compiled, {{"no-payload-crc", "true"}}) == WOA_INVALID);
  CHECK(has(message(), "add option transport ofi, option lane or option nodes"));
  CHECK(start(compiled, {{"cores", "cpu:0=one"}}) == WOA_INVALID);
  CHECK(has(message(), "option cores: "));
  CHECK(start(compiled, {{"cores", "cpu:7=0"}}) == WOA_INVALID);
  CHECK(has(message(), "option cores cpu:7=0: the plan has no controller"));
  char* json = nullptr;
  REQUIRE(woa_options("compile", &json) == WOA_OK);
  CHECK(!has(json, "--"));
  woa_text_free(json);
}

}  // namespace program
