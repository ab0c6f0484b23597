#include "compiler/place/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/assign/proof.h"
#include "compiler/assign/solve.h"
#include "compiler/assign/symmetry.h"
#include "compiler/compiler.h"
#include "compiler/place/certify.h"
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

// "cpu" of "cpu:0".
std::string_view kind_of(const ComponentCosts& component) {
  return std::string_view(component.controller).substr(0, component.controller.find(':'));
}

template <class Number>
Number scaled(Number number, double factor) {
  constexpr double kMost = 9e18;
  return static_cast<Number>(std::clamp(std::round(static_cast<double>(number) * factor), 0.0, kMost));
}

// A factor of a cost at which the placement is the best, and why.
struct Point {
  double factor = 1;
  Problem problem;
  assign::Sum value = 0;
  assign::Proof proof;
};

// Neither: that was not found out in time.
struct Tried {
  std::optional<Point> point = std::nullopt;
  bool worse = false;  // another placement is better, or this one breaks a limit
};

struct End {
  Point good;
  bool sharp = false;  // it was found to be worse at the nearest factor beyond that was tried
};

// Does what shows one point show the other as well, with the same components left out?
bool shows(const Point& shown, const Point& other) {
  const auto twins = assign::twins(shown.problem), of_other = assign::twins(other.problem);
  for (std::size_t l = 0; l < twins.size(); ++l)
    if (of_other[twins[l]] != of_other[l]) return false;
  return assign::verify(other.problem, shown.proof, other.value).ok();
}

// Costs grow from one end to the other, and with them what any placement comes to: if this one's value does not,
// nothing is better between them. Nor if one set of multipliers shows both ends: its bound is concave in the cost, and
// what the placement comes to convex.
bool nothing_better_between(const Point& a, const Point& b) { return a.value == b.value || shows(a, b) || shows(b, a); }

class Reasons {
 public:
  Reasons(const Certificate& certificate, Problem problem, Clock::time_point end)
      : certificate_(certificate),
        end_(end),
        here_{1, std::move(problem), certificate.value_ps, proof_of(certificate)} {}

  PlacementReasons find() {
    const auto stages = static_cast<std::uint32_t>(certificate_.costs.stages.size());
    for (std::uint32_t s = kFirstKernel; s < stages && in_time(); ++s) out_.stages.push_back(reason_of(s));
    const std::set<std::uint32_t> used(certificate_.placement.begin(), certificate_.placement.end());
    std::set<Link> seen;
    for (const std::uint32_t from : used)
      for (const std::uint32_t to : used)
        if (from < to && is_direct(from, to) && !seen.contains({from, to}) && in_time()) {
          const std::vector<Link> links = links_like(from, to);
          seen.insert(links.begin(), links.end());
          out_.links.push_back(reason_of({from, to}, links));
        }
    return std::move(out_);
  }

 private:
  using Link = std::pair<std::uint32_t, std::uint32_t>;  // the lower end first

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
      for (std::size_t l = 0; l < table.components.size(); ++l)
        if (std::int64_t& time = table.stages[s].time_ps[l];
            time != kNowhere_ps && kind_of(table.components[l]) == kind_of(table.components[reason.component]))
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
    assign::Placement start = certificate_.placement;
    start[s] = l;
    const auto solution =
        assign::solve(*problem, {.limit = time_for_one(), .solver = false, .start = std::move(start)});
    if (!solution.ok()) return;  // limits keep it from there
    reason.elsewhere.push_back({table.components[l].controller, static_cast<std::int64_t>(solution->value.objective),
                                solution->standing == assign::Standing::kProved});
  }

  [[nodiscard]] bool is_direct(std::uint32_t from, std::uint32_t to) const {
    return certificate_.costs.links[from * certificate_.costs.components.size() + to].direct;
  }
  [[nodiscard]] const LinkCosts& link(std::uint32_t from, std::uint32_t to) const {
    return certificate_.costs.links[from * certificate_.costs.components.size() + to];
  }
  // Itself, and others between the same kinds of controllers that cost the same.
  [[nodiscard]] std::vector<Link> links_like(std::uint32_t from, std::uint32_t to) const {
    const std::vector<ComponentCosts>& components = certificate_.costs.components;
    const auto is_like = [&](std::uint32_t a, std::uint32_t b) {
      return kind_of(components[a]) == kind_of(components[from]) && kind_of(components[b]) == kind_of(components[to]) &&
             link(a, b) == link(from, to) && link(b, a) == link(to, from);
    };
    std::vector<Link> links;
    for (std::uint32_t a = 0; a < components.size(); ++a)
      for (std::uint32_t b = a + 1; b < components.size(); ++b)
        if (is_like(a, b) || is_like(b, a)) links.emplace_back(a, b);
    return links;
  }
  [[nodiscard]] LinkReason reason_of(const Link& here, const std::vector<Link>& links) const {
    const auto all = [&](CostTable& table, double factor, std::uint64_t LinkCosts::*cost) {
      const std::size_t k = table.components.size();
      for (const auto& [a, b] : links)
        for (LinkCosts* link : {&table.links[a * k + b], &table.links[b * k + a]})
          link->*cost = scaled(link->*cost, factor);
      for (std::size_t x = 0; x < k; ++x)
        for (std::size_t y = 0; y < k; ++y)
          if (LinkCosts& link = table.links[x * k + y]; !link.direct)
            link.*cost = table.links[x * k].*cost + table.links[y].*cost;
    };
    return {here.first, here.second, links.size() - 1,
            range_of([&](CostTable& table, double factor) { all(table, factor, &LinkCosts::latency_ps); }),
            range_of([&](CostTable& table, double factor) { all(table, factor, &LinkCosts::ps_per_kib); })};
  }

  // One placement is possible, and costs are not bounded: it stays whatever they are.
  [[nodiscard]] bool nothing_to_choose() const {
    const PlacementGoal& goal = certificate_.goal;
    return !goal.most_latency_ps && !goal.most_period_ps && !has_choice(certificate_.costs);
  }
  // The least sum is concave in any one cost, and that of a given placement linear: where both ends of a range are the
  // same, all of it is. With a largest load, or a limit on it, that has to be shown.
  [[nodiscard]] bool is_concave() const {
    return certificate_.goal.objective == "latency" && !certificate_.goal.most_period_ps;
  }
  [[nodiscard]] SafeRange range_of(const Change& change) const {
    if (nothing_to_choose()) return {};
    const End most = reach(change, SafeRange::kMostFactor), least = reach(change, kLeastFactor);
    const bool at_least = least.good.factor == kLeastFactor;
    const auto none = at_least ? point_at(change, 0, least.good).point : std::nullopt;
    const bool any_less = none && (is_concave() || nothing_better_between(least.good, *none));
    return {any_less ? 0 : least.good.factor, most.good.factor, !at_least && least.sharp, most.sharp};
  }
  // How far from 1 towards `far` the placement stays the best: as large a step as can be shown, again and again.
  [[nodiscard]] End reach(const Change& change, double far) const {
    End end{here_, false};
    Point& good = end.good;
    for (double step = far; std::max(step, 1 / step) > kPrecision && good.factor != far;) {
      const double factor = far > 1 ? std::min(good.factor * step, far) : std::max(good.factor * step, far);
      Tried next = point_at(change, factor, good);
      const bool stays = next.point && (is_concave() || nothing_better_between(good, *next.point));
      if (stays) good = std::move(*next.point);
      if (!stays) end.sharp = next.worse;
      if (!stays || is_concave()) step = std::sqrt(step);  // twice the step was too far
    }
    end.sharp = end.sharp && good.factor != far;
    return end;
  }
  // What shows the point `near` often shows it, too.
  [[nodiscard]] Tried point_at(const Change& change, double factor, const Point& near) const {
    CostTable table = certificate_.costs;
    change(table, factor);
    auto problem = placement_problem(table, certificate_.goal);
    if (!problem.ok()) return {};  // numbers that cannot be counted
    const assign::Value now = assign::evaluate(*problem, certificate_.placement);
    if (!now.feasible) return {std::nullopt, true};
    if (assign::verify(*problem, near.proof, now.objective).ok())
      return {Point{factor, std::move(*problem), now.objective, near.proof}, false};
    auto best = assign::solve(*problem, {.limit = time_for_one(), .solver = false, .start = certificate_.placement});
    if (!best.ok()) return {};
    if (best->value.objective < now.objective) return {std::nullopt, true};
    if (best->standing != assign::Standing::kProved) return {};
    return {Point{factor, std::move(*problem), now.objective, std::move(best->proof)}, false};
  }

  const Certificate& certificate_;
  Clock::time_point end_;
  Point here_;
  PlacementReasons out_;
};

}  // namespace

Result<PlacementReasons> explain_placement(const Plan& plan, std::chrono::milliseconds limit) {
  WOA_RETURN_IF_ERROR(verify_certificate(plan));
  if (plan.certificate->status != "proved")
    return Status(Code::kUnsupported,
                  "the placement was not proved to be the best, so nothing can be said of what is better");
  auto problem = placement_problem(plan.certificate->costs, plan.certificate->goal);
  if (!problem.ok()) return problem.status();
  return Reasons(*plan.certificate, std::move(*problem), Clock::now() + limit).find();
}

}  // namespace woa
