// Blocks for a throughput, of any pipeline: they suffice, and none that the search tried with fewer does.
#include <rapidcheck.h>

#include "compiler/buffers/throughput_blocks.h"
#include "compiler/predict/pipelined_run.h"
#include "tests/unit/compiler/place/costed_plan.h"
#include "tests/unit/compiler/predict/naive_pipeline.h"

namespace woa::test {
namespace {

std::uint32_t any(std::uint32_t first, std::uint32_t last) { return *rc::gen::inRange<std::uint32_t>(first, last + 1); }

// Stages in a row, each read by some behind it; some tokens held, some stages in a loop with themselves.
CertifiedPlan any_pipeline() {
  LinkCosts link;
  link.latency_ps = any(0, 60), link.ps_per_kib = any(0, 1) * 1024;
  const std::uint32_t controllers = any(1, 4), count = any(1, 6);
  CostedPlan maker(controllers, any(1, 12), link);
  for (std::uint32_t l = 1; l <= controllers; ++l) {
    maker.costs.components[l].workers = any(1, 2);
    if (any(0, 2) == 0) maker.costs.components[l].cores = "package";
  }
  for (ComponentCosts& component : maker.costs.components) component.message_ps = any(0, 1) * any(0, 20);
  maker.costs.cores = {{"package", any(1, 3)}};
  std::vector<std::uint32_t> stages{kSourceStage};
  const auto edge = [&](std::uint32_t from, std::uint32_t to) -> EdgePlan& {
    return maker.edge(from, to, kPerMillion, any(0, 9) * kPerMillion, any(1, 3));
  };
  for (std::uint32_t s = 0; s < count; ++s) {
    const std::uint32_t stage = maker.stage(any(1, controllers), any(1, 50), any(1, 2) * kPerMillion);
    edge(stages.back(), stage);
    if (any(0, 1) == 0) {
      const EdgePlan& far = edge(stages[any(0, s)], stage);
      maker.raw().stages[stage].inputs[far.to_port].hold = any(0, 3) == 0;
    }
    if (any(0, 5) == 0) edge(stage, stage).loop = 0;
    stages.push_back(stage);
  }
  for (std::uint32_t s = 1; s <= count; ++s)
    if (s == count || any(0, 3) == 0) edge(stages[s], kSinkStage);
  return maker.build();
}

std::vector<std::uint32_t> all_room(const CertifiedPlan& plan) {
  std::vector<std::uint32_t> room;
  for (const EdgePlan& edge : plan.edges) room.push_back(edge.blocks / edge.min_blocks);
  return room;
}

}  // namespace

TEST_CASE("with what a run holds at once it runs the same") {
  CHECK(rc::check([] {
    const CertifiedPlan plan = any_pipeline();
    const auto pipeline = make_pipeline(plan);
    RC_ASSERT(pipeline.ok());
    const auto full = run_pipelined(*pipeline, all_room(plan));
    RC_ASSERT(full.ok());
    const auto same = run_pipelined(*pipeline, full->room);
    RC_ASSERT(same.ok());
    RC_ASSERT(same->period_ps == full->period_ps);
    RC_ASSERT(same->room == full->room);
    RC_ASSERT(same->steps == full->steps);
  }));
}

// The period also holds for all that comes after the part that is executed.
TEST_CASE("a run comes to the period of one that looks at everything, with any blocks") {
  CHECK(rc::check([] {
    const CertifiedPlan plan = any_pipeline();
    const auto pipeline = make_pipeline(plan);
    RC_ASSERT(pipeline.ok());
    std::vector<std::uint32_t> room;
    for (const std::uint32_t most : all_room(plan)) room.push_back(any(1, most));
    const auto run = run_pipelined(*pipeline, room);
    RC_ASSERT(run.ok());
    const double naive = NaivePipeline(plan, room).period(1000), period = static_cast<double>(run->period_ps);
    RC_ASSERT(naive > 0);
    // Both are off by the rest of a course that does not end with the part that is executed.
    const double off = 0.03 * naive + 1;
    RC_ASSERT(naive - off < period);
    RC_ASSERT(period < naive + off);
  }));
}

// Without shared workers, cores and links, more blocks never make an execution slower: a count that cannot be less on
// one edge cannot be less on any number of them.
TEST_CASE("of private controllers no fewer blocks would do, whichever") {
  CHECK(rc::check([] {
    LinkCosts link;
    link.latency_ps = any(0, 30);
    const std::uint32_t count = any(2, 3);
    CostedPlan maker(count, any(2, 4), link);
    std::uint32_t last = kSourceStage, first = 0;
    for (std::uint32_t s = 1; s <= count; ++s) {
      const std::uint32_t stage = maker.stage(s, any(1, 50));
      maker.edge(last, stage);
      last = stage;
      if (s == 1) first = stage;
    }
    if (any(0, 1) == 0) maker.edge(first, last);
    maker.edge(last, kSinkStage);
    CertifiedPlan plan = maker.build();
    plan.certificate->goal.most_period_ps = plan.certificate->prediction.period_ps + std::int64_t{any(0, 60)};
    const auto found = blocks_for_throughput(plan);
    RC_PRE(found.ok());
    std::vector<std::uint32_t> room(plan.edges.size(), 2);
    for (std::size_t e = 0; e < room.size();) {
      if (room != found->room) {
        const auto run = run_pipelined(*make_pipeline(plan), room);
        RC_ASSERT((run.ok() && !keeps_up(*run, found->wanted_ps)));
      }
      for (e = 0; e < room.size() && ++room[e] > found->room[e]; ++e) room[e] = 2;
    }
  }));
}

TEST_CASE("no run is quicker than the load that is predicted") {
  CHECK(rc::check([] {
    const CertifiedPlan plan = any_pipeline();
    const auto pipeline = make_pipeline(plan);
    RC_ASSERT(pipeline.ok());
    const auto run = run_pipelined(*pipeline, all_room(plan));
    RC_ASSERT(run.ok());
    // Loads are rounded up, once for each stage and edge.
    const auto rounding = static_cast<std::int64_t>(plan.stages.size() + plan.edges.size());
    RC_ASSERT(run->period_ps + rounding >= plan.certificate->prediction.period_ps);
  }));
}

TEST_CASE("blocks for a throughput reach it, and with one instance's less on any edge it is missed") {
  CHECK(rc::check([] {
    CertifiedPlan plan = any_pipeline();
    if (any(0, 1) == 0)
      plan.certificate->goal.most_period_ps = plan.certificate->prediction.period_ps + std::int64_t{any(0, 100)};
    const auto pipeline = make_pipeline(plan);
    RC_ASSERT(pipeline.ok());
    const auto found = blocks_for_throughput(plan);
    RC_CLASSIFY(!found.ok(), "refused");
    if (!found.ok()) {
      RC_ASSERT(found.status().code() == Code::kExhausted);
      const auto full = run_pipelined(*pipeline, all_room(plan));
      const auto& bound = plan.certificate->goal.most_period_ps;
      const Sum wanted = bound ? Sum{*bound} : Sum{plan.certificate->prediction.period_ps};
      RC_ASSERT((full.ok() && !keeps_up(*full, wanted)));
      return;
    }
    RC_ASSERT(found->least);
    std::vector<std::uint32_t> room;
    for (std::size_t e = 0; e < plan.edges.size(); ++e) {
      const EdgePlan& edge = plan.edges[e];
      RC_ASSERT(found->blocks[e] <= edge.blocks);
      RC_ASSERT(found->blocks[e] >= edge.min_blocks + (plan.window > 1 ? 1 : 0));
      room.push_back(found->blocks[e] / edge.min_blocks);
    }
    RC_ASSERT(room == found->room);
    const auto run = run_pipelined(*pipeline, room);
    RC_ASSERT((run.ok() && keeps_up(*run, found->wanted_ps) && run->period_ps == found->period_ps));
    for (std::size_t e = 0; e < room.size(); ++e) {
      const std::uint32_t second = plan.window > 1 && plan.edges[e].min_blocks == 1 ? 1 : 0;
      if (room[e] == 1 + second) continue;
      --room[e];
      const auto less = run_pipelined(*pipeline, room);
      ++room[e];
      RC_ASSERT((less.ok() && !keeps_up(*less, found->wanted_ps)));
    }
  }));
}

}  // namespace woa::test
