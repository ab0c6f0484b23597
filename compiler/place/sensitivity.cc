#include "compiler/place/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "compiler/assign/solve.h"
#include "compiler/compiler.h"
#include "compiler/place/placement_problem.h"

namespace woa {
namespace {

using assign::Problem;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kFirstKernel = 2;
constexpr std::chrono::milliseconds kOneSolve{500};
constexpr double kPrecision = 1.01, kLeastFactor = 0.001;

// Changes one cost of a table by a factor.
using Change = std::function<void(CostTable&, double factor)>;

template <class Number>
Number scaled(Number number, double factor) {
  constexpr double kMost = 9e18;
  return static_cast<Number>(std::clamp(std::round(static_cast<double>(number) * factor), 0.0, kMost));
}

class Reasons {
 public:
  Reasons(const Certificate& certificate, Clock::time_point end) : certificate_(certificate), end_(end) {}

  PlacementReasons find() {
    const auto stages = static_cast<std::uint32_t>(certificate_.costs.stages.size());
    for (std::uint32_t s = kFirstKernel; s < stages && in_time(); ++s) out_.stages.push_back(reason_of(s));
    const std::set<std::uint32_t> used(certificate_.placement.begin(), certificate_.placement.end());
    for (const std::uint32_t from : used)
      for (const std::uint32_t to : used)
        if (from < to && is_direct(from, to) && in_time()) out_.links.push_back(reason_of(from, to));
    return std::move(out_);
  }

 private:
  bool in_time() {
    out_.complete = out_.complete && Clock::now() < end_;
    return out_.complete;
  }

  // After the end a search ends at once, and nothing is proved any more.
  [[nodiscard]] std::chrono::milliseconds time_for_one() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(1), kOneSolve);
  }

  StageReason reason_of(std::uint32_t s) {
    const StageCosts& costs = certificate_.costs.stages[s];
    StageReason reason{s, certificate_.placement[s], 0, {}, {}};
    reason.time_ps =
        static_cast<std::int64_t>(assign::Sum{costs.time_ps[reason.component]} * costs.firings / kPerMillion);
    reason.time = range_of([&](CostTable& table, double factor) {
      std::int64_t& time = table.stages[s].time_ps[reason.component];
      time = scaled(time, factor);
    });
    for (std::uint32_t l = 0; l < costs.time_ps.size(); ++l)
      if (l != reason.component && costs.time_ps[l] != kNowhere_ps) add_elsewhere(s, l, reason);
    std::ranges::sort(reason.elsewhere, {}, &Elsewhere::value_ps);
    return reason;
  }
  void add_elsewhere(std::uint32_t s, std::uint32_t l, StageReason& reason) const {
    CostTable table = certificate_.costs;
    const std::int64_t time = table.stages[s].time_ps[l];
    table.stages[s].time_ps.assign(table.stages[s].time_ps.size(), kNowhere_ps);
    table.stages[s].time_ps[l] = time;
    const auto problem = placement_problem(table, certificate_.goal);
    if (!problem.ok()) return;
    const auto solution = assign::solve(*problem, {.limit = time_for_one(), .solver = false});
    if (!solution.ok()) return;  // limits keep it from there
    reason.elsewhere.push_back({table.components[l].controller, static_cast<std::int64_t>(solution->value.objective),
                                solution->standing == assign::Standing::kProved});
  }

  [[nodiscard]] bool is_direct(std::uint32_t from, std::uint32_t to) const {
    return certificate_.costs.links[from * certificate_.costs.components.size() + to].direct;
  }
  LinkReason reason_of(std::uint32_t from, std::uint32_t to) {
    const auto both = [=](CostTable& table, double factor, std::uint64_t LinkCosts::*cost) {
      const std::size_t k = table.components.size();
      for (LinkCosts* link : {&table.links[from * k + to], &table.links[to * k + from]})
        link->*cost = scaled(link->*cost, factor);
      for (std::size_t x = 0; x < k; ++x)
        for (std::size_t y = 0; y < k; ++y)
          if (LinkCosts& link = table.links[x * k + y]; !link.direct)
            link.*cost = table.links[x * k].*cost + table.links[y].*cost;
    };
    return {from, to, range_of([&](CostTable& table, double factor) { both(table, factor, &LinkCosts::latency_ps); }),
            range_of([&](CostTable& table, double factor) { both(table, factor, &LinkCosts::ps_per_kib); })};
  }

  // The value of the least sum is concave in any one cost, and that of a given placement linear: where they meet is one
  // range, so that halving finds its ends. Of the largest load that is not so everywhere: then it is the range around 1
  // as far as halving sees.
  [[nodiscard]] SafeRange range_of(const Change& change) const {
    SafeRange range;
    if (!stays(change, SafeRange::kMostFactor)) range.most = edge_of(change, 1, SafeRange::kMostFactor);
    if (!stays(change, 0)) range.least = stays(change, kLeastFactor) ? kLeastFactor : edge_of(change, 1, kLeastFactor);
    return range;
  }
  // Between a factor that it stays at and one where it does not.
  [[nodiscard]] double edge_of(const Change& change, double good, double bad) const {
    while (std::max(good / bad, bad / good) > kPrecision) {
      const double middle = std::sqrt(good * bad);
      (stays(change, middle) ? good : bad) = middle;
    }
    return good;
  }
  [[nodiscard]] bool stays(const Change& change, double factor) const {
    CostTable table = certificate_.costs;
    change(table, factor);
    const auto problem = placement_problem(table, certificate_.goal);
    if (!problem.ok()) return false;  // numbers that cannot be counted
    const assign::Value now = assign::evaluate(*problem, certificate_.placement);
    if (!now.feasible) return false;
    const auto best = assign::solve(*problem, {.limit = time_for_one(), .solver = false});
    return best.ok() && best->standing == assign::Standing::kProved && best->value.objective >= now.objective;
  }

  const Certificate& certificate_;
  Clock::time_point end_;
  PlacementReasons out_;
};

}  // namespace

Result<PlacementReasons> explain_placement(const Plan& plan, std::chrono::milliseconds limit) {
  WOA_RETURN_IF_ERROR(verify_certificate(plan));
  if (plan.certificate->status != "proved")
    return Status(Code::kUnsupported,
                  "the placement was not proved to be the best, so nothing can be said of what is better");
  return Reasons(*plan.certificate, Clock::now() + limit).find();
}

}  // namespace woa
