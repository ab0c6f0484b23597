#include "compiler/place/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "compiler/assign/solve.h"
#include "compiler/compiler.h"
#include "compiler/place/copy_problem.h"

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

// Of a certificate that is true.
class Reasons {
 public:
  Reasons(const Certificate& certificate, Originals originals, Clock::time_point end)
      : certificate_(certificate),
        originals_(std::move(originals)),
        places_(places_of(originals_, certificate.placement)),
        end_(end) {}

  PlacementReasons find() {
    const auto stages = static_cast<std::uint32_t>(originals_.table.stages.size());
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
    const StageCosts& costs = originals_.table.stages[s];
    const auto first = std::ranges::find(originals_.stage_of, s) - originals_.stage_of.begin();
    StageReason reason{static_cast<std::uint32_t>(first), places_[s], 0, {}, {}};
    for (const std::uint32_t l : places_[s])
      reason.time_ps += static_cast<std::int64_t>(assign::Sum{costs.time_ps[l]} * costs.firings / kPerMille);
    reason.time = range_of([&](CostTable& table, double factor) {
      for (const std::uint32_t l : places_[s]) table.stages[s].time_ps[l] = scaled(table.stages[s].time_ps[l], factor);
    });
    add_elsewhere(s, reason);
    std::ranges::sort(reason.elsewhere, {}, &Elsewhere::value_ps);
    return reason;
  }
  void add_elsewhere(std::uint32_t s, StageReason& reason) const {
    auto copies = copy_problem(originals_.table, certificate_.goal);
    if (!copies.ok()) return;
    std::vector<assign::Cost>& at = copies->problem.nodes[s];
    const std::vector<assign::Cost> costs = at;
    for (std::size_t l = 0; l < costs.size(); ++l) {
      if (costs[l] == assign::kForbidden || copies->sets[l] == places_[s]) continue;
      at.assign(costs.size(), assign::kForbidden);
      at[l] = costs[l];
      const auto solution = assign::solve(copies->problem, {.limit = time_for_one(), .solver = false});
      if (!solution.ok()) continue;  // limits keep it from there
      reason.elsewhere.push_back({copies->sets[l], static_cast<std::int64_t>(solution->value.objective),
                                  solution->standing == assign::Standing::kProved});
    }
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
    CostTable table = originals_.table;
    change(table, factor);
    const auto copies = copy_problem(table, certificate_.goal);
    if (!copies.ok()) return false;  // numbers that cannot be counted
    const auto placement = placement_on(*copies, places_);
    const assign::Value now = placement ? assign::evaluate(copies->problem, *placement) : assign::Value();
    if (!now.feasible) return false;
    const auto best = assign::solve(copies->problem, {.limit = time_for_one(), .solver = false});
    return best.ok() && best->standing == assign::Standing::kProved && best->value.objective >= now.objective;
  }

  const Certificate& certificate_;
  Originals originals_;
  std::vector<ComponentSet> places_;  // by stage without copies
  Clock::time_point end_;
  PlacementReasons out_;
};

}  // namespace

Result<PlacementReasons> explain_placement(const Plan& plan, std::chrono::milliseconds limit) {
  WOA_RETURN_IF_ERROR(verify_certificate(plan));
  if (plan.certificate->status != "proved")
    return Status(Code::kUnsupported,
                  "the placement was not proved to be the best, so nothing can be said of what is better");
  auto originals = without_copies(plan.certificate->costs);
  if (!originals.ok()) return originals.status();
  return Reasons(*plan.certificate, std::move(*originals), Clock::now() + limit).find();
}

}  // namespace woa
