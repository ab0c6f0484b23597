#include "compiler/explain/break_even.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "compiler/place/call_route.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/solver/solve.h"

namespace woa {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kMostOfOneSolve{500};
constexpr double kEndWithin = 1.01;
constexpr int kStepsOfDecade = 2;

// Changes all costs of a kind by a factor.
using ChangeAll = std::function<void(CostTable&, double factor)>;

std::uint64_t scaled_by(std::uint64_t number, double factor) {
  constexpr double kMost = 1e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(static_cast<double>(number) * factor), 0.0, kMost));
}

void change_latency(CostTable& table, double factor) {
  for (LinkCosts& link : table.links) link.latency_ps = scaled_by(link.latency_ps, factor);
}

std::uint64_t bytes_of_token(const EdgeCosts& edge) { return edge.bytes / edge.tokens; }

void change_payload(CostTable& table, double factor) {
  for (EdgeCosts& edge : table.edges)
    for (std::uint64_t* const bytes : {&edge.bytes, &edge.unread_bytes}) *bytes = scaled_by(*bytes, factor);
}

struct BestRpc {
  std::string_view model;
  double ratio = 1;
};

class BreakEvenSearch {
 public:
  BreakEvenSearch(const Certificate& certificate, CostTable originals, Clock::time_point end)
      : certificate_(certificate), originals_(std::move(originals)), end_(end) {}

  Result<BreakEven> find() {
    const auto here = best_of(originals_);
    if (!here.ok()) return here.status();
    out_.rpc = here->model;
    out_.ratio = here->ratio;
    out_.latency_ps = largest_latency();
    out_.payload_bytes = largest_payload();
    out_.why_nothing = why_nothing();
    out_.latency = range_of(change_latency);
    out_.payload = range_of(change_payload);
    return std::move(out_);
  }

 private:
  // The value of the best placement; nothing if none keeps the bounds.
  std::optional<double> value_of(const CostTable& table, std::string_view model) {
    PlacementGoal goal = certificate_.goal;
    goal.model = model;
    const auto problem = copy_problem(table, goal);
    if (!problem.ok()) return std::nullopt;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    const auto solution = assign::solve(
        problem->problem, {.limit = std::clamp(left, std::chrono::milliseconds(1), kMostOfOneSolve), .solver = false});
    if (!solution.ok()) return std::nullopt;
    if (solution->standing != assign::Standing::kProved) out_.exact = false;
    return static_cast<double>(solution->value.objective);
  }

  Result<BestRpc> best_of(const CostTable& table) {
    PlacementGoal goal = certificate_.goal;
    goal.model = kWoa;
    if (const auto problem = copy_problem(table, goal); !problem.ok()) return problem.status();
    const std::optional<double> woa = value_of(table, kWoa);
    if (!woa) return Status(Code::kExhausted, "no placement keeps all bounds");
    std::optional<std::pair<double, std::string_view>> best;
    for (const std::string_view model : kCallModels) {
      if (model == kWoa || model == BreakEven::kLeftOut) continue;
      const std::optional<double> value = value_of(table, model);
      if (value && (!best || *value < best->first)) best = {*value, model};
    }
    if (!best) return BestRpc{"none", std::numeric_limits<double>::infinity()};
    return BestRpc{best->second, *woa > 0 ? best->first / *woa : best->first > 0 ? GainRange::kMostFactor : 1};
  }

  enum class Standing : std::uint8_t { kWorse, kAsGood, kBetter };  // of WOA
  static Standing standing_of(double ratio) {
    if (ratio * BreakEven::kAsGood < 1) return Standing::kWorse;
    return ratio <= BreakEven::kAsGood ? Standing::kAsGood : Standing::kBetter;
  }

  // True if WOA would stand better if firings read all held tokens: a caller keeps unread ones, which WOA sends.
  bool loses_by_unread() {
    if (std::ranges::none_of(originals_.edges, &EdgeCosts::unread)) return false;
    CostTable read = originals_;
    for (EdgeCosts& edge : read.edges) edge.unread = edge.unread_bytes = 0;
    const auto otherwise = best_of(read);
    return otherwise.ok() && standing_of(otherwise->ratio) > standing_of(out_.ratio);
  }

  // False, too, if the changed costs are too large to count.
  bool gains(const ChangeAll& change, double factor) {
    CostTable table = originals_;
    change(table, factor);
    const auto best = best_of(table);
    return best.ok() && best->ratio > BreakEven::kAsGood;
  }

  std::optional<GainRange> range_of(const ChangeAll& change) {
    const int steps = static_cast<int>(kStepsOfDecade * std::log10(GainRange::kMostFactor));
    const auto factor = [](int step) { return std::pow(10.0, static_cast<double>(step) / kStepsOfDecade); };
    int first = 0;  // step of the factor nearest to 1 at which WOA gains
    bool found = false;
    for (int step = 0; step <= steps && !found; ++step) {
      for (const int sign : {1, -1}) {
        if (found || !in_time()) break;
        first = sign * step;
        found = gains(change, factor(first));
      }
    }
    if (!found) return std::nullopt;
    GainRange range;
    int low = first, high = first;
    while (low > -steps && in_time() && gains(change, factor(low - 1))) --low;
    while (high < steps && in_time() && gains(change, factor(high + 1))) ++high;
    if (low > -steps) range.least = end_between(change, factor(low), factor(low - 1));
    if (high < steps) range.most = end_between(change, factor(high), factor(high + 1));
    return range;
  }
  // Bisects between a factor at which WOA gains and one at which it does not.
  double end_between(const ChangeAll& change, double gain, double none) {
    while (std::max(gain / none, none / gain) > kEndWithin && in_time()) {
      const double middle = std::sqrt(gain * none);
      (gains(change, middle) ? gain : none) = middle;
    }
    return gain;
  }
  bool in_time() {
    out_.exact = out_.exact && Clock::now() < end_;
    return Clock::now() < end_;
  }

  [[nodiscard]] std::vector<std::uint32_t> remote() const {
    const std::set<std::uint32_t> used(certificate_.placement.begin(), certificate_.placement.end());
    std::vector<std::uint32_t> components;
    std::ranges::copy_if(used, std::back_inserter(components), [](std::uint32_t l) { return l != 0; });
    return components;
  }
  [[nodiscard]] const LinkCosts& link(std::uint32_t from, std::uint32_t to) const {
    return certificate_.costs.links[from * certificate_.costs.components.size() + to];
  }
  [[nodiscard]] std::uint64_t largest_latency() const {
    std::uint64_t most = 0;
    for (const EdgeCosts& edge : certificate_.costs.edges) {
      const std::uint32_t from = certificate_.placement[edge.from], to = certificate_.placement[edge.to];
      if (from != to && link(from, to).direct) most = std::max(most, link(from, to).latency_ps);
    }
    return most;
  }
  [[nodiscard]] std::uint64_t largest_payload() const {
    std::uint64_t most = 0;
    for (const EdgeCosts& edge : certificate_.costs.edges)
      if (edge.tokens > 0) most = std::max(most, bytes_of_token(edge));
    return most;
  }

  // Empty if WOA gains.
  std::string why_nothing() {
    const Standing standing = standing_of(out_.ratio);
    if (standing == Standing::kBetter) return "";
    if (loses_by_unread())
      return "held tokens that no firing reads stay with the caller under RPC on the host, and WOA sends them";
    if (standing == Standing::kWorse)
      return "a direct link takes longer than the way by the host, and WOA takes direct ones (`through: host` takes it "
             "off)";
    return why_as_good();
  }
  [[nodiscard]] std::string why_as_good() const {
    const std::vector<std::uint32_t> used = remote();
    if (used.size() < 2)
      return "all stages are on one controller, and a fused call sends what WOA sends: there and back";
    const std::vector<std::uint32_t>& at = certificate_.placement;
    const bool crosses = std::ranges::any_of(certificate_.costs.edges, [&](const EdgeCosts& edge) {
      return at[edge.from] != 0 && at[edge.to] != 0 && at[edge.from] != at[edge.to];
    });
    if (!crosses)
      return "no token goes from one of the controllers to another, and a fused call sends what WOA sends: there and "
             "back";
    const bool direct = std::ranges::any_of(used, [&](std::uint32_t from) {
      return std::ranges::any_of(used, [&](std::uint32_t to) { return from != to && link(from, to).direct; });
    });
    if (!direct)
      return "no two of the controllers that it uses have a direct link, so whatever one sends to another goes by way "
             "of the host under any call model";
    return "messages take too little of the time";
  }

  const Certificate& certificate_;
  CostTable originals_;  // without copies
  Clock::time_point end_;
  BreakEven out_;
};

}  // namespace

Result<BreakEven> find_break_even(const Certificate& certificate, std::chrono::milliseconds limit) {
  if (certificate.goal.model != kWoa)
    return Status(Code::kInvalid, "the certificate is for call model '" + certificate.goal.model + "', not woa");
  auto originals = without_copies(certificate.costs);
  if (!originals.ok()) return originals.status();
  return BreakEvenSearch(certificate, std::move(originals->table), Clock::now() + limit).find();
}

}  // namespace woa
