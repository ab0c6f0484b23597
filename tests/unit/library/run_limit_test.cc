#include "library/run_limit.h"

#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"

namespace woa {
namespace {

constexpr std::uint64_t kWallNs = 10'000'000'000;
constexpr std::size_t kProcessors = 2;
constexpr std::uint32_t kA = 2, kB = 3;  // stages of the chain

// A run of ten seconds: source -> a (cpu:0) -> b (cpu:1) -> sink. Shares are of the run's time.
struct Ran {
  Plan plan = test::chain_on({"cpu:0", "cpu:1"}, "copy");
  RunReport report;

  Ran() {
    plan.window = 4;
    for (EdgePlan& edge : plan.edges) edge.blocks = 4;
    report.controllers.resize(plan.controllers.size());
    for (ControllerReport& controller : report.controllers) controller.stats.stages.resize(plan.stages.size());
    report.use.usable = kProcessors;
    took(kA, 0.3), took(kB, 0.2);
    used(0.9, 0);
  }
  Ran& took(std::uint32_t stage, double share, std::uint64_t firings = 1000) {
    StageStats& stats = report.controllers[plan.stages[stage].controller].stats.stages[stage];
    stats = {firings, static_cast<std::uint64_t>(share * kWallNs)};
    return *this;
  }
  // Parts of the time of all processors.
  Ran& used(double ran, double waited, double others = 0) {
    constexpr double kAllNs = static_cast<double>(kWallNs) * kProcessors;
    report.use.processors = {static_cast<std::uint64_t>(ran * kAllNs), static_cast<std::uint64_t>(waited * kAllNs)};
    report.use.all_ns = static_cast<std::uint64_t>((ran + others) * kAllNs);
    return *this;
  }
  Ran& was_full(double share) {
    report.use.full_ns = static_cast<std::uint64_t>(share * kWallNs);
    return *this;
  }
  Ran& has_workers(std::size_t controller, std::uint32_t workers) {
    report.controllers[controller].device.workers = workers;
    return *this;
  }
  [[nodiscard]] RunLimit limit() const { return limit_of(plan, report, kWallNs / 1e9).value(); }
  [[nodiscard]] Cause cause() const { return limit().cause; }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a run in which nobody worked has no limit") {
  Ran ran;
  ran.took(kA, 0).took(kB, 0);
  CHECK_FALSE(limit_of(ran.plan, ran.report, 1).has_value());
  CHECK_FALSE(limit_of(ran.plan, Ran().report, 0).has_value());
}

TEST_CASE("instances that come seldom are limited by nothing that a user could change") {
  const RunLimit limit = Ran().limit();
  CHECK(limit.cause == Cause::kWaiting);
  CHECK(limit.remedy.empty());
  CHECK(limit.text() ==
        "limited by no controller: cpu:0, the busiest, worked 30 % of the time, 30 % on a; instances "
        "waited for inputs, messages, processors or the window");
}

TEST_CASE("a controller whose workers work all the time is named with its busiest stage") {
  const RunLimit limit = Ran().took(kA, 1.9).has_workers(1, 2).limit();
  CHECK(limit.cause == Cause::kController);
  CHECK(limit.text() == "limited by cpu:0: it worked 95 % of the time, 95 % on a");
  CHECK(has(limit.remedy, "a faster kernel of a, more processors, or nodes"));
}

TEST_CASE("more workers help only where they left processors idle") {
  const RunLimit limit = Ran().took(kA, 0.95).used(0.5, 0).limit();
  CHECK(limit.cause == Cause::kWorkers);
  CHECK(limit.remedy == "its 1 worker left processors idle: try --workers 2");
}

TEST_CASE("a device that works all the time is no matter of workers") {
  Ran ran;
  ran.plan.controllers[1].kind = ControllerKind::kGpu;
  const RunLimit limit = ran.took(kA, 0.95).used(0.1, 0).limit();
  CHECK(limit.cause == Cause::kController);
  CHECK(has(limit.remedy, "woa profile"));
}

TEST_CASE("a serial stage is named where other workers could have run it") {
  Ran ran;
  ran.plan.stages[kA].serial = true;
  const RunLimit limit = ran.took(kA, 0.95).has_workers(1, 4).used(0.5, 0).limit();
  CHECK(limit.cause == Cause::kSerial);
  CHECK(limit.text() == "limited by a, one firing at a time: it worked 95 % of the time");
  CHECK(has(limit.remedy, "`serial`"));
  ran.plan.stages[kA].stateful = Stateful::kRun;
  CHECK(has(ran.limit().remedy, "keeps state"));
  CHECK(ran.has_workers(1, 1).cause() == Cause::kWorkers);
}

TEST_CASE("stages of one serial kernel take turns, and are named together") {
  Ran ran;
  ran.plan.stages[kA].serial = ran.plan.stages[kB].serial = true;
  ran.plan.stages[kB].controller = ran.plan.stages[kA].controller;
  const RunLimit limit = ran.took(kA, 0.5).took(kB, 0.45).has_workers(1, 4).used(0.5, 0).limit();
  CHECK(limit.cause == Cause::kSerial);
  CHECK(limit.stage == "a");
  CHECK(limit.text() == "limited by a, one firing at a time: it worked 95 % of the time");
}

TEST_CASE("a controller on chosen processors gets more of them, and one with the most workers gets none") {
  Ran ran;
  ran.took(kA, 0.95).used(0.5, 0).report.controllers[1].processors = {3};
  CHECK(ran.limit().remedy == "its 1 worker left processors idle: give it more of them by --cores");
  CHECK(Ran().took(kA, 1000).has_workers(1, kMaxWorkers).used(0.5, 0).cause() == Cause::kController);
}

TEST_CASE("the host limits a run if it fetches inputs or passes outputs on all the time") {
  CHECK(Ran().took(kSourceStage, 0.9).cause() == Cause::kSource);
  CHECK(Ran().took(kSourceStage, 0.3).took(kSinkStage, 0.6).cause() == Cause::kSink);
  // A faster source would gain nothing.
  CHECK(Ran().took(kSourceStage, 0.85).took(kA, 1.9).has_workers(1, 2).cause() == Cause::kController);
}

TEST_CASE("a window that was full limits a run whose controllers had time left") {
  const RunLimit limit = Ran().took(kA, 0.5, 100).was_full(0.95).limit();
  CHECK(limit.cause == Cause::kWindow);
  CHECK(limit.remedy == "try --window 8");
  CHECK(limit.text() ==
        "limited by the window: it was full 95 % of the time; cpu:0, the busiest, worked 50 % of the "
        "time, 50 % on a");
  Ran most = Ran().took(kA, 0.5, 100).was_full(0.95);
  most.plan.window = kMaxWindow;
  for (EdgePlan& edge : most.plan.edges) edge.blocks = kMaxWindow;
  CHECK(most.cause() == Cause::kWaiting);
}

TEST_CASE("many workers share full processors") {
  Ran ran = Ran().took(kA, 20, 100).has_workers(1, 64).used(0.95, 0).was_full(0.95);
  const RunLimit limit = ran.limit();
  CHECK(limit.cause == Cause::kProcessors);
  CHECK(has(limit.text(), "limited by the processors: they worked 95 % of the time; cpu:0, the busiest"));
  CHECK(ran.used(0.5, 0).cause() == Cause::kWindow);
}

TEST_CASE("memory limits a run before its window and its blocks do") {
  Ran ran = Ran().took(kA, 0.5, 100).was_full(0.95);
  ran.plan.edges[1].blocks = ran.plan.edges[1].min_blocks;
  ran.report.use.held_ns = kWallNs / 10 * 9;
  ran.report.use.memory = 3 << 20, ran.report.use.most_memory = 2 << 20;
  const RunLimit limit = ran.limit();
  CHECK(limit.cause == Cause::kMemory);
  CHECK(has(limit.text(), "limited by memory: the run took too much to begin more instances 90 % of the time"));
  CHECK(limit.remedy == "payloads and kernels took 3 MiB of the 2 MiB that they may: give them more by --memory");
  CHECK(ran.took(kA, 0.9).cause() != Cause::kMemory);
}

TEST_CASE("few blocks limit a run before its window does") {
  Ran ran = Ran().took(kA, 0.5, 100).was_full(0.95);
  ran.plan.edges[1].blocks = ran.plan.edges[1].min_blocks;
  CHECK(ran.cause() == Cause::kBlocks);
  CHECK(has(ran.limit().remedy, "--buffers full"));
}

TEST_CASE("kernels that take less than a message are to do more") {
  const RunLimit limit = Ran().took(kA, 0.3, 3'000'000).was_full(0.95).limit();
  CHECK(limit.cause == Cause::kBrief);
  CHECK(has(limit.remedy, "a firing of a takes 1 us, "));
}

TEST_CASE("other programs are named where they ran while threads of the run waited") {
  CHECK(Ran().took(kA, 0.95).used(0.4, 0.5, 0.6).cause() == Cause::kPrograms);
  CHECK(Ran().was_full(0.95).used(0.4, 0.5, 0.6).cause() == Cause::kPrograms);
  CHECK(Ran().used(0.4, 0.5, 0.6).cause() == Cause::kPrograms);
  CHECK(Ran().took(kA, 1.9).has_workers(1, 2).used(0.95, 0.5).cause() == Cause::kController);  // its own threads
  CHECK(Ran().took(kA, 60).has_workers(1, 64).used(0.1, 0.3).cause() == Cause::kWorkers);      // many that wake at once
  CHECK(Ran().took(kA, 0.95).used(0.5, 0, 0.5).cause() == Cause::kWorkers);                    // nobody waited for them
}

}  // namespace woa
