// Modelled times: a stage is placed where no variant of its kernel runs, the certificate says so, and nothing runs it.
#include "compiler/place/needs.h"
#include "tests/unit/compiler/fixture.h"
#include "tests/unit/compiler/measured_files.h"

namespace woa {
namespace {

const std::string kBody =
    "stages: {a: {kernel: copy, in: {in: x}}, s: {kernel: k, in: {in: a.out}}}\noutputs: {y: s.out}\n";
// An fpga with 100 luts beside its packet node.
const std::string kMachine = "controllers: {\"cpu:0\": {}, \"gpu:0\": {memory: 1GiB}, \"fpga:0\": {luts: " +
                             std::to_string(node_on(default_controller(ControllerKind::kFpga, 0)).at("luts") + 100) +
                             "}}\n"
                             "default_link: {latency: 1us, bandwidth: 10GB/s}\n";

// The profile, where stage `s` has `on` beside a cpu's time.
std::string measured(const std::string& on) {
  return "stages: {a: {firings: 1, on: {cpu: {time_ps: 1000}}}, s: {firings: 1, on: {cpu: {time_ps: 1000000000}, " +
         on +
         "}}}\nedges: [{from: source.x, to: a.in, tokens: 1, bytes: 8}, {from: a.out, to: s.in, tokens: 1, bytes: 8}, "
         "{from: s.out, to: sink.y, tokens: 1, bytes: 8}]\n";
}

class Modelled {
 public:
  Modelled() {
    files_.add_kernel("k",
                      "in: {in: {type: bytes}}\nout: {out: {type: bytes, max: 64}}\nstateful: instance\n"
                      "variants: {cpu: {}}\n");
  }
  Compilation compile(const std::string& on, const std::string& body = kBody) {
    const std::string graph = test::graph_text(body);
    return compile_text(graph, "graph.yaml", "folder", files_.options(graph, kMachine, measured(on)));
  }
  CertifiedPlan plan(const std::string& on, const std::string& body = kBody) {
    Compilation result = compile(on, body);
    INFO(test::say(result));
    REQUIRE(result.plan.has_value());
    CHECK(validate(*result.plan).message() == "");
    CHECK(verify_liveness(*result.plan).message() == "");
    CHECK(verify_certificate(*result.plan).message() == "");
    return std::move(*result.plan);
  }

 private:
  test::MeasuredFiles files_;
};

std::string place_of(const CertifiedPlan& plan) { return plan.controllers[test::stage_of(plan, "s").controller].name; }

TEST_CASE("a modelled time places a stage where its kernel has no variant") {
  Modelled modelled;
  const CertifiedPlan plan = modelled.plan("fpga: {time_ps: 1000, modelled: true}");
  CHECK(place_of(plan) == "fpga:0");
  CHECK(modelled_stages(plan) == std::vector<std::string>{"s"});
  CHECK(plan.certificate->value_ps < 100'000'000);
  const std::string bytes = serialize(plan);
  const auto read = parse_certified_plan(std::as_bytes(std::span(bytes)));
  REQUIRE(read.ok());
  CHECK(*read == plan);
  CHECK(verify_certificate(*read).message() == "");
}

TEST_CASE("stages of one kernel may be modelled with different needs, or only one of them") {
  Modelled modelled;
  const std::string two =
      "stages: {a: {kernel: k, in: {in: x}}, s: {kernel: k, in: {in: a.out}}}\noutputs: {y: s.out}\n";
  CHECK(place_of(modelled.plan("fpga: {time_ps: 1000, modelled: true, resources: {luts: 60}}", two)) == "fpga:0");
}

TEST_CASE("without a modelled time, or at a worse one, the plan runs") {
  Modelled modelled;
  for (const std::string on : {"fpga: {time_ps: 1000}", "fpga: {time_ps: 1000, modelled: false}",
                               "fpga: {time_ps: 900000000000, modelled: true}"}) {
    const CertifiedPlan plan = modelled.plan(on);
    CHECK(place_of(plan) == "cpu:0");
    CHECK(modelled_stages(plan).empty());
    CHECK(check_runnable(plan).message() == "");
  }
}

TEST_CASE("a plan with modelled times says which, and does not run") {
  Modelled modelled;
  const Status status = check_runnable(modelled.plan("gpu: {time_ps: 1000, modelled: true}"));
  CHECK(status.code() == Code::kUnsupported);
  for (const char* part : {"stage 's' on gpu:0", "modelled", "kernel 'k'", "remove `modelled` entries (`gpu`)"})
    CHECK(status.message().find(part) != std::string::npos);
}

TEST_CASE("what a modelled stage takes stays within its controller") {
  Modelled modelled;
  const auto on = [](int luts) {
    return "fpga: {time_ps: 1000, modelled: true, resources: {luts: " + std::to_string(luts) + "}}";
  };
  CHECK(place_of(modelled.plan(on(100))) == "fpga:0");
  CHECK(place_of(modelled.plan(on(101))) == "cpu:0");
}

TEST_CASE("a pin to a kind with a modelled time is kept") {
  Modelled modelled;
  const std::string body =
      "stages: {a: {kernel: copy, in: {in: x}}, s: {kernel: k, in: {in: a.out}, on: gpu}}\noutputs: {y: s.out}\n";
  CHECK(place_of(modelled.plan("gpu: {time_ps: 5000000000, modelled: true}", body)) == "gpu:0");
  const Compilation without = modelled.compile("fpga: {time_ps: 1000, modelled: true}", body);
  REQUIRE(without.diagnostics.size() == 1);
  CHECK(without.diagnostics[0].code == "E0205");
}

TEST_CASE("a controller's own time goes before a modelled one of its kind") {
  Modelled modelled;
  CHECK(place_of(modelled.plan("fpga: {time_ps: 1000, modelled: true}, \"fpga:0\": {time_ps: 1000}")) == "cpu:0");
  CHECK(place_of(modelled.plan("fpga: {time_ps: 900000000000}, \"fpga:0\": {time_ps: 1000, modelled: true}")) ==
        "fpga:0");
}

TEST_CASE("nobody takes the label off") {
  Modelled modelled;
  const CertifiedPlan plan = modelled.plan("fpga: {time_ps: 1000, modelled: true}");
  const auto number = static_cast<std::size_t>(&test::stage_of(plan, "s") - plan.stages.data());
  CertifiedPlan changed = plan;
  changed.stages[number].variant.kind = "rtl";
  CHECK(verify_certificate(changed).message().find("the time of stage 's' is modelled") != std::string::npos);
  changed = plan;
  changed.certificate->costs.stages[number].modelled.clear();
  CHECK(verify_certificate(changed).code() == Code::kInvalid);
}

TEST_CASE("resources are those of modelled entries") {
  Modelled modelled;
  const auto codes = [&](const std::string& on) {
    std::string all;
    for (const Diagnostic& diagnostic : modelled.compile(on).diagnostics) all += diagnostic.code + " ";
    return all;
  };
  CHECK(codes("fpga: {time_ps: 1000, resources: {luts: 1}}") == "E0113 ");
  CHECK(codes("fpga: {time_ps: 1000, modelled: false, resources: {luts: 1}}") == "E0113 ");
  CHECK(codes("fpga: {time_ps: 1000, modelled: maybe}") == "E0113 ");
  CHECK(codes("fpga: {time_ps: 1000, modelled: true, resources: {lutz: 1}}") == "E0110 ");
  CHECK(codes("fpga: {modelled: true}") == "E0111 ");
}

}  // namespace
}  // namespace woa
