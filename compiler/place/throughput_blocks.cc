#include "compiler/place/throughput_blocks.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "compiler/place/missed_period.h"

namespace woa {
namespace {

using assign::Sum;

// Of one instance's blocks: none where they are another edge's, or only a bound.
std::uint64_t bytes_of(const Plan& plan, const EdgePlan& edge) {
  const OutputPortPlan& output = plan.stages[edge.from_stage].outputs[edge.from_port];
  return edge.count || output.in_place >= 0 ? 0 : edge.min_blocks * output.type.block_bytes();
}

// A plan never has less (channels.h), unless it was told to.
std::uint32_t fewest(const Plan& plan, const EdgePlan& edge) {
  return std::min(edge.blocks, edge.min_blocks + (plan.window > 1 ? 1U : 0U));
}

// Instances come no more often than the host writes their inputs, which is in no PERIOD: it is the same everywhere.
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
  Sizing(const Plan& plan, const Pipeline& pipeline) : plan_(plan), pipeline_(pipeline) {}

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

  // Until no edge can be given less, since what one is given may be what another one misses.
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

  // By halves, after a look at one less, which is all that the last round needs. False: there are no steps left.
  bool lessen(std::size_t e) {
    std::uint32_t enough = out_.room[e], missing = least_room(e) - 1;
    for (std::uint32_t room = enough - 1; missing + 1 < enough; room = missing + (enough - missing) / 2) {
      if (steps_ >= kMostSteps) return false;
      (reaches_with(e, room) ? enough : missing) = room;
    }
    return true;
  }
  // Takes it if so.
  bool reaches_with(std::size_t e, std::uint32_t room) {
    const std::uint32_t before = std::exchange(out_.room[e], room);
    const auto run = run_pipelined(pipeline_, out_.room);
    if (run.ok()) steps_ += run->steps;
    const bool reaches = run.ok() && keeps_up(*run, out_.wanted_ps);
    reaches ? out_.period_ps = run->period_ps : out_.room[e] = before;
    return reaches;
  }

  const Plan& plan_;
  const Pipeline& pipeline_;
  std::uint64_t steps_ = 0;
  ThroughputBlocks out_;
};

}  // namespace

bool keeps_up(const PipelinedRun& run, Sum wanted_ps) noexcept {
  return run.period_ps <= wanted_ps + wanted_ps / kPeriodTolerance;
}

Result<ThroughputBlocks> blocks_for_throughput(const Plan& plan) {
  for (const std::string& other : {plan.certificate->goal.model, plan.model})
    if (other != "woa")
      return {Code::kUnsupported,
              "--buffers throughput: sizes are found for call model woa alone, and the plan is for " + other +
                  "; use --buffers full or least"};
  const auto pipeline = make_pipeline(plan);
  if (!pipeline.ok()) return pipeline.status();
  return Sizing(plan, *pipeline).find();
}

}  // namespace woa
