// Kernels that do something which a back-end does not run: placement leaves that back-end out.
#include "tests/unit/compiler/fixture.h"
#include "tests/unit/compiler/measured_files.h"

namespace woa {
namespace {

const std::string kAllVariants =
    "variants: {cpu: {}, opencl: {size: true, source: k.cl, entry: k, global: [bytes]}, rtl: {size: true, core: k, "
    "clock_mhz: 100}}\n";
const std::string kPorts = "in: {in: {type: bytes}}\nout: {out: {type: bytes, max: 64}}\n";

// The controller of stage `s`, whose kernel takes less time on both devices than on the cpu.
std::string place_of(const std::string& kernel, const std::string& outputs, const std::string& edges) {
  test::MeasuredFiles files;
  files.add_kernel("k", kernel);
  const std::string body = "stages: {s: {kernel: k, in: {in: x}}}\noutputs: {y: " + outputs + "}\n";
  const CompileOptions options = files.options(
      test::graph_text(body), "controllers: {\"cpu:0\": {}, \"gpu:0\": {}, \"fpga:0\": {}}\n",
      "stages: {s: {firings: 1, on: {cpu: {time_ps: 1000000000}, gpu: {time_ps: 2000}, fpga: {time_ps: 1000}}}}\n"
      "edges: [{from: source.x, to: s.in, tokens: 1, bytes: 8}, " +
          edges + "]\n");
  const CertifiedPlan plan = test::compile_good(body, options);
  CHECK(verify_certificate(plan).message() == "");
  return plan.controllers[test::stage_of(plan, "s").controller].name;
}

TEST_CASE("a stage goes where its kernel runs, not only where it has a variant and a time") {
  const std::string edge = "{from: s.out, to: sink.y, tokens: 1, bytes: 8}";
  CHECK(place_of(kPorts + kAllVariants, "s.out", edge) == "fpga:0");
  CHECK(place_of(kPorts + "stateful: instance\n" + kAllVariants, "s.out", edge) == "cpu:0");
  CHECK(place_of(kPorts + "stateful: run\n" + kAllVariants, "s.out", edge) == "cpu:0");
  const std::string choice =
      "in: {in: {type: bytes}}\nout: {a: {type: bytes, max: 64, one_of: g}, b: {type: bytes, max: 64, one_of: g}}\n"
      "variants: {cpu: {}, opencl: {size: true, source: k.cl, entry: k, global: [bytes]}}\n";
  CHECK(place_of(choice, "[s.a, s.b]",
                 "{from: s.a, to: sink.y, tokens: 0.5, bytes: 8}, {from: s.b, to: sink.y, tokens: 0.5, bytes: 8}") ==
        "cpu:0");
}

TEST_CASE("a kernel goes to the gpu whose back-end runs a variant of it") {
  test::MeasuredFiles files;
  files.add_kernel("k", kPorts + "variants: {cpu: {}, cuda: {size: true, source: k.cu, entry: k, global: [bytes]}}\n");
  const std::string body = "stages: {s: {kernel: k, in: {in: x}}}\noutputs: {y: s.out}\n";
  const CompileOptions options = files.options(
      test::graph_text(body), "controllers: {\"cpu:0\": {}, \"gpu:0\": {}, \"gpu:1\": {backend: cuda}}\n",
      "stages: {s: {firings: 1, on: {cpu: {time_ps: 1000000000}, gpu: {time_ps: 2000}}}}\n"
      "edges: [{from: source.x, to: s.in, tokens: 1, bytes: 8}, {from: s.out, to: sink.y, tokens: 1, bytes: 8}]\n");
  const CertifiedPlan plan = test::compile_good(body, options);
  CHECK(plan.controllers[test::stage_of(plan, "s").controller].name == "gpu:1");
  CHECK(test::stage_of(plan, "s").variant.kind == "cuda");
}

TEST_CASE("facts say why a kind does not run a kernel that has its variant") {
  test::MeasuredFiles files;
  files.add_kernel("k", kPorts + "stateful: instance\n" + kAllVariants);
  const std::string graph = test::graph_text("stages: {s: {kernel: k, in: {in: x}}}\noutputs: {y: s.out}\n");
  const Compilation checked = compile_text(graph, "graph.yaml", "folder", files.options(graph, "", "stages: {}\n"));
  CHECK(checked.facts.kinds.at("s") == std::vector{ControllerKind::kCpu});
  CHECK(checked.facts.beyond.at("s").at(ControllerKind::kGpu) == "keeps state");
  CHECK(checked.facts.beyond.at("s").at(ControllerKind::kFpga) == "keeps state");
  CHECK(!checked.facts.beyond.at("s").contains(ControllerKind::kCpu));
}

TEST_CASE("an rtl stage has one input, and one that is held is told of by check") {
  const auto codes = [](const std::string& input) {
    return test::codes(test::graph_text("stages: {s: {kernel: copy, in: {in: " + input +
                                        "}, on: \"fpga:0\"}}\noutputs: {y: s.out}\n"));
  };
  CHECK(codes("x").empty());
  CHECK(codes("{from: x, hold: true}") == "E0308");
}

}  // namespace
}  // namespace woa
