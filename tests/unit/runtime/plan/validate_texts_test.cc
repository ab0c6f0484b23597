// A plan that was made by hand names nothing that a terminal would take for commands, and a message about it does not.
#include <functional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/runtime/plan/sample_plan.h"

namespace woa {
namespace {

struct Text {
  const char* place;
  std::function<std::string&(Plan&)> of;
};

const std::vector<Text>& texts() {
  static const std::vector<Text> all{
      {"graph", [](Plan& p) -> std::string& { return p.graph; }},
      {"model", [](Plan& p) -> std::string& { return p.model; }},
      {"controllers[1].name", [](Plan& p) -> std::string& { return p.controllers[1].name; }},
      {"controllers[1].backend", [](Plan& p) -> std::string& { return p.controllers[1].backend; }},
      {"stages[2].name", [](Plan& p) -> std::string& { return p.stages[2].name; }},
      {"stages[2].kernel", [](Plan& p) -> std::string& { return p.stages[2].kernel; }},
      {"stages[2].variant.kind", [](Plan& p) -> std::string& { return p.stages[2].variant.kind; }},
      {"stages[2].variant.entry", [](Plan& p) -> std::string& { return p.stages[2].variant.entry; }},
      {"stages[2].variant.core", [](Plan& p) -> std::string& { return p.stages[2].variant.core; }},
      {"stages[2].variant.global[0].name", [](Plan& p) -> std::string& { return p.stages[2].variant.global[0]; }},
      {"stages[2].declaration", [](Plan& p) -> std::string& { return p.stages[2].declaration; }},
      {"stages[2].params[1].name", [](Plan& p) -> std::string& { return p.stages[2].params[1].name; }},
      {"stages[2].params[2].secret_env", [](Plan& p) -> std::string& { return p.stages[2].params[2].secret_env; }},
      {"stages[2].inputs[1].name", [](Plan& p) -> std::string& { return p.stages[2].inputs[1].name; }},
      {"stages[2].outputs[0].type.element",
       [](Plan& p) -> std::string& { return p.stages[2].outputs[0].type.element; }},
      {"stages[0].outputs[0].type.dims[0].name",
       [](Plan& p) -> std::string& { return p.stages[0].outputs[0].type.dims[0].name; }},
      {"loops[0].name", [](Plan& p) -> std::string& { return p.loops[0].name; }},
      {"edges[1].lane", [](Plan& p) -> std::string& { return p.edges[1].lane; }}};
  return all;
}

void refuse(const Plan& plan, const std::string& place) {
  const Status status = validate(plan);
  INFO("expected: " << place << "\nfound: " << status.message());
  CHECK(status.code() == Code::kInvalid);
  CHECK(status.message().starts_with("plan: " + place + " has a control character"));
  for (const char c : status.message()) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("no text that is shown may have control characters") {
  for (const Text& text : texts()) {
    Plan plan = test::sample_plan();
    text.of(plan) += "\x1b[2J";
    refuse(plan, text.place);
  }
}

TEST_CASE(
    "control characters are those of ASCII and Latin 1, those that set the direction of writing, and whatever is no "
    "UTF-8") {
  for (const std::string& bad : {std::string(1, '\0'), std::string("\n"), std::string("\x7f"),
                                 std::string("\x9b"
                                             "2J"),
                                 std::string("\xc2\x9b"), std::string("\xc3"), std::string("\xc0\x9b"),
                                 std::string("\xe2\x82"), std::string("\xe0\x82\x9b"), std::string("\xed\xa0\x80"),
                                 std::string("\xe2\x80\xae"), std::string("\xe2\x81\xa7")}) {
    Plan plan = test::sample_plan();
    plan.graph = bad;
    refuse(plan, "graph");
  }
  for (const char* good : {"a b",
                           "gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe2\x86\x92", "\xf0\x9f\x99\x82", "\xc2\xa0"}) {
    Plan plan = test::sample_plan();
    plan.graph = good;
    CHECK(validate(plan).message() == "");
  }
}

TEST_CASE("paths and values are no names") {
  Plan plan = test::sample_plan();
  StagePlan& stage = plan.stages[2];
  stage.kernel_file += "\n", stage.library += "\x1b", stage.variant.source += "\xff", stage.params[1].value = "a\nb";
  CHECK(validate(plan).message() == "");
}

}  // namespace
}  // namespace woa
