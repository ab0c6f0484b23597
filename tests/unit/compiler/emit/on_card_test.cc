// The compiler joins stages that one fpga may run behind one another, and the plan stays provably live and well placed.
#include <string>
#include <vector>

#include "compiler/emit/dot.h"
#include "compiler/verify/verify.h"
#include "runtime/call_models/call_model.h"
#include "tests/unit/compiler/fixture.h"
#include "tests/unit/compiler/measured_files.h"

namespace woa::test {
namespace {

const std::string kFpga = "controllers: {\"cpu:0\": {}, \"fpga:0\": {}, \"fpga:1\": {}}\n";

// Kernels k0, k1, ..., each with a core of its own.
void add_kernels(MeasuredFiles& files, int count) {
  for (int k = 0; k < count; ++k) {
    const std::string name = "k" + std::to_string(k);
    files.add_kernel(name,
                     "in: {in: {type: bytes}}\nout: {out: {type: bytes, max: 64}}\n"
                     "variants: {cpu: {}, rtl: {size: true, core: " +
                         name + ", clock_mhz: 100}}\n");
  }
}

// A stage of kernel k0, k1, ... that reads `from`.
std::string stage(const std::string& name, int kernel, const std::string& from, const std::string& on = "'fpga:0'") {
  return "  " + name + ": {kernel: k" + std::to_string(kernel) + ", in: {in: " + from + "}, on: " + on + "}\n";
}

CertifiedPlan plan_of(const std::string& stages, const std::string& outputs) {
  MeasuredFiles files;
  add_kernels(files, 4);
  const std::string body = "stages:\n" + stages + "outputs: {" + outputs + "}\n";
  CompileOptions options = files.options(graph_text(body), kFpga, "stages: {}\n");
  options.profile.reset();
  options.warn_of_unbuilt = false;
  CertifiedPlan plan = compile_good(body, options);
  CHECK(verify_liveness(plan).message() == "");
  return plan;
}

// "a>b" for each edge on a card, in order.
std::string joined(const Plan& plan) {
  std::string text;
  for (const EdgePlan& edge : plan.edges)
    if (edge.on_card) text += " " + plan.stages[edge.from_stage].name + ">" + plan.stages[edge.to_stage].name;
  return text;
}

}  // namespace

TEST_CASE("a chain of stages on one fpga is joined") {
  const CertifiedPlan plan = plan_of(stage("a", 0, "x") + stage("b", 1, "a.out") + stage("c", 2, "b.out"), "y: c.out");
  CHECK(joined(plan) == " a>b b>c");
  CHECK(joined(*rewrite(plan, "woa")) == " a>b b>c");
  for (const char* model : {"rpc-hub", "rpc-fused", "rpc-nested", "rpc-polled"})
    CHECK(joined(*rewrite(plan, model)).empty());
  const std::string dot = to_dot(plan);
  CHECK(dot.find("on the card\"") != std::string::npos);
  CHECK(dot.find("orange: on the card, without the host") != std::string::npos);
}

TEST_CASE("a core is once in a chain, and the chain goes on behind it") {
  const CertifiedPlan plan = plan_of(
      stage("a", 0, "x") + stage("b", 1, "a.out") + stage("c", 0, "b.out") + stage("d", 1, "c.out"), "y: d.out");
  CHECK(joined(plan) == " a>b c>d");
}

TEST_CASE("stages of two controllers, with two readers or in a loop are not joined") {
  CHECK(joined(plan_of(stage("a", 0, "x") + stage("b", 1, "a.out", "'fpga:1'"), "y: b.out")).empty());
  CHECK(joined(plan_of(stage("a", 0, "x") + stage("b", 1, "a.out", "'cpu:0'"), "y: b.out")).empty());
  CHECK(joined(plan_of(stage("a", 0, "x") + stage("b", 1, "a.out"), "y: b.out, z: a.out")).empty());
  CHECK(joined(plan_of(stage("a", 0, "x") + stage("b", 1, "a.out") + stage("c", 2, "a.out"), "y: b.out, z: c.out"))
            .empty());
}

TEST_CASE("placement knows that a link on a card costs nothing, and its certificate holds") {
  MeasuredFiles files;
  add_kernels(files, 2);
  const std::string body =
      "stages: {a: {kernel: k0, in: {in: x}}, b: {kernel: k1, in: {in: a.out}}}\noutputs: {y: b.out}\n";
  const std::string times = "{firings: 1, on: {cpu: {time_ps: 9000000}, fpga: {time_ps: 1000000}}}";
  CompileOptions options = files.options(
      graph_text(body), kFpga + "default_link: {latency: 2us, bandwidth: 1GB/s}\n",
      "stages: {a: " + times + ", b: " + times +
          "}\nedges: [{from: source.x, to: a.in, tokens: 1, bytes: 64}, {from: a.out, to: b.in, tokens: 1, bytes: 64}, "
          "{from: b.out, to: sink.y, tokens: 1, bytes: 64}]\n");
  options.warn_of_unbuilt = false;
  CertifiedPlan plan = compile_good(body, options);
  CHECK(joined(plan) == " a>b");
  CHECK(plan.certificate->prediction.messages == 2 * kPerMillion);
  CHECK(verify_certificate(plan).message() == "");
  plan.edges[1].on_card = false;  // the host carries the payload: as valid, as live, as costly to the model
  CHECK(validate(plan).message() == "");
  CHECK(verify_certificate(plan).message() == "");
  CHECK(verify_liveness(plan).message() == "");
  plan.edges[0].on_card = true;
  CHECK_FALSE(validate(plan).ok());
}

}  // namespace woa::test
