// The block counts that tags and invariants prove are right, whoever made the invariants; the compiler's counts are
// proved.
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "compiler/certificate/live_blocks.h"
#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/check/token_game.h"
#include "tests/unit/compiler/fixture.h"

namespace woa::test {
namespace {

int below(int n) { return *rc::gen::inRange(0, n); }

CertifiedPlan any_plan(Random& random) {
  const Compilation result = compile_text(graph_text(any_body(random)), "graph.yaml", "", program_options());
  RC_ASSERT(result.plan.has_value());
  return *result.plan;
}

// Changes, drops and adds weights of one of the compiler's invariants, or of a new one.
void change(CertifiedPlan& plan) {
  const auto any_edge = [&] { return static_cast<std::uint32_t>(below(static_cast<int>(plan.edges.size()))); };
  if (plan.invariants.empty() || below(4) == 0) plan.invariants.emplace_back();
  auto& weights = plan.invariants[static_cast<std::size_t>(below(static_cast<int>(plan.invariants.size())))].weights;
  for (int changes = 1 + below(3); changes > 0; --changes) {
    const auto at = static_cast<std::size_t>(below(static_cast<int>(weights.size()) + 1));
    const auto weight = static_cast<std::uint32_t>(1 + below(5));
    if (at < weights.size() && below(2) == 0) {
      weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (at < weights.size()) {
      weights[at].second = weight;
    } else {
      weights.emplace_back(any_edge(), weight);
    }
  }
  std::sort(weights.begin(), weights.end());
  weights.erase(std::unique(weights.begin(), weights.end(), [](auto a, auto b) { return a.first == b.first; }),
                weights.end());
}

TEST_CASE("no game occupies more blocks than any invariants show") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint32_t>());
    CertifiedPlan plan = any_plan(random);
    change(plan);
    const auto proved = proved_blocks(plan);
    RC_ASSERT(proved.ok());
    for (std::size_t e = 0; e < plan.edges.size(); ++e)
      plan.edges[e].min_blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>((*proved)[e], 1U << 20));
    for (int i = 0; i < 20; ++i) RC_ASSERT(Game(plan, random).play() == "");
  }));
}

TEST_CASE("a block less than is shown to be enough is found") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint32_t>());
    CertifiedPlan plan = any_plan(random);
    RC_ASSERT(verify_blocks(plan).ok());
    const auto proved = proved_blocks(plan);
    EdgePlan& edge = plan.edges[static_cast<std::size_t>(below(static_cast<int>(plan.edges.size())))];
    const std::uint64_t enough = (*proved)[static_cast<std::size_t>(&edge - plan.edges.data())];
    edge.min_blocks = static_cast<std::uint32_t>(below(static_cast<int>(enough)));
    RC_ASSERT(verify_blocks(plan).code() == Code::kInvalid);
    edge.min_blocks = static_cast<std::uint32_t>(enough);
    RC_ASSERT(verify_blocks(plan).ok());
  }));
}

TEST_CASE("what is no invariant is refused, not read past its end") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint32_t>());
    CertifiedPlan plan = any_plan(random);
    const auto edges = static_cast<std::uint32_t>(plan.edges.size());
    constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
    using Weights = decltype(Invariant::weights);
    const std::vector<Weights> wrong{Weights{{edges, 1}},
                                     Weights{{kMost, 1}},
                                     Weights{{0, 0}},
                                     Weights{{0, kMost}},
                                     Weights{{0, 1}, {0, 1}},
                                     Weights{{edges - 1, 1}, {0, 1}},
                                     Weights{{0, TokenFlow::kMaxWeight + 1}}};
    plan.invariants.push_back({wrong[static_cast<std::size_t>(below(static_cast<int>(wrong.size())))]});
    RC_ASSERT(proved_blocks(plan).status().code() == Code::kInvalid);
    RC_ASSERT(verify_blocks(plan).code() == Code::kInvalid);
  }));
}

TEST_CASE("invariants are in the plan's file") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint32_t>());
    CertifiedPlan plan = any_plan(random);
    change(plan);
    const std::string bytes = serialize(plan);
    const auto again = parse_certified_plan(std::as_bytes(std::span(bytes)));
    RC_ASSERT(again.ok());
    RC_ASSERT(again->invariants == plan.invariants);
  }));
}

}  // namespace
}  // namespace woa::test
