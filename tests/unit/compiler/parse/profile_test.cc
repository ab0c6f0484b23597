// Profiles as values, and what tells graphs apart.
#include "compiler/parse/profile.h"

#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

Profile accepted_profile(const std::string& body) {
  Report report;
  const auto profile = read_profile(
      report.add_source("profile.yaml", "woa_profile: 1\ngraph: g\ngraph_hash: \"00ff\"\n" + body), report);
  CHECK(report.take().empty());
  REQUIRE(profile.has_value());
  return *profile;
}

TEST_CASE("a profile has times, frequencies, and what is missing") {
  const Profile profile = accepted_profile(R"(stages:
  a: {firings: 2.5, on: {cpu: {time_ps: 7}, "gpu:1": {time_ps: 9}, fpga: {missing: no board, fix: buy one}}}
edges: [{from: source.x, to: a.in, tokens: 0.25, bytes: 64}, {from: a.out, to: sink.y, tokens: 1e3, bytes: 0.5}]
)");
  CHECK(profile.graph_hash == "00ff");
  REQUIRE(profile.stages.size() == 1);
  const StageProfile& a = profile.stages.at("a");
  CHECK(a.firings == 2.5);
  CHECK(a.time_ps == std::map<std::string, std::uint64_t>{{"cpu", 7}, {"gpu:1", 9}});
  CHECK(a.missing == std::map<std::string, std::string>{{"fpga", "no board; buy one"}});
  CHECK(profile.edges.at({"source.x", "a.in"}).tokens == 0.25);
  CHECK(profile.edges.at({"a.out", "sink.y"}).tokens == 1000);
  CHECK(profile.edges.at({"a.out", "sink.y"}).bytes == 0.5);
}

TEST_CASE("of the tokens of an edge some may never be read, but no more than there are") {
  const auto edge = [](const std::string& unread) {
    return "stages: {}\nedges: [{from: source.x, to: a.in, tokens: 0.5, bytes: 64" + unread + "}]\n";
  };
  const EdgeProfile some = accepted_profile(edge(", unread: 0.25, unread_bytes: 32")).edges.at({"source.x", "a.in"});
  CHECK(some.unread == 0.25);
  CHECK(some.unread_bytes == 32);
  CHECK(accepted_profile(edge("")).edges.at({"source.x", "a.in"}).unread == 0);
  accepted_profile(edge(", unread: 0.333333, unread_bytes: 96.000099"));  // as many, but for rounding
  const auto refused = [&](const std::string& unread) {
    Report report;
    const std::string head = "woa_profile: 1\ngraph: g\ngraph_hash: \"00ff\"\n";
    CHECK_FALSE(read_profile(report.add_source("profile.yaml", head + edge(unread)), report).has_value());
    const auto said = report.take();
    REQUIRE(said.size() == 1);
    return said[0].code + " " + said[0].text;
  };
  CHECK(refused(", unread: 0.75") == "E0113 more tokens are `unread` than there are `tokens`");
  CHECK(refused(", unread: 0.25, unread_bytes: 1e9") ==
        "E0113 tokens that are `unread` have more bytes than all `tokens`");
  CHECK(refused(", unread_bytes: 32") == "E0111 an edge has no `unread`");
}

TEST_CASE("a time is a controller's own, else its kind's, and cycles follow the controller's clock") {
  const StageProfile stage = accepted_profile(R"(stages:
  a: {firings: 1, on: {gpu: {time_ps: 9}, "gpu:1": {time_ps: 5}, fpga: {time_ps: 4000, cycles: 1000, clock_mhz: 250}}}
edges: []
)")
                                 .stages.at("a");
  MachineController fpga = default_controller(ControllerKind::kFpga, 0);
  CHECK(time_on(stage, fpga) == 4000U);
  fpga.clock_hz = 100'000'000;
  CHECK(time_on(stage, fpga) == 10'000'000U);
  CHECK(time_on(stage, default_controller(ControllerKind::kGpu, 0)) == 9U);
  CHECK(time_on(stage, default_controller(ControllerKind::kGpu, 1)) == 5U);
  CHECK_FALSE(time_on(stage, default_controller(ControllerKind::kCpu, 0)).has_value());
}

TEST_CASE("beside other firings a stage takes its busy time, if there is one") {
  const auto profile = accepted_profile(R"(stages:
  a: {firings: 1, on: {cpu: {time_ps: 7, busy_ps: 9, busy_workers: 2}, gpu: {time_ps: 5}}}
edges: []
)");
  const StageProfile& stage = profile.stages.at("a");
  const MachineController cpu = default_controller(ControllerKind::kCpu, 0);
  CHECK(time_on(stage, cpu) == 7U);
  CHECK(time_on(stage, cpu, true) == 9U);
  CHECK(time_on(stage, default_controller(ControllerKind::kGpu, 0), true) == 5U);
}

GraphFacts facts(const std::string& body, const CompileOptions& options = test::fixture_options()) {
  return compile_text(test::graph_text(body), "graph.yaml", "folder", options).facts;
}

TEST_CASE("the hash of a graph follows what it computes, not where and how it runs") {
  const std::string body = "stages:\n  a: {kernel: copy, in: {in: x}}\n  b: {kernel: copy, in: {in: a.out}}\n";
  const std::string end = "outputs: {y: b.out}\n", graph = body + end;
  const std::string hash = facts(graph).hash;
  CHECK(hash.size() == 16);
  CHECK(facts(graph + "window: 3\ndeadline: 5s\n# text\n").hash == hash);
  CHECK(facts("stages:\n  a: {kernel: copy, in: {in: x}, on: gpu}\n"
              "  b: {kernel: copy, in: {in: {from: a.out, lane: l}}, on: \"cpu:3\"}\n" +
              end)
            .hash == hash);
  CHECK(facts("stages:\n  a: {kernel: copy, in: {in: x}}\n  c: {kernel: copy, in: {in: a.out}}\noutputs: {y: c.out}\n")
            .hash != hash);
  CHECK(facts(body + "outputs: {z: b.out}\n").hash != hash);
  CHECK(facts(body + "outputs: {y: b.out, z: a.out}\n").hash != hash);
}

TEST_CASE("the hash follows parameters, wherever they are given") {
  const auto resize = [](const std::string& width) {
    return "inputs: {x: {type: \"u8[h,w,c]\", max: 1MiB}}\nstages:\n  a: {kernel: resize, in: {image: x}, params: "
           "{width: " +
           width + "}}\noutputs: {y: a.image}\n";
  };
  CompileOptions options = test::fixture_options();
  options.params = {{"a.width", "64"}};
  CHECK(facts(resize("32")).hash != facts(resize("64")).hash);
  CHECK(facts(resize("32"), options).hash == facts(resize("64")).hash);
}

TEST_CASE("a graph's facts say which kinds each stage can run on, and pins in options replace the graph's") {
  CompileOptions options = test::fixture_options();
  const std::string graph = "stages:\n  a: {kernel: copy, in: {in: x}, on: \"cpu:1\"}\noutputs: {y: a.out}\n";
  using Kinds = std::vector<ControllerKind>;
  CHECK(facts(graph).kinds.at("a") == Kinds{ControllerKind::kCpu, ControllerKind::kGpu, ControllerKind::kFpga});
  options.pins = {{"a", "fpga"}};
  const Plan plan = test::compile_good(graph, options);
  CHECK(plan.controllers.at(test::stage_of(plan, "a").controller).name == "fpga:0");
  options.pins = {{"a", "fpga:9x"}};
  CHECK(test::codes(test::graph_text(graph), options) == "E0601");
}

}  // namespace
}  // namespace woa
