// Costs of a graph in the certificate of its plan: no measurement is lost.
#include <numeric>

#include "tests/unit/compiler/fixture.h"
#include "tests/unit/compiler/measured_files.h"

namespace woa {
namespace {

CertifiedPlan placed(const std::string& body, const std::string& machine, const std::string& measured,
                     const std::string& objective = "latency") {
  test::MeasuredFiles files;
  CompileOptions options = files.options(test::graph_text(body), machine, measured);
  options.goal.objective = objective;
  CertifiedPlan plan = test::compile_good(body, options);
  CHECK(verify_certificate(plan).message() == "");
  return plan;
}

const std::string kFarCpus =
    "controllers: {\"cpu:0\": {}, \"cpu:1\": {}}\ndefault_link: {latency: 100us, bandwidth: 1GB/s}\n";

TEST_CASE("a stage takes its kernel's time and what its controller adds to each firing") {
  const CertifiedPlan plan = placed(
      "stages:\n  a: {kernel: copy, in: {in: x}}\noutputs: {y: a.out}\nwindow: 1\n",
      "controllers: {\"cpu:0\": {firing: 70ns, message: 30ns}, \"cpu:1\": {firing: 60ns, message: 90ns}}\n"
      "default_link: {latency: 1us, bandwidth: 1GB/s}\n",
      "stages: {a: {firings: 10, on: {cpu: {time_ps: 5000}}}}\n"
      "edges: [{from: source.x, to: a.in, tokens: 1, bytes: 0}, {from: a.out, to: sink.y, tokens: 1, bytes: 0}]\n");
  const Certificate& certificate = *plan.certificate;
  CHECK(certificate.placement[2] == 2);
  CHECK(certificate.costs.stages[2].time_ps == std::vector<std::int64_t>{kNowhere_ps, 75'000, 65'000});
  CHECK(certificate.costs.components[1].message_ps == 30'000);
  CHECK(certificate.prediction.serial_ps == 10 * 65'000 + 2 * 1'000'000);  // messages are a part of latencies
  CHECK(certificate.prediction.period_ps == 10 * 65'000 + 2 * 90'000);
}

TEST_CASE("for throughput controllers with several workers are costed as if all of them worked") {
  const auto times = [](const std::string& objective) {
    return placed("stages:\n  a: {kernel: copy, in: {in: x}}\noutputs: {y: a.out}\n",
                  "controllers: {\"cpu:0\": {workers: 2}, \"cpu:1\": {}}\n",
                  "stages: {a: {firings: 1, on: {cpu: {time_ps: 5000000, busy_ps: 7000000, busy_workers: 2}}}}\n"
                  "edges: [{from: source.x, to: a.in, tokens: 1, bytes: 0}, {from: a.out, to: sink.y, tokens: 1, "
                  "bytes: 0}]\n",
                  objective)
        .certificate->costs.stages[2]
        .time_ps;
  };
  const auto alone = times("latency"), busy = times("throughput");
  REQUIRE(alone.size() == 3);
  CHECK(busy[1] == alone[1] + 2'000'000);
  CHECK(busy[2] == alone[2]);
}

TEST_CASE("between replicas that share no number every token costs what it costs between two stages") {
  const auto chain = [](int a, int b) {
    const std::string body = "stages:\n  a: {kernel: copy, in: {in: x}, on: \"cpu:0\", replicas: " + std::to_string(a) +
                             "}\n  b: {kernel: copy, in: {in: a.out}, on: \"cpu:1\", replicas: " + std::to_string(b) +
                             "}\noutputs: {y: b.out}\nwindow: 1\n";
    return *placed(body, kFarCpus,
                   "stages: {a: {firings: 1, on: {cpu: {time_ps: 1000000}}}, b: {firings: 1, on: {cpu: {time_ps: "
                   "1000000}}}}\n"
                   "edges: [{from: source.x, to: a.in, tokens: 1, bytes: 0}, {from: a.out, to: b.in, tokens: 1, bytes: "
                   "0}, {from: b.out, to: sink.y, tokens: 1, bytes: 0}]\n")
                .certificate;
  };
  CHECK(chain(1, 1).value_ps == 302'000'000);
  const Certificate many = chain(64, 63);  // a 4032nd of the tokens for each pair
  CHECK(many.value_ps <= 302'000'000);
  CHECK(many.value_ps > 301'990'000);
  std::uint64_t tokens = 0, firings = 0;
  for (const EdgeCosts& edge : many.costs.edges) tokens += edge.tokens;
  for (std::size_t s = 2; s < many.costs.stages.size(); ++s) firings += many.costs.stages[s].firings;
  CHECK(tokens == 3 * kPerMillion);
  CHECK(firings == 2 * kPerMillion);
}

TEST_CASE("a branch that is taken once in ten thousand instances costs something, however rare it is") {
  const std::string body =
      "stages:\n  s: {kernel: route, in: {in: x}, on: \"cpu:0\"}\n"
      "  a: {kernel: copy, in: {in: s.left}, on: \"cpu:1\"}\noutputs: {y: [a.out, s.right]}\n";
  const auto taken = [&](const std::string& often) {
    const CertifiedPlan plan =
        placed(body, kFarCpus,
               "stages: {s: {firings: 1, on: {cpu: {time_ps: 1000}}}, a: {firings: " + often +
                   ", on: {cpu: {time_ps: 1000}}}}\nedges: [{from: source.x, to: s.in, tokens: 1, bytes: "
                   "0}, {from: s.left, to: "
                   "a.in, tokens: " +
                   often + ", bytes: 100}, {from: a.out, to: sink.y, tokens: " + often +
                   ", bytes: 0}, {from: s.right, to: sink.y, tokens: 1, bytes: 0}]\n");
    return plan.certificate->costs.edges[1];
  };
  CHECK(taken("0.0001").tokens == 100);
  CHECK(taken("1e-12").tokens == 1);
  CHECK(taken("1e-12").bytes == 1);
  CHECK(taken("0").tokens == 0);
}

TEST_CASE("an edge's bytes are its mean, where the median is that of absent tokens") {
  const std::string body = "stages:\n  a: {kernel: copy, in: {in: x}}\noutputs: {y: a.out}\n";
  const auto bytes = [&](const std::string& figures) {
    return placed(
               body, kFarCpus,
               "stages: {a: {firings: 1, on: {cpu: {time_ps: 1000}}}}\nedges: [{from: source.x, to: a.in, tokens: 2, " +
                   figures + "}, {from: a.out, to: sink.y, tokens: 1, bytes: 0}]\n")
        .certificate->costs.edges[0]
        .bytes;
  };
  CHECK(bytes("bytes: 0, mean_bytes: 250.5") == 501 * kPerMillion);
  CHECK(bytes("bytes: 7") == 14 * kPerMillion);
  CHECK(bytes("bytes: 2, mean_bytes: 2.333333333") == 4'666'667);  // inputs of 1, 2 and 4
}

TEST_CASE("what a scatter counts is told from its elements, in the costs as in the plan") {
  const std::string body =
      "stages:\n  c: {kernel: cut, in: {in: x}}\n  w: {kernel: copy, in: {in: c.piece}}\n"
      "  p: {kernel: paste, in: {pieces: w.out}}\noutputs: {y: p.out}\n";
  CertifiedPlan plan =
      placed(body, kFarCpus,
             "stages: {c: {firings: 1, on: {cpu: {time_ps: 9}}}, w: {firings: 4, on: {cpu: {time_ps: 9}}}, p: "
             "{firings: 1, on: {cpu: {time_ps: 9}}}}\n"
             "edges: [{from: source.x, to: c.in, tokens: 1, bytes: 8}, {from: c.piece, to: w.in, tokens: 4, "
             "bytes: 2}, {from: w.out, to: p.pieces, tokens: 4, bytes: 2}, {from: p.out, to: sink.y, tokens: 1, "
             "bytes: 8}]\n");
  std::size_t counts = 0;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    EdgeCosts& costs = plan.certificate->costs.edges[e];
    CHECK(costs.count == plan.edges[e].count);
    if (!costs.count) continue;
    ++counts;
    costs.count = false;
    CHECK(verify_certificate(plan).message().find("carries something else") != std::string::npos);
    costs.count = true;
  }
  CHECK(counts == 1);
}

const std::string kFourStages =
    "stages:\n  a: {kernel: copy, in: {in: x}, on: \"cpu:0\"}\n  b: {kernel: copy, in: {in: a.out}, on: \"cpu:1\"}\n"
    "  c: {kernel: copy, in: {in: b.out}, on: \"cpu:2\"}\n  d: {kernel: copy, in: {in: c.out}, on: \"cpu:3\"}\n"
    "outputs: {y: d.out}\n";
const std::string kFourTimes =
    "stages: {a: {firings: 1, on: {cpu: {time_ps: 10000000}}}, b: {firings: 1, on: {cpu: {time_ps: 10000000}}}, c: "
    "{firings: 1, on: {cpu: {time_ps: 10000000}}}, d: {firings: 1, on: {cpu: {time_ps: 10000000}}}}\n"
    "edges: [{from: source.x, to: a.in, tokens: 1, bytes: 0}, {from: a.out, to: b.in, tokens: 1, bytes: 0}, {from: "
    "b.out, to: c.in, tokens: 1, bytes: 0}, {from: c.out, to: d.in, tokens: 1, bytes: 0}, {from: d.out, to: sink.y, "
    "tokens: 1, bytes: 0}]\n";

TEST_CASE("controllers that a graph names beside those of the machine share the cores of their kind") {
  const std::string cores =
      "calibration: {processor: P, cores: {count: 2, kinds: [cpu, fpga]}, transports: {shm: "
      "{inline_bytes: 64}}}\n";
  CHECK(placed(kFourStages, cores, kFourTimes, "throughput").certificate->value_ps == 20'000'000);
  const std::string two = "controllers: {\"cpu:0\": {}, \"cpu:1\": {}}\n";
  CHECK(placed(kFourStages, two + cores, kFourTimes, "throughput").certificate->value_ps == 20'000'000);
  CHECK(placed(kFourStages, two, kFourTimes, "throughput").certificate->value_ps == 10'000'000);
}

std::string machine_of(int cpus, int gpus) {
  std::string text;
  for (int n = 0; n < cpus; ++n) text += (text.empty() ? "" : ", ") + ("\"cpu:" + std::to_string(n)) + "\": {}";
  for (int n = 0; n < gpus; ++n) text += ", \"gpu:" + std::to_string(n) + "\": {}";
  return "controllers: {" + text + "}\n";
}

TEST_CASE("controllers that no stage may run on are not looked at, and of the others there is a clear limit") {
  const std::string body = "stages:\n  a: {kernel: copy, in: {in: x}, on: cpu}\noutputs: {y: a.out}\n";
  const std::string measured =
      "stages: {a: {firings: 1, on: {cpu: {time_ps: 1000}}}}\n"
      "edges: [{from: source.x, to: a.in, tokens: 1, bytes: 0}, {from: a.out, to: sink.y, tokens: 1, bytes: 0}]\n";
  CHECK(placed(body, machine_of(63, 30), measured).certificate->costs.components.size() == 64);
  test::MeasuredFiles files;
  const std::string graph = test::graph_text(body);
  const auto refused = compile_text(graph, "graph.yaml", "folder", files.options(graph, machine_of(64, 0), measured));
  REQUIRE(refused.diagnostics.size() == 1);
  CHECK(refused.diagnostics[0].code == "E0631");
  CHECK(refused.diagnostics[0].text.find("64 controllers that stages may run on, and 63 are the most") !=
        std::string::npos);
}

}  // namespace
}  // namespace woa
