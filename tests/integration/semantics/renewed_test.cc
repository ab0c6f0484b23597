// Tokens that are held within an outer loop: each is free once that of a later turn has come, so a few blocks serve any
// number of turns, under every call model.
#include <algorithm>

#include "compiler/certificate/live_blocks.h"
#include "tests/integration/semantics/graph_run.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kHang_ns = 60'000'000'000;  // an instance that takes this long has come to a standstill
constexpr int kWords = 50, kLines = 6;

// Texts have a number, the words that are left, and perhaps something else behind it, as in "7:2".
int words_of(const std::string& text) { return std::stoi(text); }
int steps_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? 0 : std::stoi(text.substr(colon + 1));
}

// A `near` takes some turns for a word; its held input must be that very word.
void near(Firing& f, const StagePlan&) {
  const std::string word = read(f, 1);
  const int left = words_of(read(f, 0)), steps = steps_of(read(f, 0));
  if (words_of(word) != left) {
    f.code = Code::kKernelFailed;
    f.message = "word " + std::to_string(left) + " is searched, and " + word + " is held";
    return;
  }
  const bool again = steps < left % 4;
  write(f, again ? 0 : 1, again ? std::to_string(left) + ":" + std::to_string(steps + 1) : std::to_string(left - 1));
}

const Functions kKernels{
    // `words`: left while there are some; `pick`: left now and then.
    {"route",
     [](Firing& f, const StagePlan& s) {
       const int left = words_of(read(f, 0));
       write(f, (s.name == "pick" ? left % 7 == 0 : left > 0) ? 0 : 1, read(f, 0));
     }},
    {"step2", near},
    {"copy",
     [](Firing& f, const StagePlan& s) {
       write(f, 0, s.name == "skip" ? std::to_string(words_of(read(f, 0)) - 1) : read(f, 0));
     }},
    // Goes on with the next line, which has as many words.
    {"step",
     [](Firing& f, const StagePlan&) {
       const int line = steps_of(read(f, 0));
       write(f, line < kLines ? 0 : 1, std::to_string(kWords) + ":" + std::to_string(line + 1));
     }},
};

std::string graph(const std::string& stages, const std::string& output) {
  return "woa: 1\ngraph: words\ninputs: {x: {type: bytes, max: 64}}\nstages:\n" + stages + "outputs: {y: " + output +
         "}\n";
}

// Every word is searched in turns of an inner loop.
const std::string kSearched = graph(
    "  words: {kernel: route, in: {in: [x, {from: near.done, loop: {max: 62953, name: words}}]}, on: \"cpu:0\"}\n"
    "  near: {kernel: step2, in: {x: [words.left, {from: near.again, loop: {max: 20000, name: near}}], "
    "y: {from: words.left, hold: true}}, on: \"cpu:1\"}\n",
    "words.right");
// Six words in a row are held and never read.
const std::string kSkipped = graph(
    "  words: {kernel: route, in: {in: [x, {from: near.done, loop: {max: 62953, name: words}}, {from: skip.out, loop: "
    "{name: words}}]}, on: \"cpu:0\"}\n"
    "  pick: {kernel: route, in: {in: words.left}, on: \"cpu:0\"}\n"
    "  near: {kernel: step2, in: {x: [pick.left, {from: near.again, loop: {max: 20000, name: near}}], "
    "y: {from: words.left, hold: true}}, on: \"cpu:1\"}\n"
    "  skip: {kernel: copy, in: {in: pick.right}, on: \"cpu:0\"}\n",
    "words.right");

const EdgePlan& held_edge(const Plan& plan) {
  return *std::ranges::find_if(
      plan.edges, [&](const EdgePlan& edge) { return plan.stages[edge.to_stage].inputs[edge.to_port].hold; });
}

std::string first_word(std::uint64_t instance, std::uint32_t) { return std::to_string(kWords + instance); }

Outcome run_words(CertifiedPlan plan, std::string_view model, std::uint32_t window) {
  plan.window = window;
  return run_as<ThreadedBackend>(plan, model, kKernels, 2 * window, first_word);
}

}  // namespace

TEST_CASE("a word that is held for an inner loop needs three blocks, however many words there are") {
  for (const std::string& text : {kSearched, kSkipped}) {
    CertifiedPlan plan = compiled(text);
    INFO(text);
    CHECK(held_edge(plan).min_blocks == kRenewedBlocks);
    CHECK_FALSE(held_edge(plan).claimed);
    CHECK(verify_liveness(plan).message() == "");
    plan.timeout_ns = kHang_ns;
    for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
    const std::vector<std::string_view> models = models_of(plan);
    CHECK(models.size() >= 4);
    for (const std::string_view model : models) {
      for (const std::uint32_t window : {1, 3}) {
        INFO(model << ", window " << window);
        const Outcome outcome = run_words(plan, model, window);
        for (const auto& [instance, failure] : outcome.failures) CHECK(failure.message == "");
        REQUIRE(outcome.outputs.size() == 2 * window);
        for (const auto& [instance, outputs] : outcome.outputs) CHECK(outputs[0] == "0");
      }
    }
  }
}

TEST_CASE("with one block the word that is held stops the next") {
  CertifiedPlan plan = compiled(kSearched);
  plan.timeout_ns = 300'000'000;
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  const auto held = static_cast<std::size_t>(&held_edge(plan) - plan.edges.data());
  plan.edges[held].blocks = plan.edges[held].min_blocks = 1;
  const Outcome outcome = run_words(plan, "woa", 1);
  CHECK(outcome.failures.size() == 2);
  for (const auto& [instance, failure] : outcome.failures) CHECK(failure.code == Code::kDeadlineExceeded);
}

TEST_CASE("a word within a line within a text needs as few") {
  CertifiedPlan plan = compiled(
      graph("  lines: {kernel: copy, in: {in: [x, {from: end.again, loop: {max: 5000, name: lines}}]}, on: \"cpu:0\"}\n"
            "  words: {kernel: route, in: {in: [lines.out, {from: near.done, loop: {max: 62953, name: words}}]}}\n"
            "  near: {kernel: step2, in: {x: [words.left, {from: near.again, loop: {max: 20000, name: near}}], "
            "y: {from: words.left, hold: true}}, on: \"cpu:1\"}\n"
            "  count: {kernel: join2, in: {a: words.right, b: {from: lines.out, hold: true}}}\n"
            "  end: {kernel: step, in: {x: count.out}}\n",
            "end.done"));
  CHECK(verify_liveness(plan).message() == "");
  for (const EdgePlan& edge : plan.edges)
    if (plan.stages[edge.to_stage].inputs[edge.to_port].hold) CHECK(edge.min_blocks == kRenewedBlocks);
  plan.timeout_ns = kHang_ns;
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  Functions kernels = kKernels;
  // The words are over; the line's number stands behind those that it began with.
  kernels["join2"] = [](Firing& f, const StagePlan&) { write(f, 0, read(f, 1)); };
  LoopbackTransport transport;
  BackendRegistry backends;
  REQUIRE(backends.add(function_factory<FunctionBackend>(kernels)).ok());
  for (const std::string_view model : models_of(plan)) {
    RunOptions options;
    options.backends = &backends;
    options.transport = &transport;
    const Outcome outcome = run_plan(*rewrite(plan, model), options, 2, first_word);
    INFO(model);
    REQUIRE(outcome.outputs.size() == 2);
    for (const auto& [instance, outputs] : outcome.outputs)
      CHECK(outputs[0] == std::to_string(kWords) + ":" + std::to_string(kLines + 1));
  }
}

}  // namespace woa::test
