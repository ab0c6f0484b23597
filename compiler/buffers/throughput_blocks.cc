#include "compiler/buffers/throughput_blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "compiler/place/placement_problem.h"
#include "compiler/predict/pipelined_run.h"
#include "runtime/base/status.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

struct WantedPeriod {
  Sum ps = 0;
  const char* name = "";  // in messages
};

// The remedy for a longer execution is guessed, not searched: each trial is another execution.
constexpr std::uint64_t kMostStepsOfTrial = kMostSteps / 8;

class Remedy {
 public:
  Remedy(const Plan& plan, const Pipeline& pipeline, const std::vector<std::uint32_t>& room, Sum wanted)
      : plan_(plan), pipeline_(pipeline), room_(room), wanted_(wanted) {
    for (std::size_t e = 0; e < room.size(); ++e)
      if (room[e] < plan.window) short_.push_back(e);
  }

  // Compiler options that reach the period; empty: none does.
  [[nodiscard]] std::string find() const {
    if (!short_.empty() && reached(short_only(0))) return blocks_of(plan_.edges[short_edge()]);
    if (plan_.window == kMaxWindow) return {};
    if (!reached_in(kMaxWindow, short_))
      return reached_in(kMaxWindow, {}) ? "a larger --window and more blocks (--buffers full)" : "";
    std::uint32_t missing = plan_.window, enough = kMaxWindow;
    while (enough - missing > 1) {
      const std::uint32_t window = missing + (enough - missing) / 2;
      (reached_in(window, short_) ? enough : missing) = window;
    }
    return "a larger --window (" + std::to_string(enough) + " is enough)";
  }
  [[nodiscard]] std::string guess() const {
    if (!short_.empty()) return "more blocks (--buffers full)";
    return plan_.window < kMaxWindow ? "a larger --window" : "";
  }

 private:
  [[nodiscard]] bool keeps_up_with(const Pipeline& pipeline, const std::vector<std::uint32_t>& room) const {
    const auto run = run_pipelined(pipeline, room);
    return run.ok() && keeps_up(*run, wanted_);
  }
  [[nodiscard]] bool reached(const std::vector<std::uint32_t>& room) const { return keeps_up_with(pipeline_, room); }
  [[nodiscard]] bool reached_in(std::uint32_t window, const std::vector<std::size_t>& with_few) const {
    Pipeline larger = pipeline_;
    larger.window = window;
    std::vector<std::uint32_t> room(room_.size(), window);
    for (const std::size_t e : with_few) room[e] = room_[e];
    return keeps_up_with(larger, room);
  }

  // Room for the whole window on every edge but the first `count` short ones, which keep theirs.
  [[nodiscard]] std::vector<std::uint32_t> short_only(std::size_t count) const {
    std::vector<std::uint32_t> room(room_.size(), plan_.window);
    for (std::size_t k = 0; k < count; ++k) room[short_[k]] = room_[short_[k]];
    return room;
  }
  // A short edge that decides: the period is reached while only those before it are short, and missed once it is, too.
  [[nodiscard]] std::size_t short_edge() const {
    std::size_t enough = 0, missing = short_.size();
    while (missing - enough > 1) {
      const std::size_t count = enough + (missing - enough) / 2;
      (reached(short_only(count)) ? enough : missing) = count;
    }
    return short_[missing - 1];
  }
  [[nodiscard]] std::string blocks_of(const EdgePlan& edge) const {
    return "more than " + std::to_string(edge.blocks) + " blocks for " + name_of_edge(plan_, edge) +
           " (--buffers full, and a smaller `max` of the port if that gives no more)";
  }

  const Plan& plan_;
  const Pipeline& pipeline_;
  const std::vector<std::uint32_t>& room_;
  Sum wanted_;
  std::vector<std::size_t> short_;  // edges with blocks for less than the whole window
};

// kExhausted with the period reached and a remedy: the edge that needs more blocks, the window that suffices, or that
// none does. `full`: the run with `room`, all blocks of the plan.
Status missed_period(const Plan& plan, const Pipeline& pipeline, const std::vector<std::uint32_t>& room,
                     const PipelinedRun& full, const WantedPeriod& wanted) {
  const Remedy looked_for(plan, pipeline, room, wanted.ps);
  const std::string remedy = full.steps > kMostStepsOfTrial ? looked_for.guess() : looked_for.find();
  return {Code::kExhausted, "--buffers throughput: with --window " + std::to_string(plan.window) +
                                " and all blocks of the plan an instance comes every " + time_text(full.period_ps) +
                                " by the profile, and " + wanted.name + " is " + time_text(wanted.ps) +
                                (remedy.empty() ? ", which no larger --window reaches" : "") +
                                "; compile the graph with " + (remedy.empty() ? "" : remedy + ", or with ") +
                                "--objective latency --max-period " + option_text(full.period_ps)};
}

// Bytes of one instance's blocks; 0 if they are another edge's (written in place) or carry only a count.
std::uint64_t bytes_of(const Plan& plan, const EdgePlan& edge) {
  const OutputPortPlan& output = plan.stages[edge.from_stage].outputs[edge.from_port];
  return edge.count || output.in_place >= 0 ? 0 : edge.min_blocks * output.type.block_bytes();
}

// The fewest blocks that size_channels() gives an edge, or the plan's if it was told to have fewer.
std::uint32_t fewest(const Plan& plan, const EdgePlan& edge) {
  return std::min(edge.blocks, edge.min_blocks + (plan.window > 1 ? 1U : 0U));
}

// Instances come no more often than the host writes their inputs. PERIOD leaves that time out, since it is the same for
// every placement.
WantedPeriod wanted_period(const Certificate& certificate) {
  if (certificate.goal.most_period_ps) return {Sum{*certificate.goal.most_period_ps}, "--max-period"};
  const StageCosts& source = certificate.costs.stages[kSourceStage];
  const Sum writing = Sum{source.time_ps[kHostComponent]} * source.firings / kPerMillion;
  const Sum period = certificate.prediction.period_ps;
  return writing > period ? WantedPeriod{writing, "the time that the host takes to write its inputs"}
                          : WantedPeriod{period, "its PERIOD"};
}

class Sizing {
 public:
  Sizing(const CertifiedPlan& plan, const Pipeline& pipeline) : plan_(plan), pipeline_(pipeline) {}

  Result<ThroughputBlocks> find() {
    for (const EdgePlan& edge : plan_.edges) out_.room.push_back(edge.blocks / edge.min_blocks);
    auto full = run_pipelined(pipeline_, out_.room);
    if (!full.ok()) return full.status();
    const WantedPeriod wanted = wanted_period(*plan_.certificate);
    if (!keeps_up(*full, wanted.ps)) return missed_period(plan_, pipeline_, out_.room, *full, wanted);
    out_.wanted_ps = wanted.ps;
    for (std::size_t e = 0; e < out_.room.size(); ++e) out_.room[e] = std::max(full->room[e], least_room(e));
    out_.period_ps = full->period_ps;
    lessen_all();
    for (std::size_t e = 0; e < out_.room.size(); ++e)
      out_.blocks.push_back(std::max(out_.room[e] * plan_.edges[e].min_blocks, fewest(plan_, plan_.edges[e])));
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t least_room(std::size_t e) const {
    return fewest(plan_, plan_.edges[e]) / plan_.edges[e].min_blocks;
  }

  // Repeats until no edge can get less, since fewer blocks of one edge may change what another needs.
  void lessen_all() {
    const std::vector<std::size_t> edges = by_bytes();
    for (bool changed = true; std::exchange(changed, false);)
      for (const std::size_t e : edges) {
        const std::uint32_t before = out_.room[e];
        if (!lessen(e)) return;
        changed = changed || out_.room[e] < before;
      }
    out_.least = true;
  }
  [[nodiscard]] std::vector<std::size_t> by_bytes() const {
    std::vector<std::uint64_t> bytes;
    for (const EdgePlan& edge : plan_.edges) bytes.push_back(bytes_of(plan_, edge));
    std::vector<std::size_t> edges(bytes.size());
    std::iota(edges.begin(), edges.end(), std::size_t{0});
    std::erase_if(edges, [&](std::size_t e) { return bytes[e] == 0; });
    std::ranges::stable_sort(edges, [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
    return edges;
  }

  // Bisects, but tries one instance less first, which is all that the last round needs. False: no steps are left.
  bool lessen(std::size_t e) {
    std::uint32_t enough = out_.room[e], missing = least_room(e) - 1;
    for (std::uint32_t room = enough - 1; missing + 1 < enough; room = missing + (enough - missing) / 2) {
      if (steps_ >= kMostSteps) return false;
      (reaches_with(e, room) ? enough : missing) = room;
    }
    return true;
  }
  // Keeps `room` for the edge if the period is reached with it.
  bool reaches_with(std::size_t e, std::uint32_t room) {
    const std::uint32_t before = std::exchange(out_.room[e], room);
    const auto run = run_pipelined(pipeline_, out_.room);
    if (run.ok()) steps_ += run->steps;
    const bool reaches = run.ok() && keeps_up(*run, out_.wanted_ps);
    reaches ? out_.period_ps = run->period_ps : out_.room[e] = before;
    return reaches;
  }

  const CertifiedPlan& plan_;
  const Pipeline& pipeline_;
  std::uint64_t steps_ = 0;
  ThroughputBlocks out_;
};

}  // namespace

bool keeps_up(const PipelinedRun& run, Sum wanted_ps) noexcept {
  return run.period_ps <= wanted_ps + wanted_ps / kPeriodTolerance;
}

Result<ThroughputBlocks> blocks_for_throughput(const CertifiedPlan& plan) {
  for (const std::string& other : {plan.certificate->goal.model, plan.model})
    if (other != kWoa)
      return {Code::kUnsupported,
              "--buffers throughput: sizes are found for call model woa alone, and the plan is for " + other +
                  "; use --buffers full or least"};
  const auto pipeline = make_pipeline(plan);
  if (!pipeline.ok()) return pipeline.status();
  return Sizing(plan, *pipeline).find();
}

}  // namespace woa
