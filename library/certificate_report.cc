#include "library/certificate_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "compiler/compiler.h"
#include "runtime/base/quantities.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

constexpr double kPerUs = 1e6;

template <class Picoseconds>
double value_in_us(Picoseconds ps) {
  return static_cast<double>(ps) / kPerUs;
}

// The gap in per cent of the value.
double percent_above(const Certificate& certificate) {
  if (certificate.value_ps <= 0) return 0;
  return 100 * static_cast<double>(certificate.value_ps - certificate.bound_ps) /
         static_cast<double>(certificate.value_ps);
}

// Rounds up to three digits.
double rounded_up(double number) {
  if (number <= 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 2);
  return std::ceil(number / unit) * unit;
}

bool is_bounded(const PlacementGoal& goal) {
  return goal.most_latency_ps || goal.most_period_ps || goal.most_price || goal.most_power_mw;
}

std::string what_is_known(const Certificate& certificate) {
  std::string none = "no placement";
  if (certificate.goal.copies > 1)
    none += " with up to " + std::to_string(certificate.goal.copies) + " copies of a stage";
  none += is_bounded(certificate.goal) ? " within the bounds is better" : " is better";
  if (certificate.status == "proved") return none + ": proved";
  if (certificate.status == "claimed") return none + ": so says a solver, which nobody can check";
  if (certificate.status == "gap") {
    constexpr double kNearEnough = 0.1;  // per cent; a search may end there before its time
    const double gap = rounded_up(percent_above(certificate));
    return none + " by more than " + to_text("%.3g", gap) + " %" +
           (gap > kNearEnough ? ", in the time that it was given (--placement-limit)" : "");
  }
  return "how good that is was not found out in the time that it was given (--placement-limit)";
}

// The sum over the controllers in use, the host left out; nothing if one of them does not have the figure.
std::optional<std::uint64_t> spent(const Certificate& certificate,
                                   std::optional<std::uint64_t> ComponentCosts::*figure) {
  std::uint64_t sum = 0;
  for (const std::uint32_t l : std::set(certificate.placement.begin(), certificate.placement.end())) {
    if (l == 0) continue;
    if (l >= certificate.costs.components.size() || !(certificate.costs.components[l].*figure)) return std::nullopt;
    sum += *(certificate.costs.components[l].*figure);
  }
  return sum;
}

double in_watts(std::uint64_t milliwatts) { return static_cast<double>(milliwatts) / 1000; }

std::string bounds(const Certificate& certificate) {
  const PlacementGoal& goal = certificate.goal;
  std::string text;
  if (goal.most_latency_ps) text += "; bound: one instance takes " + time_text(*goal.most_latency_ps);
  if (goal.most_period_ps) text += "; bound: an instance every " + time_text(*goal.most_period_ps);
  const auto price = spent(certificate, &ComponentCosts::price), power = spent(certificate, &ComponentCosts::power_mw);
  if (goal.most_price && price) text += "; price " + std::to_string(*price) + " of " + std::to_string(*goal.most_price);
  if (goal.most_power_mw && power)
    text += to_text("; power %.6g W", in_watts(*power)) + to_text(" of %.6g W", in_watts(*goal.most_power_mw));
  return text;
}

std::size_t count_modelled(const Certificate& certificate) {
  std::size_t count = 0;
  for (std::size_t s = 0; s < std::min(certificate.placement.size(), certificate.costs.stages.size()); ++s)
    if (is_modelled(certificate.costs.stages[s], certificate.placement[s])) ++count;
  return count;
}

std::string modelled_text(const Certificate& certificate) {
  const std::size_t count = count_modelled(certificate);
  if (count == 0) return "";
  return "; modelled: times of " + counted(count, "stage") + " were not measured, and the plan does not run";
}

}  // namespace

std::string summary(const Certificate& certificate) {
  const bool latency = certificate.goal.objective == "latency";
  return certificate.goal.model + ": " + (latency ? "one instance takes " : "an instance every ") +
         time_text(certificate.value_ps) + " by the profile; " + what_is_known(certificate) + " (" +
         certificate.method + ")" + bounds(certificate) + modelled_text(certificate) +
         (assumed_links(certificate).empty() ? "" : "; costs of links are assumed (`woa calibrate` measures them)");
}

nlohmann::json to_json(const Certificate& certificate) {
  nlohmann::json object{{"model", certificate.goal.model},
                        {"objective", certificate.goal.objective},
                        {"copies", certificate.goal.copies},
                        {"status", certificate.status},
                        {"method", certificate.method},
                        {"value_us", value_in_us(certificate.value_ps)},
                        {"bound_us", value_in_us(certificate.bound_ps)},
                        {"gap_percent", percent_above(certificate)},
                        {"leaves", certificate.leaves.size()},
                        {"costs_hash", certificate.costs_hash},
                        {"assumed_links", assumed_links(certificate)},
                        {"modelled", count_modelled(certificate) != 0},
                        {"prediction", to_json(certificate.prediction)}};
  const PlacementGoal& goal = certificate.goal;
  if (goal.most_latency_ps) object["max_latency_us"] = value_in_us(*goal.most_latency_ps);
  if (goal.most_period_ps) object["max_period_us"] = value_in_us(*goal.most_period_ps);
  if (goal.most_price) object["max_price"] = *goal.most_price;
  if (goal.most_power_mw) object["max_power_w"] = in_watts(*goal.most_power_mw);
  if (const auto price = spent(certificate, &ComponentCosts::price)) object["price"] = *price;
  if (const auto power = spent(certificate, &ComponentCosts::power_mw)) object["power_w"] = in_watts(*power);
  return object;
}

nlohmann::json to_json(const Prediction& prediction) {
  const auto number = [](std::uint64_t millionths) { return static_cast<double>(millionths) / kPerMillion; };
  return {{"messages", number(prediction.messages)},
          {"calls", number(prediction.calls)},
          {"hops", number(prediction.hops)},
          {"payload_bytes", number(prediction.payload_bytes)},
          {"serial_us", value_in_us(prediction.serial_ps)},
          {"critical_path_us", value_in_us(prediction.critical_path_ps)},
          {"critical_kernels_us", value_in_us(prediction.critical_kernels_ps)},
          {"alone_us", value_in_us(prediction.alone_ps)},
          {"bottleneck", prediction.bottleneck},
          {"period_us", value_in_us(prediction.period_ps)},
          {"predicted_us", value_in_us(prediction.time_ps())}};
}

namespace {

// Pairs of components, the smaller number first.
using Links = std::set<std::pair<std::uint32_t, std::uint32_t>>;

void add_assumed(const CostTable& costs, const Route& route, Links& found) {
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    if (costs.links[from * costs.components.size() + to].assumed) found.insert(std::minmax(from, to));
  };
  for (const Hop& hop : route.hops()) {
    add(hop.from, hop.to);
    if (costs.links[hop.from * costs.components.size() + hop.to].direct) continue;
    add(hop.from, kHostComponent), add(kHostComponent, hop.to);
  }
}

}  // namespace

std::vector<std::string> assumed_links(const Certificate& certificate) {
  const CostTable& costs = certificate.costs;
  const std::vector<std::uint32_t>& at = certificate.placement;
  Links found;
  for (const std::uint32_t l : at) add_assumed(costs, route_of_firing(certificate.goal.model, l), found);
  for (const EdgeCosts& edge : costs.edges)
    if (edge.tokens > 0)
      add_assumed(costs,
                  route_of_token(certificate.goal.model, at[edge.from], at[edge.to], edge.to == kSinkStage, edge.count),
                  found);
  std::vector<std::string> names;
  for (const auto& [a, b] : found)
    names.push_back(costs.components[a].controller + " - " + costs.components[b].controller);
  return names;
}

}  // namespace woa
