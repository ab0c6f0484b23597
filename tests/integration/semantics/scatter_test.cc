// A scatter and its gather, apart from their values: order, numbers of elements, messages, failures.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "tests/integration/semantics/graph_run.h"
#include "tests/support/functions.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kScatterInstances = 40;

// cut -> work -> paste, on a controller each; instance i has i mod 5 elements.
std::string graph(const std::string& work = "") {
  return "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
         "  c: {kernel: cut, in: {in: x}, on: \"cpu:0\"}\n"
         "  w: {kernel: copy, in: {in: c.piece}, on: \"cpu:1\"" +
         work +
         "}\n"
         "  p: {kernel: paste, in: {pieces: w.out}, on: \"cpu:2\"}\n"
         "outputs: {y: p.out}\n";
}

Functions kernels() {
  Functions all = functions();
  all["cut"] = [](Firing& f, const StagePlan&) {
    for (std::uint64_t e = 0; e < f.instance % 5; ++e) write_element(f, 0, read(f, 0) + "." + std::to_string(e));
  };
  all["paste"] = [](Firing& f, const StagePlan&) {
    std::string text;
    for (std::size_t e = 0; e < f.inputs[0].count; ++e) text += read_element(f, 0, e) + ";";
    write(f, 0, text);
  };
  return all;
}

std::string expected(std::uint64_t instance) {
  std::string text;
  for (std::uint64_t e = 0; e < instance % 5; ++e) text += std::to_string(instance) + "." + std::to_string(e) + ";";
  return text;
}

void check(const Outcome& outcome) {
  REQUIRE(outcome.status.ok());
  REQUIRE(outcome.outputs.size() == kScatterInstances);
  for (const auto& [i, outputs] : outcome.outputs) REQUIRE(outputs[0] == expected(i));
}

TEST_CASE("a gather takes the elements in the order of their numbers, from none to all") {
  Functions late = kernels();
  late["copy"] = late.at("jitter");
  for (const std::string_view model : models_of(compiled(graph()))) {
    INFO(model);
    check(run_as<FunctionBackend>(compiled(graph()), model, kernels(), kScatterInstances));
    check(run_as<ThreadedBackend>(compiled(graph()), model, late, kScatterInstances));
  }
}

TEST_CASE("an element is a message, and so is their number") {
  const Outcome outcome = run_as<FunctionBackend>(compiled(graph()), "woa", kernels(), kScatterInstances);
  const std::uint64_t elements = kScatterInstances / 5 * (0 + 1 + 2 + 3 + 4);
  CHECK(outcome.messages() == kScatterInstances * 3 + elements * 2);  // in, count and out; to and from `w`
}

TEST_CASE("polled: the number of elements answers the poll, and one request fetches them all") {
  const std::uint64_t elements = kScatterInstances / 5 * (0 + 1 + 2 + 3 + 4);
  for (const std::string replicas : {"", ", replicas: 2", ", replicas: 3"}) {
    const Outcome outcome =
        run_as<FunctionBackend>(compiled(graph(replicas)), "rpc-polled", kernels(), kScatterInstances);
    check(outcome);
    // c: argument, poll, count, request. p: its count, poll, answer, request, result.
    // Of an element: to the host, and argument, poll, answer, request, result of `w`, and to p.
    CHECK(outcome.messages() == kScatterInstances * 9 + elements * 7);
  }
}

TEST_CASE("polled: two stages read a scatter, and each of its readers has a gather") {
  const std::string text =
      "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
      "  c: {kernel: cut, in: {in: x}, on: \"cpu:0\"}\n"
      "  v: {kernel: copy, in: {in: c.piece}, on: \"cpu:1\"}\n"
      "  w: {kernel: copy, in: {in: c.piece}, on: \"cpu:0\", replicas: 2}\n"
      "  p: {kernel: paste, in: {pieces: v.out}, on: \"cpu:0\"}\n"
      "  q: {kernel: paste, in: {pieces: w.out}, on: \"cpu:2\"}\n"
      "  j: {kernel: join2, in: {a: p.out, b: q.out}, on: \"cpu:1\"}\n"
      "outputs: {y: j.out}\n";
  Functions all = kernels();
  all["join2"] = all.at("join");
  for (const std::string_view model : models_of(compiled(text))) {
    INFO(model);
    const Outcome outcome = run_as<ThreadedBackend>(compiled(text), model, all, kScatterInstances);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == kScatterInstances);
    for (const auto& [i, outputs] : outcome.outputs) REQUIRE(outputs[0] == expected(i) + "+" + expected(i));
  }
}

TEST_CASE("replicas share the elements of an instance") {
  std::mutex mutex;
  std::map<std::string, std::set<std::string>> seen;
  Functions noting = kernels();
  noting["copy"] = [&](Firing& f, const StagePlan& s) {
    const std::lock_guard lock(mutex);
    seen[s.name].insert(read(f, 0));
    write(f, 0, read(f, 0));
  };
  for (const std::string_view model : models_of(compiled(graph(", replicas: 3")))) {
    check(run_as<ThreadedBackend>(compiled(graph(", replicas: 3")), model, noting, kScatterInstances));
    REQUIRE(seen.size() == 3);
    for (const auto& [stage, texts] : seen) {
      for (const std::string& text : texts) REQUIRE(text.back() % 3 == stage[2] % 3);
    }
  }
}

TEST_CASE("a scatter at exactly b(e) blocks never blocks for good, whatever the window") {
  for (const std::string_view model : models_of(compiled(graph(", replicas: 2")))) {
    for (const std::uint32_t window : {1U, 3U, 64U}) {
      CertifiedPlan plan = compiled(graph(", replicas: 2"));
      plan.window = window;
      for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
      check(run_as<ThreadedBackend>(plan, model, kernels(), kScatterInstances));
    }
  }
}

TEST_CASE("one block less than b(e) blocks for good, and verify refuses it") {
  Functions most = kernels();
  most["cut"] = [](Firing& f, const StagePlan&) {
    for (int e = 0; e < 4; ++e) write_element(f, 0, "x");
  };
  CertifiedPlan plan = compiled(graph());
  plan.window = 1;
  const auto edge = std::ranges::find_if(plan.edges, [&](const EdgePlan& e) {
    return plan.stages[e.from_stage].name == "w";  // its elements wait for the gather
  });
  REQUIRE(edge->min_blocks == 4);
  edge->blocks = 4;
  const Outcome enough = run_as<FunctionBackend>(plan, "woa", most, 3);
  REQUIRE(enough.outputs.size() == 3);
  REQUIRE(enough.outputs.at(2)[0] == "x;x;x;x;");
  edge->blocks = edge->min_blocks = 3;
  REQUIRE(validate(plan).ok());
  REQUIRE_FALSE(verify_liveness(plan).ok());
  plan.timeout_ns = 200'000'000;  // nothing else would end it
  const Outcome blocked = run_as<FunctionBackend>(plan, "woa", most, 3);
  REQUIRE(blocked.failures.size() == 3);
  for (const auto& [instance, failure] : blocked.failures) REQUIRE(failure.code == Code::kDeadlineExceeded);
}

TEST_CASE("an element that fails fails its instance, and no other") {
  Functions failing = kernels();
  failing["copy"] = [](Firing& f, const StagePlan&) {
    write(f, 0, read(f, 0));
    if (read(f, 0) != "13.1") return;
    f.code = Code::kKernelFailed;
    f.message = "13.1 is refused";
  };
  for (const std::string_view model : models_of(compiled(graph()))) {
    const Outcome outcome = run_as<FunctionBackend>(compiled(graph()), model, failing, kScatterInstances);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == kScatterInstances - 1);
    REQUIRE(outcome.failures.at(13).stage == "w");
    REQUIRE(outcome.failures.at(13).message == "element 1: 13.1 is refused");
  }
}

TEST_CASE("a kernel that writes other elements than it counts has broken its contract") {
  Functions wrong = kernels();
  wrong["cut"] = [](Firing& f, const StagePlan&) {
    if (f.instance == 0) write_element(f, 0, "x");
    if (f.instance == 1) f.outputs[0].count = 1;  // and writes none
    if (f.instance == 2) f.outputs[0].elements[2].written = true;
    if (f.instance == 3) f.outputs[0].count = 5;  // of 4
  };
  const Outcome outcome = run_as<FunctionBackend>(compiled(graph()), "woa", wrong, 4);
  REQUIRE(outcome.outputs.at(0)[0] == "x;");
  for (const std::uint64_t i : {1U, 2U, 3U}) {
    REQUIRE(outcome.failures.at(i).code == Code::kBrokenContract);
    REQUIRE(outcome.failures.at(i).message.find("'piece'") != std::string::npos);
  }
}

}  // namespace
}  // namespace woa::test
