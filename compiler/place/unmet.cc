#include "compiler/place/unmet.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "compiler/diagnostics/report.h"
#include "compiler/place/placement_problem.h"
#include "compiler/place/solver/affordable.h"

namespace woa {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLeastTime{100};

std::string power_text(Sum mw) {
  const auto whole = static_cast<std::uint64_t>(mw);
  return whole % 1000 == 0 ? cat(whole / 1000, "W") : cat(whole, "mW");
}

class Finder {
 public:
  Finder(const CostTable& table, const PlacementGoal& goal, const std::vector<std::string>& stages,
         const CopyProblem& problem, Clock::time_point end)
      : table_(table), goal_(goal), stages_(stages), problem_(problem.problem), end_(end) {
    throughput_ = goal.objective == "throughput";
  }

  Refusal find(const Status& why) {
    find_fees();
    if (out_.unmet.empty()) find_time(why);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> most_time() const {
    return throughput_ ? goal_.most_latency_ps : goal_.most_period_ps;
  }
  [[nodiscard]] std::string time_option(Sum ps) const {
    return cat("`--max-", throughput_ ? "latency " : "period ", option_text(ps), "`");
  }
  // The problem's fees have this order: price, then power.
  [[nodiscard]] std::string fee_option(std::size_t fee, Sum amount) const {
    const bool price = goal_.most_price && fee == 0;
    return price ? cat("`--max-price ", static_cast<std::uint64_t>(amount), "`")
                 : cat("`--max-power ", power_text(amount), "`");
  }
  [[nodiscard]] std::string fee_options() const {
    std::string text;
    for (std::size_t f = 0; f < problem_.fees.size(); ++f)
      text += cat(f == 0 ? "" : " and ", fee_option(f, problem_.fees[f].most));
    return text;
  }
  [[nodiscard]] milliseconds time_left() const {
    return std::max(std::chrono::duration_cast<milliseconds>(end_ - Clock::now()), kLeastTime);
  }
  void say(bool option, std::string text, std::string fix) {
    out_.unmet.push_back({option, std::move(text), std::move(fix)});
  }

  // Checks each fee by itself, and only whether every stage has a place, not what controllers can bear.
  void find_fees() {
    if (problem_.fees.empty()) return;
    const assign::Affordable sets(problem_);
    for (std::size_t f = 0; f < problem_.fees.size(); ++f) {
      const auto least = sets.least(problem_.fees[f]);
      if (!least || *least <= problem_.fees[f].most) continue;
      say(true,
          cat(fee_option(f, problem_.fees[f].most), " cannot be kept: controllers that all stages can run on come to ",
              amount_text(f, *least), " at least"),
          cat("write ", fee_option(f, *least), " or more, or take pins away"));
    }
  }
  [[nodiscard]] std::string amount_text(std::size_t fee, Sum amount) const {
    return problem_.fees[fee].unit.empty() ? cat(static_cast<std::uint64_t>(amount)) : power_text(amount);
  }

  // Finds the least value of the bounded quantity by making it the objective.
  void find_time(const Status& why) {
    if (!most_time()) return find_limits(why);
    PlacementGoal other = goal_;
    other.objective = throughput_ ? "latency" : "throughput";
    other.most_latency_ps.reset(), other.most_period_ps.reset();
    const auto problem = copy_problem(table_, other, stages_);
    if (!problem.ok()) return find_limits(why);
    const auto nearest = assign::solve(problem->problem, {.limit = time_left() / (problem_.fees.empty() ? 1 : 2)});
    if (!nearest.ok()) return find_limits(nearest.status());
    say_nearest(*nearest);
  }
  void say_nearest(const assign::Solution& nearest) {
    const Sum most = *most_time(), found = nearest.value.objective;
    const bool least = nearest.standing == assign::Standing::kProved || nearest.standing == assign::Standing::kClaimed;
    const std::string within = problem_.fees.empty() ? "" : cat(" within ", fee_options());
    if (found <= most) {  // the search for the other objective missed it
      if (problem_.fees.empty()) return void(out_.kept = nearest.placement);
      return say(true,
                 cat("no placement was found that keeps ", time_option(most), within, " in the time that it was given"),
                 "give it more time by `--placement-limit`");
    }
    const std::string fix = cat("write ", time_option(found), " or more, or take pins away");
    if (least || nearest.bound > most)
      return say(true,
                 cat(time_option(most), " cannot be kept", within, ": ",
                     least ? cat("the least is ", option_text(found))
                           : cat("nothing is below ", option_text(nearest.bound), ", and the least that was found is ",
                                 option_text(found))),
                 fix);
    say(true,
        cat("no placement was found that keeps ", time_option(most), within, ": the least that was found is ",
            option_text(found)),
        cat(fix, "; a longer `--placement-limit` may find less"));
  }

  // Reports the fees if limits of controllers can be kept without them, else those limits.
  void find_limits(const Status& why) {
    Status status = why;
    if (!problem_.fees.empty()) {
      const auto dearer = assign::solve(assign::without(problem_, 0), {.limit = time_left()});
      if (dearer.ok()) return say_dearer(dearer->placement);
      status = dearer.status();
    }
    const std::string more_time =
        status.code() == Code::kDeadlineExceeded ? "give more time by `--placement-limit`, or " : "";
    say(false, status.message(),
        cat(more_time, "raise what the machine file says that controllers have, or take stages, needs or pins away"));
  }
  // True if a controller limits a resource that a stage takes. A bound on the period limits what controllers do, but is
  // an option.
  [[nodiscard]] bool controllers_have_limits() const {
    return std::ranges::any_of(table_.stages, [&](const StageCosts& stage) {
      for (std::size_t l = 0; l < stage.resources.size(); ++l)
        for (const auto& [name, amount] : stage.resources[l])
          if (amount > 0 && table_.components[l].resources.contains(name)) return true;
      return false;
    });
  }
  void say_dearer(const assign::Placement& placement) {
    std::string enough;
    for (std::size_t f = 0; f < problem_.fees.size(); ++f) {
      const assign::Fee& fee = problem_.fees[f];
      Sum spent = 0;
      for (std::uint32_t l = 0; l < problem_.components; ++l)
        if (std::ranges::find(placement, l) != placement.end()) spent += fee.of[l];
      enough += cat(f == 0 ? "" : " and ", fee_option(f, std::max(spent, Sum{fee.most})));
    }
    const bool limited = controllers_have_limits();
    std::string kept = limited ? "the limits of controllers" : "";
    if (most_time()) kept += cat(limited ? " and " : "", time_option(*most_time()));
    say(true,
        cat("no placement was found within ", fee_options(), problem_.fees.size() > 1 ? " together" : "",
            kept.empty() ? "" : cat(" that keeps ", kept)),
        cat("write ", enough, limited ? ", or raise what the machine file says that controllers have" : ""));
  }

  const CostTable& table_;
  const PlacementGoal& goal_;
  const std::vector<std::string>& stages_;
  const assign::Problem& problem_;
  Clock::time_point end_;
  bool throughput_ = false;
  Refusal out_;
};

}  // namespace

Refusal find_unmet(const CostTable& table, const PlacementGoal& goal, const std::vector<std::string>& stages,
                   const CopyProblem& problem, const Status& why, Clock::time_point end) {
  return Finder(table, goal, stages, problem, end).find(why);
}

}  // namespace woa
