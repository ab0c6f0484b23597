// Blocks for a throughput, of pipelines that are small enough to be followed by hand.
#include "compiler/buffers/throughput_blocks.h"

#include "compiler/predict/pipelined_run.h"
#include "tests/unit/compiler/place/costed_plan.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kSource = kSourceStage, kSink = kSinkStage;

// A fast stage, a slow one and one that is nearly as slow.
CostedPlan slow_middle(std::uint32_t window) {
  CostedPlan plan(3, window);
  const std::uint32_t a = plan.stage(1, 100'000), b = plan.stage(2, 400'000), c = plan.stage(3, 350'000);
  plan.edge(kSource, a), plan.edge(a, b), plan.edge(b, c), plan.edge(c, kSink);
  return plan;
}

std::vector<std::uint32_t> blocks_of(const CertifiedPlan& plan) {
  const auto found = blocks_for_throughput(plan);
  REQUIRE(found.status().message() == "");
  CHECK(found->least);
  CHECK(found->period_ps <= found->wanted_ps + found->wanted_ps / kPeriodTolerance);
  return found->blocks;
}

Sum period_with(const CertifiedPlan& plan, const std::vector<std::uint32_t>& room) {
  const auto pipeline = make_pipeline(plan);
  REQUIRE(pipeline.ok());
  const auto run = run_pipelined(*pipeline, room);
  REQUIRE(run.ok());
  return run->period_ps;
}

}  // namespace

// The last stage has instance n - 1 until 50 ns before the slow one has done n. The first has to have done n + 1 by
// then, which takes it 100 ns: so n + 1 gets a block while n has one and n - 1 is the oldest in flight, for which one
// is kept. With two, it waits for n - 1 every time, and two instances take 400 + 450 ns.
TEST_CASE("a slow stage has the next instance before it, and a block is kept for the oldest behind it") {
  const CertifiedPlan plan = slow_middle(4).build();
  REQUIRE(plan.certificate->prediction.period_ps == 400'000);
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{2, 3, 2, 2});
  CHECK(period_with(plan, {4, 4, 4, 4}) == 400'000);
  CHECK(period_with(plan, {4, 2, 4, 4}) == 425'000);
}

TEST_CASE("for a longer period fewer blocks do") {
  CHECK(blocks_of(slow_middle(4).build(425'000)) == std::vector<std::uint32_t>{2, 2, 2, 2});
}

TEST_CASE("a window that is too small for the period is refused with what it reaches and which is enough") {
  const auto found = blocks_for_throughput(slow_middle(2).build());
  CHECK(found.status().code() == Code::kExhausted);
  CHECK(found.status().message() ==
        "--buffers throughput: with --window 2 and all blocks of the plan an instance comes every 425 ns by the "
        "profile, and its PERIOD is 400 ns; compile the graph with a larger --window (3 is enough), or with "
        "--objective latency --max-period 425ns");
  CHECK(blocks_for_throughput(slow_middle(3).build()).ok());
  CHECK(blocks_for_throughput(slow_middle(2).build(425'000)).ok());
  CHECK(blocks_for_throughput(slow_middle(2).build(424'000)).status().code() == Code::kExhausted);
}

TEST_CASE("where no window is enough none is recommended") {
  LinkCosts link;
  link.latency_ps = 100'000'000;
  CostedPlan maker(1, 8, link);
  const std::uint32_t a = maker.stage(1, 10'000);
  maker.edge(kSource, a), maker.edge(a, kSink);
  CHECK(blocks_for_throughput(maker.build()).status().message() ==
        "--buffers throughput: with --window 8 and all blocks of the plan an instance comes every 25.0012 us by the "
        "profile, and its PERIOD is 10 ns, which no larger --window reaches; compile the graph with "
        "--objective latency --max-period 25002ns");
}

// One instance alone pays for waking controllers; many keep each other awake.
TEST_CASE("what it takes to wake a controller asks for no larger window") {
  CostedPlan maker = slow_middle(2);
  for (StageCosts& stage : maker.costs.stages)
    for (std::int64_t& time : stage.time_ps) time *= time > 0 ? 1000 : 1;
  maker.costs.wake_ps = 1'000'000'000;
  const auto found = blocks_for_throughput(maker.build());
  CHECK(found.status().message().find("(3 is enough)") != std::string::npos);
}

TEST_CASE("where the plan has too few blocks the refusal names the edge, and no window") {
  CertifiedPlan plan = slow_middle(4).build();
  plan.edges[1].blocks = 2;
  CHECK(blocks_for_throughput(plan).status().message() ==
        "--buffers throughput: with --window 4 and all blocks of the plan an instance comes every 425 ns by the "
        "profile, and its PERIOD is 400 ns; compile the graph with more than 2 blocks for the edge from 's2.out0' to "
        "'s3.in0' (--buffers full, and a smaller `max` of the port if that gives no more), or with "
        "--objective latency --max-period 425ns");
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  CHECK(blocks_for_throughput(plan).status().message().find("more than 1 blocks for the edge from") !=
        std::string::npos);
  plan.window = 2;
  CHECK(blocks_for_throughput(plan).status().message().find(
            "with a larger --window and more blocks (--buffers full)") != std::string::npos);
}

// The host's one thread does it, and no placement or PERIOD has a part in it.
TEST_CASE("instances come no more often than the host writes their inputs") {
  CostedPlan maker = slow_middle(4);
  maker.costs.stages[kSource].time_ps[kHostComponent] = 700'000;
  const CertifiedPlan plan = maker.build();
  REQUIRE(plan.certificate->prediction.period_ps == 400'000);
  CHECK(period_with(plan, {4, 4, 4, 4}) == 700'000);
  CHECK(blocks_for_throughput(plan)->wanted_ps == 700'000);
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{3, 2, 2, 2});  // one is written while the one before is at `b`
  CHECK(blocks_for_throughput(maker.build(500'000)).status().message().find("is 500 ns, which no larger --window") !=
        std::string::npos);
}

// The way to `b` and back takes 1918 ns, on which 19 instances are at a time beside the oldest, which is further on:
// one every 100.9 ns. But `c` gets its first token from `x` so late that many others wait for it by then, and it takes
// hundreds of instances until `c`, which has one every 100 ns, is through with them.
TEST_CASE("a stage that falls behind is seen before those behind it have nothing left to do") {
  CostedPlan maker(5, 64);
  const std::uint32_t a = maker.stage(1, 50'000), b = maker.stage(2, 10'000), c = maker.stage(3, 100'000);
  const std::uint32_t d = maker.stage(4, 10'000), x = maker.stage(5, 10'000);
  for (const std::size_t way : {1 * 6 + 2, 2 * 6 + 1}) maker.costs.links[way].latency_ps = 929'000;
  maker.costs.links[3 * 6 + 4].latency_ps = 1'500'000;
  maker.costs.links[5 * 6 + 3].latency_ps = 3'500'000;
  maker.edge(kSource, a), maker.edge(a, b), maker.edge(b, c), maker.edge(c, d), maker.edge(d, kSink);
  maker.edge(kSource, x), maker.edge(x, c);
  const CertifiedPlan plan = maker.build();
  REQUIRE(plan.certificate->prediction.period_ps == 100'000);
  const auto period = static_cast<long>(period_with(plan, {64, 20, 64, 64, 64, 64, 64}));
  CHECK(period > 100'900);
  CHECK(period < 101'000);
  CHECK(period_with(plan, {64, 21, 64, 64, 64, 64, 64}) == 100'000);
}

TEST_CASE(
    "many stages that wait for one controller are executed, each of them looked at when something may have changed") {
  CostedPlan maker(1, 64);
  std::vector<std::uint32_t> stages;
  for (int s = 0; s < 400; ++s) stages.push_back(maker.stage(1, 1'000 + s));
  for (const std::uint32_t stage : stages) maker.edge(kSource, stage), maker.edge(stage, kSink);
  const CertifiedPlan plan = maker.build();
  CHECK(period_with(plan, std::vector<std::uint32_t>(800, 64)) == plan.certificate->prediction.period_ps);
}

// A token of the short way waits while its instance passes five stages, one every 10 ns. On the long way each edge has
// the block that is being read and the one that is being written, beside the oldest instance's.
TEST_CASE("the short way of a diamond needs blocks for as many instances as the long one has") {
  CostedPlan maker(5, 8);
  std::vector<std::uint32_t> stages;
  for (std::uint32_t s = 0; s < 5; ++s) stages.push_back(maker.stage(s + 1, 10'000));
  maker.edge(kSource, stages[0]);
  for (std::uint32_t s = 1; s < 5; ++s) maker.edge(stages[s - 1], stages[s]);
  maker.edge(stages[4], kSink);
  maker.edge(stages[0], stages[4]);
  const CertifiedPlan plan = maker.build();
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{2, 3, 3, 3, 2, 2, 5});
  CHECK(period_with(plan, {8, 8, 8, 8, 8, 8, 4}) > 10'000);
}

// 10 ns to write, 20 on the way, 10 to be read, and 20 until the writer knows: six instances at one every 10 ns.
// Another is kept for the one that was the oldest when the writer last heard, and is over.
TEST_CASE("blocks are away while a token and the news of its end are on a link") {
  LinkCosts link;
  link.latency_ps = 20'000;
  CostedPlan maker(2, 16, link);
  const std::uint32_t a = maker.stage(1, 10'000), b = maker.stage(2, 10'000);
  maker.edge(kSource, a), maker.edge(a, b), maker.edge(b, kSink);
  const CertifiedPlan plan = maker.build();
  CHECK(blocks_of(plan)[1] == 7);
  CHECK(period_with(plan, {16, 6, 16}) > 10'000);
}

TEST_CASE("payloads take turns on a link, and what it takes is the period") {
  LinkCosts link;
  link.ps_per_kib = 1024;  // 1 ps a byte
  CostedPlan maker(3, 16, link);
  const std::uint32_t a = maker.stage(1, 10), b = maker.stage(2, 10), c = maker.stage(2, 10), d = maker.stage(3, 10);
  maker.edge(kSource, a);
  maker.edge(a, b, kPerMillion, 60 * kPerMillion), maker.edge(a, c, kPerMillion, 60 * kPerMillion);
  maker.edge(b, d), maker.edge(c, d), maker.edge(d, kSink);
  const CertifiedPlan plan = maker.build();
  CHECK(plan.certificate->prediction.period_ps == 120);
  CHECK(period_with(plan, std::vector<std::uint32_t>(6, 16)) == 120);
}

TEST_CASE("controllers that share cores take turns, workers do not") {
  for (const std::uint64_t cores : {1, 2, 3}) {
    CostedPlan maker(3, 8);
    maker.costs.cores = {{"package", cores}};
    for (std::uint32_t l = 1; l < 4; ++l) maker.costs.components[l].cores = "package";
    std::uint32_t last = kSource;
    for (std::uint32_t l = 1; l < 4; ++l) {
      const std::uint32_t next = maker.stage(l, 600);
      maker.edge(last, next);
      last = next;
    }
    maker.edge(last, kSink);
    CHECK(period_with(maker.build(), {8, 8, 8, 8}) == static_cast<Sum>(1800 / cores));
  }
  CostedPlan maker(1, 8);
  maker.costs.components[1].workers = 3;
  const std::uint32_t one = maker.stage(1, 600);
  maker.edge(kSource, one), maker.edge(one, kSink);
  CHECK(period_with(maker.build(), {8, 8}) == 200);
  maker.costs.stages[one].serial = true;
  CHECK(period_with(maker.build(), {8, 8}) == 600);
}

// Each replica has every other instance, for twice as long; a token for it may be there before it is done.
TEST_CASE("replicas have the instances that are theirs") {
  CostedPlan maker(4, 8);
  const std::uint32_t a = maker.stage(1, 10'000), c = maker.stage(4, 1'000);
  const std::uint32_t b[] = {maker.stage(2, 20'000, kPerMillion / 2), maker.stage(3, 20'000, kPerMillion / 2)};
  maker.edge(kSource, a), maker.edge(c, kSink);
  for (std::uint32_t r = 0; r < 2; ++r) {
    maker.edge(a, b[r], kPerMillion / 2).choice = {2, r, 0, 0};
    maker.edge(b[r], c, kPerMillion / 2);
  }
  const CertifiedPlan plan = maker.build();
  REQUIRE(plan.certificate->prediction.period_ps == 10'000);
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{2, 2, 3, 2, 3, 2});
}

TEST_CASE("a loop is left when all its stages are done, and until then its edges keep their blocks") {
  CostedPlan maker(2, 4);
  const std::uint32_t a = maker.stage(1, 10'000, 5 * kPerMillion), b = maker.stage(2, 10'000, 5 * kPerMillion);
  maker.edge(kSource, a), maker.edge(a, b, 5 * kPerMillion);
  maker.edge(b, a, 4 * kPerMillion).loop = 0;
  maker.edge(b, kSink);
  const CertifiedPlan plan = maker.build();
  REQUIRE(plan.certificate->prediction.period_ps == 50'000);
  CHECK(period_with(plan, {4, 4, 4, 4}) == 50'000);
  CHECK(period_with(plan, {4, 1, 4, 4}) == 100'000);  // an instance after the other
}

TEST_CASE("a held token keeps its block until its instance has retired") {
  CostedPlan maker(3, 8);
  const std::uint32_t a = maker.stage(1, 10'000), b = maker.stage(2, 10'000), c = maker.stage(3, 10'000);
  maker.edge(kSource, a), maker.edge(a, b), maker.edge(a, b), maker.edge(b, c), maker.edge(c, kSink);
  const auto before = blocks_of(maker.build());
  CHECK(before[2] == before[1]);
  maker.raw().stages[b].inputs[1].hold = true;
  const auto held = blocks_of(maker.build());
  CHECK(held[2] == 3);  // of those in all three stages
  CHECK(held[1] == 3);
  CHECK(period_with(maker.build(), {8, 8, 2, 8, 8}) > 10'000);
}

TEST_CASE("a held token's block comes back when its reader has heard from the host, and the writer from the reader") {
  CostedPlan maker(2, 16);
  const std::uint32_t a = maker.stage(1, 10'000), b = maker.stage(2, 10'000);
  maker.edge(kSource, a), maker.edge(a, b), maker.edge(a, b), maker.edge(b, kSink);
  maker.raw().stages[b].inputs[1].hold = true;
  const std::uint32_t at_once = blocks_of(maker.build())[2];
  maker.costs.links[0 * 3 + 2].latency_ps = 30'000;
  CHECK(blocks_of(maker.build())[2] == at_once + 3);
  maker.costs.links[2 * 3 + 1].latency_ps = 20'000;
  CHECK(blocks_of(maker.build())[2] == at_once + 5);
}

// `b` writes over what `a` wrote, and `c` holds it: so `a` has its block back no sooner than if `c` held that.
TEST_CASE("a block that is passed on to who holds it comes back when the instance has retired") {
  CostedPlan maker(5, 16);
  const std::uint32_t a = maker.stage(1, 10'000), b = maker.stage(2, 10'000), c = maker.stage(3, 10'000);
  const std::uint32_t d = maker.stage(4, 10'000), e = maker.stage(5, 10'000);
  maker.edge(kSource, a), maker.edge(a, b), maker.edge(b, c), maker.edge(c, d), maker.edge(d, e), maker.edge(e, kSink);
  maker.raw().stages[b].outputs[0].in_place = 0;
  const std::uint32_t before = blocks_of(maker.build())[1];
  maker.edge(kSource, c);
  maker.raw().stages[c].inputs[0].hold = true;
  CHECK(blocks_of(maker.build())[1] == before + 1);  // that which `d` has, beside the oldest's at `e`
}

// A block that is passed on comes back when the last reader is done with it: two stages later.
TEST_CASE("stages that write over their inputs keep the block of who wrote it") {
  CostedPlan maker(4, 8);
  std::uint32_t last = kSource;
  for (std::uint32_t at = 1; at <= 4; ++at) {
    const std::uint32_t next = maker.stage(at, 10'000);
    maker.edge(last, next);
    last = next;
  }
  maker.edge(last, kSink);
  CHECK(blocks_of(maker.build())[1] == 3);
  for (const std::uint32_t stage : {3, 4}) maker.raw().stages[stage].outputs[0].in_place = 0;
  const CertifiedPlan plan = maker.build();
  CHECK(blocks_of(plan)[1] == 4);
  CHECK(period_with(plan, {8, 3, 8, 8, 8}) > 10'000);
}

TEST_CASE("blocks are never fewer than an instance needs, nor more than the plan has") {
  CostedPlan maker(2, 4);
  const std::uint32_t a = maker.stage(1, 10'000), b = maker.stage(2, 20'000);
  maker.edge(kSource, a), maker.edge(a, b, 3 * kPerMillion, 0, 3), maker.edge(b, kSink);
  CertifiedPlan plan = maker.build();
  const auto few = blocks_of(plan);
  CHECK(few[1] >= 4);  // one more than an instance's, so that a second gets any
  CHECK(few[1] % 3 <= 1);
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  CHECK(blocks_for_throughput(plan).status().code() == Code::kExhausted);
  plan.window = 1;
  plan.certificate->goal.most_period_ps = 30'000;
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{1, 3, 1});
}

TEST_CASE("what cannot be executed is refused") {
  CertifiedPlan plan = slow_middle(4).build();
  plan.certificate->goal.model = "rpc-hub";
  const auto other = blocks_for_throughput(plan);
  CHECK(other.status().code() == Code::kUnsupported);
  CHECK(other.status().message().find("for call model woa alone, and the plan is for rpc-hub") != std::string::npos);
  plan.certificate->goal.model = "woa";
  CHECK(blocks_for_throughput(plan).ok());
  CertifiedPlan called = plan;
  called.model = "rpc-hub";
  CHECK(blocks_for_throughput(called).status().code() == Code::kUnsupported);

  CostedPlan cycle(2, 4);
  const std::uint32_t a = cycle.stage(1, 10), b = cycle.stage(2, 10);
  cycle.edge(kSource, a), cycle.edge(a, b), cycle.edge(b, a), cycle.edge(b, kSink);
  CHECK(blocks_for_throughput(cycle.build()).status().code() == Code::kInvalid);

  CostedPlan many(1, 4);
  std::uint32_t last = kSource;
  for (const std::uint32_t replicas : {7, 11, 13}) {
    const std::uint32_t next = many.stage(1, 10);
    many.edge(last, next).choice = {replicas, 0, 0, 0};
    last = next;
  }
  many.edge(last, kSink);
  CHECK(blocks_for_throughput(many.build()).status().code() == Code::kUnsupported);
}

}  // namespace woa::test
