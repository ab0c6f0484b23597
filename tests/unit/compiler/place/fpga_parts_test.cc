// Stages of an fpga and its packet node stay within its parts, with a profile and without one.
#include <algorithm>
#include <string>

#include "compiler/place/generated/fpga_node.h"
#include "compiler/place/needs.h"
#include "tests/unit/compiler/fixture.h"
#include "tests/unit/compiler/measured_files.h"

namespace woa {
namespace {

std::uint64_t node_luts(const std::string& backend, const std::string& family) {
  MachineController controller = default_controller(ControllerKind::kFpga, 0);
  controller.plan = make_controller("fpga:0", *find_backend(backend));
  controller.family = family;
  return node_on(controller).at("luts");
}

// Two kernels with a core each, which run on a cpu or on an fpga.
class Parts {
 public:
  Parts() {
    for (const std::string name : {"one", "two"})
      files_.add_kernel(name, ports() + "variants: {cpu: {}, rtl: {size: true, core: " + name +
                                  ", clock_mhz: 100, resources: {xc7: {luts: 60}, xcup: {luts: 90}}}}\n");
    files_.add_kernel("card",
                      ports() + "variants: {rtl: {size: true, core: card, clock_mhz: 100, resources: {luts: 60}}}\n");
  }

  // `on` follows the kernels of stages `a` and `b`. Both are quicker on the fpga, which has `keys`.
  Compilation compile(const std::string& keys, bool profiled, const std::string& on = "",
                      const std::string& kernel = "two") {
    const std::string graph =
        test::graph_text("stages: {a: {kernel: one, in: {in: x}" + on + "}, b: {kernel: " + kernel +
                         ", in: {in: a.out}" + on + "}}\noutputs: {y: b.out}\n");
    const std::string machine =
        "controllers: {\"cpu:0\": {}, \"fpga:0\": {" + keys + "}}\ndefault_link: {latency: 1ns, bandwidth: 10GB/s}\n";
    const std::string times = "{firings: 1, on: {cpu: {time_ps: 9000000}, fpga: {time_ps: 1000}}}";
    CompileOptions options = files_.options(
        graph, machine,
        "stages: {a: " + times + ", b: " + times +
            "}\nedges: [{from: source.x, to: a.in, tokens: 1, bytes: 8}, {from: a.out, to: b.in, tokens: 1, bytes: 8}, "
            "{from: b.out, to: sink.y, tokens: 1, bytes: 8}]\n");
    if (!profiled) options.profile.reset();
    return compile_text(graph, "graph.yaml", "folder", options);
  }
  // How many of the stages a profile places on the fpga.
  std::ptrdiff_t placed(const std::string& keys) {
    const Compilation result = compile(keys, true);
    INFO(keys << test::say(result));
    REQUIRE(result.plan.has_value());
    CHECK(verify_certificate(*result.plan).message() == "");
    return std::ranges::count_if(result.plan->stages, [&](const StagePlan& stage) {
      return result.plan->controllers[stage.controller].name == "fpga:0";
    });
  }

 private:
  static std::string ports() { return "in: {in: {type: bytes}}\nout: {out: {type: bytes, max: 64}}\n"; }
  test::MeasuredFiles files_;
};

std::string keys_of(const std::string& backend, const std::string& family, std::uint64_t luts) {
  return "backend: " + backend + (family.empty() ? "" : ", family: " + family) + ", luts: " + std::to_string(luts);
}

TEST_CASE("the packet node counts once on an fpga that has a stage") {
  Parts parts;
  for (const std::string backend : {"verilator", "xrt"})
    for (const std::string family : {"xc7", "xcup", ""}) {
      const std::uint64_t node = node_luts(backend, family), core = family == "xc7" ? 60 : 90;
      CHECK(parts.placed(keys_of(backend, family, node + 2 * core)) == 2);
      CHECK(parts.placed(keys_of(backend, family, node + 2 * core - 1)) == 1);
      CHECK(parts.placed(keys_of(backend, family, node + core)) == 1);
      CHECK(parts.placed(keys_of(backend, family, node + core - 1)) == 0);
      CHECK(parts.placed(keys_of(backend, family, node - 1)) == 0);
      CHECK(parts.placed(keys_of(backend, family, 0)) == 0);
    }
}

TEST_CASE("stages that must be on an fpga which is too small are refused with the sum and what takes the most") {
  Parts parts;
  const std::uint64_t node = node_luts("verilator", "xc7");
  for (const bool profiled : {false, true})
    for (const std::string on : {", on: \"fpga:0\"", ", on: fpga"}) {
      CHECK(parts.compile(keys_of("verilator", "xc7", node + 120), profiled, on).diagnostics.empty());
      CHECK(parts.compile(keys_of("verilator", "xc7", node + 60), profiled, on, "one").diagnostics.empty());
      const Compilation result = parts.compile(keys_of("verilator", "xc7", node + 119), profiled, on);
      REQUIRE(result.diagnostics.size() == 1);
      CHECK(result.diagnostics[0].code == "E0625");
      CHECK(result.diagnostics[0].text == "stage `b` does not fit into `fpga:0`, which has " +
                                              std::to_string(node + 119) + " luts: " + std::to_string(node + 120) +
                                              " are taken, by the packet node (" + std::to_string(node) +
                                              "), kernel `one` (60) and kernel `two` (60)");
      const Compilation none = parts.compile(keys_of("verilator", "xc7", node - 1), profiled, on);
      REQUIRE(none.diagnostics.size() == 1);
      CHECK(none.diagnostics[0].text.starts_with("stage `a` does not fit into `fpga:0`"));
    }
}

TEST_CASE("a stage whose kernel runs on an fpga alone is refused like one with a pin") {
  Parts parts;
  const std::uint64_t node = node_luts("verilator", "xcup");
  for (const bool profiled : {false, true}) {
    CHECK(parts.compile(keys_of("verilator", "xcup", node + 60), profiled, "", "card").diagnostics.empty());
    const Compilation result = parts.compile(keys_of("verilator", "xcup", node + 59), profiled, "", "card");
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].code == "E0625");
  }
}

TEST_CASE("there are figures of the node for each family and each back-end of fpgas") {
  for (const KnownBackend& backend : kBackends)
    if (backend.kind == ControllerKind::kFpga)
      for (const std::string_view family : kFamilies)
        CHECK(std::ranges::count_if(kFpgaNodes, [&](const FpgaNode& node) {
                return node.backend == backend.name && node.family == family && node.luts > 0 && node.ffs > 0;
              }) == 1);
}

}  // namespace
}  // namespace woa
