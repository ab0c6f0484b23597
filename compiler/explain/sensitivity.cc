#include "compiler/explain/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/placement_problem.h"
#include "compiler/place/solver/proof.h"
#include "compiler/place/solver/solve.h"
#include "compiler/place/solver/symmetry.h"
#include "compiler/verify/verify.h"

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
  Sum value = 0;
  assign::Proof proof;
  std::vector<std::uint32_t> nearest;  // copies: by set of several components, and reader
};

// Neither field is set if nothing was found out in time.
struct Tried {
  std::optional<Point> point = std::nullopt;
  bool worse = false;  // another placement is better, or this one breaks a limit
};

struct End {
  Point good;
  bool sharp = false;  // worse at the nearest factor beyond it that was tried
};

// By set and reader: the nearest copy. If a link's costs change it, the placement's value jumps.
std::vector<std::uint32_t> nearest_copies(const CostTable& table, const std::string& model,
                                          const std::vector<ComponentSet>& sets) {
  const NearestCopy nearest(table, model);
  std::vector<std::uint32_t> all;
  for (const ComponentSet& set : sets)
    for (std::uint32_t reader = 0; set.size() > 1 && reader < table.components.size(); ++reader)
      all.push_back(nearest.of(set, reader));
  return all;
}

// Does the proof of `shown` hold for `other`, too? Components that it leaves out as twins must be twins there.
bool shows(const Point& shown, const Point& other) {
  const auto twins = assign::twins(shown.problem), of_other = assign::twins(other.problem);
  for (std::size_t l = 0; l < twins.size(); ++l)
    if (of_other[twins[l]] != of_other[l]) return false;
  return assign::verify(other.problem, shown.proof, other.value).ok();
}

// The value of any placement grows with the cost from one end to the other: if this one's does not, none is better
// between them. Nor if one set of multipliers proves both ends: its bound is concave in the cost, the placement's value
// convex.
bool nothing_better_between(const Point& a, const Point& b) { return a.value == b.value || shows(a, b) || shows(b, a); }

// Finds the reasons of a verified certificate.
class Reasons {
 public:
  Reasons(const Certificate& certificate, Originals originals, CopyProblem copies, Clock::time_point end)
      : certificate_(certificate),
        originals_(std::move(originals)),
        places_(places_of(originals_, certificate.placement)),
        end_(end),
        here_{1, std::move(copies.problem), certificate.value_ps, proof_of(certificate, copies.sets.size()),
              nearest_copies(originals_.table, certificate.goal.model, copies.sets)} {}

  PlacementReasons find() {
    const auto stages = static_cast<std::uint32_t>(originals_.table.stages.size());
    for (std::uint32_t s = kFirstKernel; s < stages && in_time(); ++s) {
      StageReason reason = reason_of(s);
      if (reason.time.is_known() || in_time()) out_.stages.push_back(std::move(reason));
    }
    const std::set<std::uint32_t> used(certificate_.placement.begin(), certificate_.placement.end());
    std::set<Link> seen;
    for (const std::uint32_t from : used)
      for (const std::uint32_t to : used)
        if (from < to && is_direct(from, to) && !seen.contains({from, to}) && in_time()) {
          const std::vector<Link> links = links_like(from, to);
          seen.insert(links.begin(), links.end());
          LinkReason reason = reason_of({from, to}, links);
          if (reason.latency.is_known() || reason.ps_per_kib.is_known() || in_time())
            out_.links.push_back(std::move(reason));
        }
    return std::move(out_);
  }

 private:
  using Link = std::pair<std::uint32_t, std::uint32_t>;  // the lower end first

  bool in_time() {
    out_.complete = out_.complete && Clock::now() < end_;
    return out_.complete;
  }

  // After the end a search stops at once and proves nothing.
  [[nodiscard]] std::chrono::milliseconds time_for_one() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(1), kOneSolve);
  }

  StageReason reason_of(std::uint32_t s) {
    const StageCosts& costs = originals_.table.stages[s];
    const auto first = std::ranges::find(originals_.stage_of, s) - originals_.stage_of.begin();
    StageReason reason{static_cast<std::uint32_t>(first), places_[s], 0, {}, {}};
    for (const std::uint32_t l : places_[s])
      reason.time_ps += static_cast<std::int64_t>(Sum{costs.time_ps[l]} * costs.firings / kPerMillion);
    reason.time = range_of([&](CostTable& table, double factor) {
      for (std::size_t l = 0; l < table.components.size(); ++l)
        if (std::int64_t& time = table.stages[s].time_ps[l]; time != kNowhere_ps && is_like_one_of(places_[s], l))
          time = scaled(time, factor);
    });
    add_elsewhere(s, reason);
    std::ranges::sort(reason.elsewhere, {}, &Elsewhere::value_ps);
    return reason;
  }
  // Is the component of the same kind as one of `places`?
  [[nodiscard]] bool is_like_one_of(const ComponentSet& places, std::size_t component) const {
    const std::vector<ComponentCosts>& all = certificate_.costs.components;
    return std::ranges::any_of(places, [&](std::uint32_t l) { return kind_of(all[l]) == kind_of(all[component]); });
  }
  void add_elsewhere(std::uint32_t s, StageReason& reason) const {
    auto copies = copy_problem(originals_.table, certificate_.goal);
    if (!copies.ok()) return;
    std::vector<Cost>& at = copies->problem.nodes[s];
    const std::vector<Cost> costs = at;
    assign::Placement start = *placement_on(*copies, places_);
    for (std::uint32_t l = 0; l < costs.size(); ++l) {
      if (costs[l] == assign::kForbidden || copies->sets[l] == places_[s]) continue;
      at.assign(costs.size(), assign::kForbidden);
      at[l] = costs[l], start[s] = l;
      const auto solution = assign::solve(copies->problem, {.limit = time_for_one(), .solver = false, .start = start});
      if (!solution.ok()) continue;  // limits forbid it there
      reason.elsewhere.push_back({copies->sets[l], static_cast<std::int64_t>(solution->value.objective),
                                  solution->standing == assign::Standing::kProved});
    }
  }

  [[nodiscard]] bool is_direct(std::uint32_t from, std::uint32_t to) const {
    return certificate_.costs.links[from * certificate_.costs.components.size() + to].direct;
  }
  [[nodiscard]] const LinkCosts& link(std::uint32_t from, std::uint32_t to) const {
    return certificate_.costs.links[from * certificate_.costs.components.size() + to];
  }
  // The link itself, and all others between the same kinds of controllers at the same costs.
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

  // Only one placement is possible, and times are not bounded: it stays whatever the costs.
  [[nodiscard]] bool nothing_to_choose() const {
    const PlacementGoal& goal = certificate_.goal;
    return !goal.most_latency_ps && !goal.most_period_ps && !has_choice(certificate_.costs);
  }
  // The least sum is concave in any one cost, that of a given placement linear: if both are equal at both ends of a
  // range, they are throughout. With a largest load, or a limit on it, that needs a proof.
  [[nodiscard]] bool is_concave() const {
    return certificate_.goal.objective == "latency" && !certificate_.goal.most_period_ps;
  }
  // Is the placement the best from one to the other? The nearest copies are the same between them if they are at both:
  // the difference of two routes is linear in the cost.
  [[nodiscard]] bool all_between(const Point& a, const Point& b) const {
    return a.nearest == b.nearest && (is_concave() || nothing_better_between(a, b));
  }
  [[nodiscard]] SafeRange range_of(const Change& change) const {
    if (nothing_to_choose()) return {};
    const End most = reach(change, SafeRange::kMostFactor), least = reach(change, kLeastFactor);
    const bool at_least = least.good.factor == kLeastFactor;
    const auto none = at_least ? point_at(change, 0, least.good).point : std::nullopt;
    const bool any_less = none && all_between(least.good, *none);
    return {any_less ? 0 : least.good.factor, most.good.factor, !at_least && least.sharp, most.sharp};
  }
  // How far from 1 towards `far` the placement provably stays the best, by the largest steps that can be proved.
  [[nodiscard]] End reach(const Change& change, double far) const {
    End end{here_, false};
    Point& good = end.good;
    for (double step = far; std::max(step, 1 / step) > kPrecision && good.factor != far;) {
      const double factor = far > 1 ? std::min(good.factor * step, far) : std::max(good.factor * step, far);
      Tried next = point_at(change, factor, good);
      const bool stays = next.point && all_between(good, *next.point);
      if (stays) good = std::move(*next.point);
      if (!stays) end.sharp = next.worse;
      if (!stays || is_concave()) step = std::sqrt(step);  // twice the step was too far
    }
    end.sharp = end.sharp && good.factor != far;
    return end;
  }
  // Tries the proof of `near` first, which often holds here, too.
  [[nodiscard]] Tried point_at(const Change& change, double factor, const Point& near) const {
    CostTable table = originals_.table;
    change(table, factor);
    auto copies = copy_problem(table, certificate_.goal);
    if (!copies.ok()) return {};  // costs too large to count
    const auto placement = placement_on(*copies, places_);
    if (!placement) return {};
    const assign::Value now = assign::evaluate(copies->problem, *placement);
    if (!now.feasible) return {std::nullopt, true};
    std::vector<std::uint32_t> nearest = nearest_copies(table, certificate_.goal.model, copies->sets);
    if (assign::verify(copies->problem, near.proof, now.objective).ok())
      return {Point{factor, std::move(copies->problem), now.objective, near.proof, std::move(nearest)}, false};
    auto best = assign::solve(copies->problem, {.limit = time_for_one(), .solver = false, .start = *placement});
    if (!best.ok()) return {};
    if (best->value.objective < now.objective) return {std::nullopt, true};
    if (best->standing != assign::Standing::kProved) return {};
    return {Point{factor, std::move(copies->problem), now.objective, std::move(best->proof), std::move(nearest)},
            false};
  }

  const Certificate& certificate_;
  Originals originals_;
  std::vector<ComponentSet> places_;  // by stage without copies
  Clock::time_point end_;
  Point here_;
  PlacementReasons out_;
};

}  // namespace

Result<PlacementReasons> explain_placement(const CertifiedPlan& plan, std::chrono::milliseconds limit) {
  WOA_RETURN_IF_ERROR(verify_certificate(plan));
  if (plan.certificate->status != "proved")
    return Status(Code::kUnsupported,
                  "the placement was not proved to be the best, so nothing can be said of what is better");
  auto originals = without_copies(plan.certificate->costs);
  if (!originals.ok()) return originals.status();
  auto copies = copy_problem(originals->table, plan.certificate->goal);
  if (!copies.ok()) return copies.status();
  return Reasons(*plan.certificate, std::move(*originals), std::move(*copies), Clock::now() + limit).find();
}

}  // namespace woa
