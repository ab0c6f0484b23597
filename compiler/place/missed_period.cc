#include "compiler/place/missed_period.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/place/throughput_blocks.h"
#include "compiler/place/time_text.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

using assign::Sum;

// Of longer executions not all that could be done is tried: each trial is another one.
constexpr std::uint64_t kMostStepsOfTrial = kMostSteps / 8;

class Remedy {
 public:
  Remedy(const Plan& plan, const Pipeline& pipeline, const std::vector<std::uint32_t>& room, Sum wanted)
      : plan_(plan), pipeline_(pipeline), room_(room), wanted_(wanted) {
    for (std::size_t e = 0; e < room.size(); ++e)
      if (room[e] < plan.window) short_.push_back(e);
  }

  // What to compile the graph with; empty: nothing helps.
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

  // All have blocks for the whole window, but so many of the edges that have fewer.
  [[nodiscard]] std::vector<std::uint32_t> short_only(std::size_t count) const {
    std::vector<std::uint32_t> room(room_.size(), plan_.window);
    for (std::size_t k = 0; k < count; ++k) room[short_[k]] = room_[short_[k]];
    return room;
  }
  // One without whose lack of blocks the period is reached, and with it it is not.
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
  std::vector<std::size_t> short_;  // edges that have not blocks for the whole window
};

}  // namespace

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

}  // namespace woa
