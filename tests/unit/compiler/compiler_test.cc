#include "compiler/compiler.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

using test::codes;
using test::compile_good;
using test::edge_of;
using test::fixture_options, test::two_cpus;
using test::stage_of;

const char* kChain =
    "stages:\n"
    "  a: {kernel: copy, in: {in: x}}\n"
    "  b: {kernel: copy, in: {in: a.out}}\n"
    "  c: {kernel: copy, in: {in: b.out}}\n"
    "outputs: {y: c.out}\n";

TEST_CASE("a kernel that is not built is a warning, once for each kernel, beside the plan") {
  CompileOptions options = fixture_options();
  options.warn_of_unbuilt = true;
  const Compilation result = compile_text(test::graph_text(kChain), "graph.yaml", "folder", options);
  CHECK(result.plan.has_value());
  REQUIRE(result.diagnostics.size() == 1);
  const Diagnostic& warning = result.diagnostics[0];
  CHECK(warning.severity == Severity::kWarning);
  CHECK(format(warning, false)
            .starts_with("graph.yaml:5:15: warning[E0208]: kernel `copy` cannot run here: there is no `"));
  const Compilation wrong = compile_text(test::graph_text(kChain) + "window: 4097\n", "graph.yaml", "folder", options);
  CHECK_FALSE(wrong.plan.has_value());
  REQUIRE(wrong.diagnostics.size() == 2);
  CHECK(wrong.diagnostics[1].severity == Severity::kError);
}

TEST_CASE("source and sink come first, then the stages in the order of the file") {
  const Plan plan = compile_good(kChain);
  REQUIRE(plan.stages.size() == 5);
  CHECK(plan.graph == "test");
  CHECK(plan.model == "woa");
  CHECK(plan.stages[kSourceStage].name == "source");
  CHECK(plan.stages[kSourceStage].role == StageRole::kSource);
  CHECK(plan.stages[kSourceStage].outputs[0].name == "x");
  CHECK(plan.stages[kSinkStage].role == StageRole::kSink);
  CHECK(plan.stages[kSinkStage].inputs[0].name == "y");
  CHECK(plan.stages[kSinkStage].inputs[0].type.max_bytes == 1U << 20);
  CHECK(plan.stages[2].name == "a");
  CHECK(plan.stages[2].kernel == "copy");
  CHECK(plan.stages[2].kernel_file.empty());  // on the kernel path
  CHECK(plan.stages[2].library == "libcopy.so");
  CHECK(plan.stages[4].name == "c");
  CHECK(plan.edges.size() == 4);
}

TEST_CASE("a diagnostic names a path in full, however long") {
  const std::string folder(150, 'f');
  const std::filesystem::path graph = std::filesystem::path("/") / folder / folder / "graph.yaml";
  const Compilation result = compile_file(graph, fixture_options());
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].text.find(graph.string()) != std::string::npos);
}

TEST_CASE("stages without a pin are dealt round robin over the cpu controllers") {
  const Plan plan = compile_good(kChain, two_cpus());
  REQUIRE(plan.controllers.size() == 3);
  CHECK(plan.controllers[0].name == "host");
  CHECK(plan.controllers[plan.stages[2].controller].name == "cpu:0");
  CHECK(plan.controllers[plan.stages[3].controller].name == "cpu:1");
  CHECK(plan.controllers[plan.stages[4].controller].name == "cpu:0");
}

TEST_CASE("without a machine file stages share a cpu controller with all workers, as does any other that a pin names") {
  const Plan plan = compile_good(
      "stages:\n  a: {kernel: copy, in: {in: x}}\n  b: {kernel: copy, in: {in: a.out}, on: \"cpu:3\"}\n"
      "  c: {kernel: copy, in: {in: b.out}}\noutputs: {y: c.out}\n");
  REQUIRE(plan.controllers.size() == 3);
  CHECK(plan.stages[2].controller == plan.stages[4].controller);
  CHECK(plan.controllers[1].name == "cpu:0");
  CHECK(plan.controllers[2].name == "cpu:3");
  CHECK(plan.controllers[1].workers == kAllWorkers);
  CHECK(plan.controllers[2].workers == kAllWorkers);
  CHECK(plan.raises_window);
  CHECK(plan.raises_blocks);
  CompileOptions options = fixture_options();
  options.workers = 3;
  for (const ControllerPlan& controller : compile_good(kChain, options).controllers)
    CHECK(controller.workers == (controller.kind == ControllerKind::kCpu ? 3 : 1));
}

TEST_CASE("a window that the graph or the user chose is not raised") {
  CompileOptions options = fixture_options();
  options.window = 5;
  CHECK_FALSE(compile_good(kChain, options).raises_window);
  CHECK(compile_good(kChain, options).raises_blocks);
  CHECK_FALSE(compile_good(std::string(kChain) + "window: 5\n").raises_window);
}

TEST_CASE("pins choose the controller and the variant") {
  const Plan plan = compile_good(
      "stages:\n"
      "  a: {kernel: copy, in: {in: x}, on: fpga}\n"
      "  b: {kernel: copy, in: {in: a.out}, on: gpu}\n"
      "  c: {kernel: copy, in: {in: b.out}, on: \"cpu:9\"}\n"
      "  d: {kernel: shader, in: {in: c.out}}\n"
      "  e: {kernel: copy, in: {in: d.out}, on: cpu}\n"
      "outputs: {y: e.out}\n");
  const auto on = [&](const std::string& stage) { return plan.controllers[stage_of(plan, stage).controller]; };
  CHECK(on("a") == make_controller("fpga:0", *find_backend("verilator")));
  CHECK(stage_of(plan, "a").variant.kind == "rtl");
  CHECK(stage_of(plan, "a").variant.core == "copy");
  CHECK(stage_of(plan, "a").variant.clock_mhz == 250);
  CHECK(on("b") == make_controller("gpu:0", *find_backend("opencl")));
  CHECK(stage_of(plan, "b").variant.source == "copy.cl");
  CHECK(stage_of(plan, "b").variant.global == std::vector<std::string>{"bytes"});
  CHECK(on("c").name == "cpu:9");
  CHECK(stage_of(plan, "c").variant.kind == "cpu");
  CHECK(on("d").name == "gpu:0");  // its kernel has no other variant
  CHECK(on("e").name == "cpu:0");
  CHECK(plan.controllers[1].name == "fpga:0");  // in order of first use
}

TEST_CASE("a stage's `max` stands in the plan, and leaves the kernel's declaration as it is") {
  const std::string stages = "stages: {s: {kernel: copy, in: {in: x}@}}\noutputs: {y: s.out}\n";
  const auto with = [&](const std::string& more) {
    std::string body = "inputs: {x: {type: bytes, max: 100MiB}}\n" + stages;
    return body.replace(body.find('@'), 1, more);
  };
  const Plan own = compile_good(
      "inputs: {x: {type: bytes, max: 64}}\nstages: {s: {kernel: copy, in: {in: x}}}\noutputs: {y: s.out}\n");
  const Plan plan = compile_good(with(", max: {in: 100MiB, out: 5}"));
  CHECK(stage_of(plan, "s").inputs[0].type.max_bytes == 100ULL << 20);
  CHECK(stage_of(plan, "s").outputs[0].type.max_bytes == 5);
  CHECK(stage_of(plan, "s").declaration == stage_of(own, "s").declaration);
  CHECK(codes(test::graph_text(with(""))) == "E0315");
  CHECK(codes(test::graph_text(with(", max: {in: 99MiB}"))) == "E0315");
  CHECK(codes(test::graph_text(with(", max: {out: 100MiB}"))) == "E0315");
  CHECK(codes(test::graph_text(with(", max: {in: 100MiB, it: 1}"))) == "E0316");
}

TEST_CASE("a machine file says which controllers there are") {
  CompileOptions options = fixture_options();
  options.machine = std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/machine/machine.yaml";
  const Plan plan = compile_good(kChain, options);
  REQUIRE(plan.controllers.size() == 2);
  CHECK(plan.controllers[1] == make_controller("cpu:0", *find_backend("cpu"), 2));
}

TEST_CASE("parameters: the command line wins over the graph, which wins over the default, and all have one spelling") {
  const std::string body =
      "stages:\n"
      "  d: {kernel: decode, in: {jpeg: x}}\n"
      "  r: {kernel: resize, in: {image: d.image}, params: {width: +0640, height: 480, clamp: True}}\n"
      "outputs: {y: r.image}\n";
  CompileOptions options = fixture_options();
  options.params = {{"r.height", "1e2"}, {"r.gain", "1e-3"}};
  const Plan plan = compile_good(body, options);
  const std::vector<ParamPlan>& params = stage_of(plan, "r").params;
  REQUIRE(params.size() == 5);
  CHECK(params[0] == ParamPlan{"width", "640", ParamType::kInt, ""});
  CHECK(params[1] == ParamPlan{"height", "100", ParamType::kInt, ""});
  CHECK(params[2] == ParamPlan{"filter", "bilinear", ParamType::kString, "", 0});
  CHECK(params[3] == ParamPlan{"gain", "0.001", ParamType::kFloat, ""});
  CHECK(params[4] == ParamPlan{"clamp", "true", ParamType::kBool, ""});
}

TEST_CASE("secrets stay out of the plan, files become absolute") {
  const std::string body = "stages:\n  s: {kernel: cipher, in: {in: x}}\noutputs: {y: s.out}\n";
  const Plan plan = compile_good(body);
  const std::vector<ParamPlan>& params = stage_of(plan, "s").params;
  REQUIRE(params.size() == 2);
  CHECK(params[0] == ParamPlan{"key", "", ParamType::kString, "CIPHER_KEY"});
  CHECK(params[1] == ParamPlan{"table", std::filesystem::absolute("folder/table.bin").string(), ParamType::kFile, ""});
  CompileOptions options = fixture_options();
  options.params = {{"s.table", "t.bin"}};
  CHECK(stage_of(compile_good(body, options), "s").params[1].value == std::filesystem::absolute("t.bin").string());
}

TEST_CASE("a kernel of the user is named by an absolute path") {
  const std::filesystem::path folder = std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler";
  const Compilation result = compile_text(
      test::graph_text(
          "kernels: [kernels/copy/kernel.yaml]\nstages: {s: {kernel: copy, in: {in: x}}}\noutputs: {y: s.out}\n"),
      "graph.yaml", folder, {});
  REQUIRE(result.plan);
  CHECK(result.plan->stages[2].kernel_file == (folder / "kernels/copy/kernel.yaml").string());
}

TEST_CASE("replicas: a stage each, placed round robin, with an edge for each that can meet") {
  const std::string body =
      "stages:\n"
      "  a: {kernel: copy, in: {in: x}, replicas: 2}\n"
      "  b: {kernel: copy, in: {in: a.out}, replicas: 4}\n"
      "  c: {kernel: join2, in: {a: b.out, b: {from: x, hold: true}}, replicas: 3, on: \"cpu:1\"}\n"
      "outputs: {y: c.out}\nwindow: 12\n";
  const Plan plan = compile_good(body, two_cpus());
  CHECK(plan.stages.size() == 2 + 2 + 4 + 3);
  CHECK(plan.controllers[stage_of(plan, "a[0]").controller].name == "cpu:0");
  CHECK(plan.controllers[stage_of(plan, "a[1]").controller].name == "cpu:1");
  for (const char* c : {"c[0]", "c[1]", "c[2]"}) CHECK(plan.controllers[stage_of(plan, c).controller].name == "cpu:1");
  CHECK(edge_of(plan, "source.x", "a[1].in").choice.replicas == 2);
  CHECK(edge_of(plan, "source.x", "a[1].in").choice.replica == 1);
  CHECK(edge_of(plan, "a[1].out", "b[3].in").choice.replica == 3);
  CHECK_THROWS(edge_of(plan, "a[1].out", "b[2].in"));  // an odd instance and an even one
  CHECK(edge_of(plan, "b[2].out", "c[1].a").choice.replica == 1);
  CHECK(edge_of(plan, "source.x", "c[1].b").choice.replicas == 1);  // held
  CHECK(edge_of(plan, "c[2].out", "sink.y").choice.replicas == 1);
  // 12 instances are in flight, of which 6 have room on an edge of large blocks between one worker each; an edge from b
  // to c sees one of them, and keeps the oldest instance's blocks free.
  CHECK(edge_of(plan, "b[2].out", "c[1].a").blocks == 2);
  CHECK(edge_of(plan, "source.x", "a[1].in").blocks == 4);

  CompileOptions options = fixture_options();
  options.replicas = {{"b", 2}};
  CHECK(compile_good(body, options).stages.size() == 2 + 2 + 2 + 3);
  // a[1] has the odd instances alone, so all of its tokens go to b[1].
  CHECK(edge_of(compile_good(body, options), "a[1].out", "b[1].in").choice.replicas == 1);
  options.replicas = {{"d", 2}};
  CHECK(codes(test::graph_text(body), options) == "E0701");
  options.replicas = {{"b", 65}};
  CHECK(codes(test::graph_text(body), options) == "E0701");
}

TEST_CASE("window and deadline") {
  CHECK(compile_good(kChain).window == 6);  // two per stage
  CHECK(compile_good(kChain).timeout_ns == 0);
  const std::string given = std::string(kChain) + "window: 5\ndeadline: 20ms\n";
  CHECK(compile_good(given).window == 5);
  CHECK(compile_good(given).timeout_ns == 20'000'000);
  CompileOptions options = fixture_options();
  options.window = 1;
  options.timeout_ns = 7;
  CHECK(compile_good(given, options).window == 1);
  CHECK(compile_good(given, options).timeout_ns == 7);
}

TEST_CASE("blocks: window x b(e) and one to spare, within 64 GiB per edge") {
  CHECK(edge_of(compile_good(kChain), "a.out", "b.in").blocks == 7);
  const Plan large = compile_good(
      "inputs: {x: {type: bytes, max: 10GiB}}\nwindow: 16\n"
      "stages: {s: {kernel: huge, in: {in: x}}}\noutputs: {y: s.out}\n");
  CHECK(edge_of(large, "source.x", "s.in").blocks == 6);
  CHECK(edge_of(large, "s.out", "sink.y").blocks == 2);
}

TEST_CASE("blocks: of small ones seven are to spare, of large ones one, whatever the window") {
  const std::string chain =
      "inputs: {x: {type: bytes, max: 4KiB}, z: {type: bytes, max: 5KiB}}\nwindow: 1\n"
      "stages: {s: {kernel: join2, in: {a: x, b: z}}}\noutputs: {y: s.out}\n";
  CHECK(edge_of(compile_good(chain), "source.x", "s.a").blocks == 8);
  CHECK(edge_of(compile_good(chain), "source.z", "s.b").blocks == 2);
}

TEST_CASE("a dimension fixed at one port is fixed at all that edges join with it") {
  const Plan plan = compile_good(
      "stages:\n"
      "  d: {kernel: decode, in: {jpeg: x}}\n"
      "  r: {kernel: rgb, in: {image: d.image}}\n"
      "outputs: {all: d.image, y: r.image}\n");
  for (const PortType& type : {stage_of(plan, "d").outputs[0].type, stage_of(plan, "r").inputs[0].type,
                               plan.stages[kSinkStage].inputs[0].type, plan.stages[kSinkStage].inputs[1].type}) {
    REQUIRE(type.dims.size() == 3);
    CHECK(type.dims[0].size == 0);
    CHECK(type.dims[2].size == 3);
  }
  CHECK(stage_of(compile_good("stages: {m: {kernel: matrix, in: {in: x}}}\noutputs: {y: m.out}\n"), "m")
            .outputs[0]
            .type.max_bytes == 1024);
}

TEST_CASE("a stage without outputs tells the sink that it is done") {
  const Plan plan = compile_good("stages:\n  s: {kernel: store, in: {in: x}}\n");
  CHECK(plan.stages[kSinkStage].inputs[0].name == "s.done");
  CHECK(stage_of(plan, "s").outputs[0].type.max_bytes == 0);
  compile_good(
      "stages:\n  r: {kernel: route, in: {in: x}}\n  a: {kernel: store, in: {in: r.left}}\n"
      "  b: {kernel: store, in: {in: r.right}}\noutputs: {end: [a.done, b.done]}\n");
}

TEST_CASE("dot shows controllers, stages and edges") {
  const std::string dot = to_dot(compile_good(kChain, two_cpus()));
  CHECK(dot.find("digraph \"test\"") == 0);
  CHECK(dot.find("label=\"cpu:1 (cpu)\"") != std::string::npos);
  CHECK(dot.find("e1 [label=\"out > in\\nbytes\\n7 blocks\"") != std::string::npos);
  CHECK(dot.find("s2 -> e1 [") != std::string::npos);
  CHECK(dot.find("e1 -> s3 [") != std::string::npos);
}

TEST_CASE("list_kernels says what there is, and why not") {
  const std::vector<KernelListing> kernels = list_kernels(fixture_options().kernel_path);
  const auto find = [&](const std::string& name) {
    return *std::find_if(kernels.begin(), kernels.end(), [&](const KernelListing& k) { return k.name == name; });
  };
  CHECK(find("copy").variants == std::vector<std::string>{"cpu", "opencl", "rtl"});
  CHECK(find("copy").reason.ends_with("copy/libcopy.so`"));
  CHECK(find("copy").fix.starts_with("build it"));
  CHECK(find("absent").reason.starts_with("OpenSSL"));
  CHECK(find("absent").fix.starts_with("install that"));
  CHECK_FALSE(find("broken").reason.empty());
}

TEST_CASE("a kernel.yaml that is named by its path is described, or its errors are told") {
  const std::filesystem::path folder = fixture_options().kernel_path.front();
  const auto route = read_kernel_file(folder / "route" / "kernel.yaml");
  REQUIRE(route.has_value());
  REQUIRE(route->kernel.has_value());
  CHECK(route->kernel->name == "route");
  CHECK(route->kernel->description->places.at(0).backend == "cpu");
  CHECK(route->diagnostics.empty());
  const auto broken = read_kernel_file(folder / "broken" / "kernel.yaml");
  REQUIRE(broken.has_value());
  CHECK_FALSE(broken->kernel.has_value());
  CHECK_FALSE(broken->diagnostics.empty());
  CHECK_FALSE(read_kernel_file(std::string(WOA_SOURCE_DIR) + "/graphs/hello.yaml").has_value());
  CHECK_FALSE(read_kernel_file(folder / "no-such.yaml").has_value());
}

TEST_CASE("a kernel's description says which back-ends run it, and why one does not") {
  const auto read = [](const std::string& name) {
    const auto file = read_kernel_file(std::string(WOA_SOURCE_DIR) + "/kernels/" + name + "/kernel.yaml");
    std::vector<std::string> places;
    for (const PlaceDescription& place : file->kernel->description->places)
      places.push_back(place.kind + " " + place.backend + (place.beyond.empty() ? "" : ": " + place.beyond));
    return places;
  };
  CHECK(read("invert") == std::vector<std::string>{"cpu cpu", "gpu opencl", "gpu cuda", "fpga verilator", "fpga xrt"});
  CHECK(read("join2") == std::vector<std::string>{"cpu cpu", "fpga verilator", "fpga xrt: has two inputs"});
}

TEST_CASE("list_kernels tells a kernel's ports, parameters and variants") {
  const std::vector<KernelListing> kernels = list_kernels(fixture_options().kernel_path);
  const auto found = std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.name == "resize"; });
  REQUIRE(found != kernels.end());
  REQUIRE(found->description.has_value());
  const KernelDescription& said = *found->description;
  REQUIRE(said.inputs.size() == 1);
  CHECK(said.inputs[0].type == "u8[height,width,channels]");
  CHECK(said.inputs[0].max_bytes == 16U << 20);
  REQUIRE(said.params.size() == 5);
  CHECK(said.params[0].type == "int");
  CHECK_FALSE(said.params[0].value.has_value());
  CHECK(said.params[0].max == "32768");
  CHECK(said.params[1].value == "768");
  CHECK(said.params[2].choices == std::vector<std::string>{"bilinear", "nearest"});
  REQUIRE(said.variants.size() == 1);
  CHECK(said.variants[0].kind == "cpu");
}

TEST_CASE("a plan has the position of a chosen text, and of nothing else") {
  const auto param = [](const std::string& params, const std::string& name) {
    const Plan plan = compile_good(
        "inputs: {x: {type: \"u8[a,b,3]\", max: 1MiB}}\nstages:\n  r: {kernel: resize, in: "
        "{image: x}, params: {" +
        params + "}}\noutputs: {y: r.image}\n");
    for (const ParamPlan& each : stage_of(plan, "r").params)
      if (each.name == name) return each;
    return ParamPlan();
  };
  CHECK(param("width: 1", "filter").choice == 0);  // the default
  CHECK(param("width: 1, filter: nearest", "filter").choice == 1);
  CHECK(param("width: 1", "width").choice == -1);
}

TEST_CASE("where no kernel is found at all it is said how they are") {
  const std::string graph = test::graph_text("stages:\n  a: {kernel: copy, in: {in: x}}\noutputs: {y: a.out}\n");
  const std::string said = test::say(compile_text(graph, "graph.yaml", "", {}));
  CHECK(said.find("error[E0201]: there is no kernel `copy`") != std::string::npos);
  CHECK(said.find("fix: no kernel was found at all: set WOA_KERNEL_PATH to the folder that theirs are in\n") !=
        std::string::npos);
}

TEST_CASE("compile_file reads relative to the graph's folder and reports a missing file") {
  const Compilation missing = compile_file("no/such/graph.yaml", fixture_options());
  REQUIRE(missing.diagnostics.size() == 1);
  CHECK(missing.diagnostics[0].code == "E0101");
  CHECK(missing.diagnostics[0].file == "no/such/graph.yaml");
  CHECK(compile_file(WOA_SOURCE_DIR, fixture_options()).diagnostics.at(0).code == "E0101");  // a folder
}

TEST_CASE("the limit that was measured for a transport becomes that of every edge") {
  CompileOptions options = fixture_options();
  for (const EdgePlan& edge : compile_good(kChain, options).edges) CHECK(edge.inline_bytes == kDefaultInlineBytes);
  options.machine = std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/calibration/machine.yaml";
  for (const auto& [transport, limit] : {std::pair{"shm", 256U}, {"loopback", 0U}, {"pigeon", kDefaultInlineBytes}}) {
    options.transport = transport;
    for (const EdgePlan& edge : compile_good(kChain, options).edges) CHECK(edge.inline_bytes == limit);
  }
}

TEST_CASE("a machine file that was only measured does not say which controllers there are") {
  CompileOptions options = fixture_options();
  const std::string graph = "stages:\n  a: {kernel: copy, in: {in: x}, on: \"cpu:9\"}\noutputs: {y: a.out}\n";
  options.machine = std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/calibration/machine.yaml";
  CHECK(compile_good(graph, options).controllers == compile_good(graph).controllers);
}

TEST_CASE("a machine file by itself: what was measured, or what is wrong with it") {
  const std::string golden = std::string(WOA_SOURCE_DIR) + "/tests/golden/compiler/";
  const MachineFile measured = read_machine_file(golden + "calibration/machine.yaml");
  CHECK(measured.diagnostics.empty());
  CHECK_FALSE(measured.has_controllers);
  REQUIRE(measured.calibration.has_value());
  CHECK(measured.calibration->processor == "Some Processor @ 1 GHz");
  CHECK(measured.calibration->inline_bytes == std::map<std::string, std::uint32_t>{{"loopback", 0}, {"shm", 256}});
  const MachineFile listed = read_machine_file(golden + "machine/machine.yaml");
  CHECK(listed.has_controllers);
  CHECK_FALSE(listed.calibration.has_value());
  const MachineFile broken = read_machine_file(golden + "bad-calibration/machine.yaml");
  CHECK_FALSE(broken.calibration.has_value());
  CHECK_FALSE(broken.diagnostics.empty());
  const MachineFile absent = read_machine_file(golden + "absent.yaml");
  REQUIRE(absent.diagnostics.size() == 1);
  CHECK(absent.diagnostics[0].code == "E0101");
}

}  // namespace
}  // namespace woa
