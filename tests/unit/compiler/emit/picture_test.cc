// Pictures of plans: everything is named in them, whatever it is called, and edges show what goes over them.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/predict/traffic.h"
#include "runtime/base/child_process.h"
#include "runtime/call_models/call_model.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/support/plan_builder.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kLimit_ns = 60'000'000'000;

// source -> first (cpu:0) -> relay (host) -> second (cpu:1) -> sink; the first fires three times, and sends 5000 bytes.
CertifiedPlan relayed_plan() {
  PlanBuilder builder(1, 1);
  const std::uint32_t first = builder.stage("first", "copy", "cpu:0"),
                      second = builder.stage("second", "copy", "cpu:1"),
                      relay = builder.stage("second.call", "", "host");
  builder.raw().stages[relay].role = StageRole::kRelay;
  builder.edge(kSourceStage, 0, first, 0);
  builder.edge(first, 0, relay, 0);
  builder.edge(second, 0, kSinkStage, 0);
  builder.edge(relay, 0, second, 0);
  CertifiedPlan plan(builder.build());
  Certificate certificate;
  certificate.status = "proved";
  certificate.value_ps = 12'500'000;
  certificate.placement = {0, 0, 1, 2};
  CostTable& costs = certificate.costs;
  for (const ControllerPlan& controller : plan.controllers) costs.components.push_back({controller.name, 1, {}, {}});
  costs.stages = {{{0, kNowhere_ps, kNowhere_ps}, kPerMillion, {}},
                  {{0, kNowhere_ps, kNowhere_ps}, kPerMillion, {}},
                  {{kNowhere_ps, 2'000'000, 9}, 3 * kPerMillion, {}},
                  {{kNowhere_ps, 9, 4'000'000}, kPerMillion, {}}};
  costs.edges = {
      {0, 2, kPerMillion, 0}, {2, 3, 3 * kPerMillion, 5000 * kPerMillion}, {3, 1, kPerMillion / 2, 100 * kPerMillion}};
  plan.certificate = certificate;
  return plan;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// An edge's text is a node on its way. The reader may stand left of the writer.
bool has_edge(const std::string& dot, const std::string& from, const std::string& name, const std::string& to,
              const std::string& text) {
  const bool forward = has(dot, from + " -> " + name + " [dir=none") && has(dot, name + " -> " + to + " [dir=forward");
  const bool back = has(dot, to + " -> " + name + " [dir=back") && has(dot, name + " -> " + from + " [dir=none");
  return has(dot, name + " [label=\"" + text + "\",") && forward != back;
}

// Lines of text in an SVG picture, as an independent reader of XML finds them.
std::vector<std::string> lines_of(const std::string& svg) {
  const char* const kReader =
      "import sys, xml.etree.ElementTree as tree\n"
      "for text in tree.parse(sys.stdin.buffer).iter('{http://www.w3.org/2000/svg}text'):\n"
      "    sys.stdout.buffer.write(text.text.replace('\\u00a0', ' ').encode() + b'\\n')\n";
  const auto lines = run_program({"python3", "-c", kReader}, svg, kLimit_ns);
  if (lines.status().code() == Code::kNotFound) skip("python3", "install python3");
  INFO(lines.status().message());
  REQUIRE(lines.ok());
  std::vector<std::string> all;
  std::istringstream stream(*lines);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::string svg_of(const CertifiedPlan& plan) {
  const auto svg = run_program({"dot", "-Tsvg"}, to_dot(plan), kLimit_ns);
  if (svg.status().code() == Code::kNotFound) skip("dot", "install graphviz");
  INFO(svg.status().message());
  REQUIRE(svg.ok());
  return *svg;
}

std::vector<std::string> lines_of(const CertifiedPlan& plan) { return lines_of(svg_of(plan)); }

}  // namespace

TEST_CASE("a picture shows what an instance sends and what stages take, by way of relays, too") {
  const std::string dot = to_dot(relayed_plan());
  INFO(dot);
  CHECK(has(dot, "one instance takes 12.5 us by the profile (proved)"));
  CHECK(has(dot, "label=\"cpu:0 (function)\\n6 us\""));
  CHECK(has(dot, "s2 [label=\"first\\ncopy\\n6 us\""));
  CHECK(has_edge(dot, "s2", "e1", "s4", "out0 > in0\\nbytes\\n4 blocks\\n3 messages, 4.883 KiB"));
  CHECK(has_edge(dot, "s4", "e3", "s3", "out0 > in0\\nbytes\\n4 blocks\\n3 messages, 4.883 KiB"));
  CHECK(has(dot, "0.5 messages, 100 B"));
  CHECK(has(dot, "what an instance sends"));
  CHECK(has(dot, "penwidth=3.6"));
  CHECK_FALSE(has(dot, "gray45"));
}

TEST_CASE("a controller that is simulated is called so") {
  CertifiedPlan plan = relayed_plan();
  plan.controllers[2] = make_controller("fpga:0", *find_backend("verilator"));
  const std::string dot = to_dot(plan);
  CHECK(has(dot, "label=\"cpu:0 (function)\\n"));
  CHECK(has(dot, "label=\"fpga:0 (verilator, simulated)\\n"));
}

TEST_CASE("what is dashed is named by what there is") {
  CertifiedPlan plan = relayed_plan();
  CHECK_FALSE(has(to_dot(plan), "dashed"));
  plan.edges[1].count = true;
  CHECK(has(to_dot(plan), "\\ndashed: the number of elements\""));
  CHECK(has(to_dot(plan), "e1 [label=\"count\\n3 messages"));
  plan.stages[3].inputs[0].hold = true;
  CHECK(has(to_dot(plan), "\\ndashed: held, or the number of elements\""));
  plan.model = "rpc-polled";
  CHECK(has(to_dot(plan), "\\ndashed: held, or a signal of the call model\""));
  CHECK(has(to_dot(plan), "e1 [label=\"signal\\n3 messages"));
  plan.edges[1].count = false;
  CHECK(has(to_dot(plan), "\\ndashed: held\""));
}

TEST_CASE("within a controller there are no messages") {
  CertifiedPlan plan = relayed_plan();
  plan.stages[3].controller = 0;  // with the relay
  const std::string dot = to_dot(plan);
  CHECK(has_edge(dot, "s4", "e3", "s3", "out0 > in0\\nbytes\\n4 blocks\\n3 tokens, 4.883 KiB"));
  CHECK(has(dot, "gray: within a controller"));
  CHECK(has(dot, "gray45"));
}

TEST_CASE("a polled call's poll, answer and request are a signal for each token, without payload") {
  CertifiedPlan woa = relayed_plan();
  woa.stages.pop_back(), woa.edges.pop_back();
  woa.edges[1].to_stage = 3;
  woa.certificate->goal.model = "rpc-polled";
  const CertifiedPlan plan = with_proofs(need(rewrite(woa, "rpc-polled")), woa);
  const std::vector<Traffic> traffic = traffic_of(plan);
  std::vector<double> signals;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (!plan.edges[e].count) continue;
    signals.push_back(traffic[e].tokens);
    CHECK(traffic[e].bytes == 0);
  }
  std::ranges::sort(signals);
  CHECK(signals == std::vector<double>{0.5, 0.5, 1, 3, 3, 3});  // second's results, the first call, first's and a call
  const std::string dot = to_dot(plan);
  CHECK(has(dot, "signal\\n3 messages, 0 B"));
  CHECK_FALSE(has(dot, "count\\n"));
}

TEST_CASE("without a certificate, or with another plan's, a picture shows what there is") {
  CertifiedPlan plan = relayed_plan();
  plan.certificate->placement.clear();
  plan.certificate->costs = {};
  CHECK(has(to_dot(plan), "0 messages, 0 B"));
  plan.certificate.reset();
  const std::string dot = to_dot(plan);
  CHECK(has_edge(dot, "s2", "e1", "s4", "out0 > in0\\nbytes\\n4 blocks"));
  CHECK(has(dot, "s2 [label=\"first\\ncopy\", shape=box"));
  CHECK_FALSE(has(dot, "penwidth"));
}

TEST_CASE("names are shown whatever they are") {
  CertifiedPlan plan = relayed_plan();
  plan.graph = "\"\\N & co\"";
  plan.controllers[1].name = "<b>cpu</b>";
  plan.controllers[1].backend = "a\nb";
  plan.stages[2].name = "\\N\\G\\l%s";
  plan.stages[3].name = "a&lt;b";
  plan.stages[3].kernel = "no \xff text\x01\xef\xbf\xbf";
  plan.stages[2].outputs[0].name = "größe→";
  plan.stages[4].inputs[0].name = "\"];}";
  plan.edges[0].lane = "\\\"";
  const std::vector<std::string> lines = lines_of(plan);
  for (const std::string expected : {"\"\\N & co\", model woa, window 4", "<b>cpu</b> (a\\x0ab)", "\\N\\G\\l%s",
                                     "a&lt;b", "no \\xff text\\x01\\xef\\xbf\\xbf", "größe→ > \"];}", "lane \\\""}) {
    INFO(expected);
    CHECK(std::ranges::find(lines, expected) != lines.end());
  }
}

TEST_CASE("an edge passes under a text, not through it") {
  const std::string svg = svg_of(relayed_plan());
  CHECK(svg.rfind("class=\"edge\"") < svg.find("class=\"node\""));  // what comes later is drawn over it
  const std::size_t text = svg.find("4 blocks"), node = svg.rfind("class=\"node\"", text);
  CHECK(has(svg.substr(node, text - node), "fill=\"white\""));
}

TEST_CASE("every stage, controller and edge is named") {
  const CertifiedPlan plan = relayed_plan();
  const std::vector<std::string> lines = lines_of(plan);
  for (const StagePlan& stage : plan.stages) CHECK(std::ranges::count(lines, stage.name) == 1);
  for (const ControllerPlan& controller : plan.controllers)
    CHECK(std::ranges::count(lines, controller.name + " (" + controller.backend + ")") == 1);
  CHECK(std::ranges::count(lines, "out0 > in0") == 2);
  CHECK(std::ranges::count(lines, "in0 > in0") == 1);
  CHECK(std::ranges::count(lines, "out0 > out0") == 1);
}

}  // namespace woa::test
