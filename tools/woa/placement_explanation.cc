#include "tools/woa/placement_explanation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "library/certificate_report.h"
#include "runtime/base/quantities.h"
#include "tools/woa/columns.h"

namespace woa::tools {
namespace {

// A factor in per cent, to three digits, rounded towards 0: a change called safe is safe.
std::string percent_text(double factor) {
  const double percent = 100 * (factor - 1);
  if (percent == 0) return "0 %";
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(percent))) - 2);
  const double rounded = std::trunc(percent / unit) * unit;
  return to_text(std::abs(rounded) < 1000 ? "%+.3g %%" : "%+.0f %%", rounded);
}

// "cpu:0", or for copies "cpu:0 and gpu:0".
std::string place_text(const Certificate& certificate, const std::vector<std::uint32_t>& components) {
  std::string text;
  for (const std::uint32_t l : components)
    text += (text.empty() ? "" : " and ") + certificate.costs.components[l].controller;
  return text;
}

std::string place_of(const Certificate& certificate, const StageReason& reason) {
  const bool modelled = std::ranges::any_of(reason.components, [&](std::uint32_t component) {
    return is_modelled(certificate.costs.stages[reason.stage], component);
  });
  return place_text(certificate, reason.components) + (modelled ? ", modelled" : "");
}

// The name of the stage, also if this is one of its copies.
std::string name_without_copy(const Plan& plan, std::uint32_t stage) {
  const std::string& name = plan.stages[stage].name;
  return name.substr(0, name.find('@'));
}

std::string stage_text(const Plan& plan, const StageReason& reason) {
  return reason.components.size() > 1 ? name_without_copy(plan, reason.stage) : plan.stages[reason.stage].name;
}

// An end of a range; nothing was shown beyond the present value where an unknown one is 0 %.
std::string end_text(double factor, bool sharp) {
  return (sharp || factor == 1 ? "" : "at least ") + percent_text(factor);
}

// "-18 % to +35 %"; "at least" or "not known" if the range beyond is unknown.
std::string range_text(const SafeRange& range) {
  const bool any_less = range.least == 0, any_more = range.most == SafeRange::kMostFactor;
  if (any_less && any_more) return "whatever it is";
  if (!range.is_known()) return "not known";
  const std::string least = end_text(range.least, range.least_sharp), most = end_text(range.most, range.most_sharp);
  const bool hidden_below = range.least == 1 && !range.least_sharp, hidden_above = range.most == 1 && !range.most_sharp;
  const std::string rest = hidden_below ? ", not known below" : hidden_above ? ", not known above" : "";
  if (any_less) return "up to " + most + rest;
  return (any_more ? "from " + least + " up" : least + " to " + most) + rest;
}

// "cpu:0, cpu:1 +40 us; gpu:0 about +2 us".
std::string elsewhere_text(const Certificate& certificate, const std::vector<Elsewhere>& elsewhere) {
  std::string text;
  for (std::size_t k = 0; k < elsewhere.size(); ++k) {
    const Elsewhere& one = elsewhere[k];
    text += place_text(certificate, one.components);
    const bool more = k + 1 < elsewhere.size();
    if (more && elsewhere[k + 1].value_ps == one.value_ps && elsewhere[k + 1].proved == one.proved) {
      text += ", ";
      continue;
    }
    text += (one.proved ? " +" : " about +") + time_text(one.value_ps - certificate.value_ps) + (more ? "; " : "");
  }
  return text.empty() ? "it can run nowhere else" : text;
}

bool is_assumed(const Certificate& certificate, const LinkReason& link) {
  return certificate.costs.links[link.from * certificate.costs.components.size() + link.to].assumed;
}

std::string name_of(const Certificate& certificate, const LinkReason& link) {
  const auto name = [&](std::uint32_t l) { return certificate.costs.components[l].controller; };
  return name(link.from) + " - " + name(link.to) +
         (link.alike == 0 ? "" : " and " + std::to_string(link.alike) + " alike") +
         (is_assumed(certificate, link) ? ", assumed" : "");
}

// Nothing if there is only the heading.
void print_rows(const std::vector<Cells>& rows) {
  if (rows.size() == 1) return;
  for (const std::string& line : in_columns(rows)) std::printf("%s\n", line.c_str());
}

nlohmann::json factors(const SafeRange& range) {
  nlohmann::json both = nlohmann::json::array({range.least, range.most});
  if (range.most == SafeRange::kMostFactor) both[1] = nullptr;
  return both;
}

nlohmann::json sharp(const SafeRange& range) { return nlohmann::json::array({range.least_sharp, range.most_sharp}); }

// Stages that the time did not suffice for, in order; copies count as their stage.
std::vector<std::string> left_out(const Plan& plan, const PlacementReasons& reasons) {
  std::set<std::string> said;
  for (const StageReason& reason : reasons.stages) said.insert(name_without_copy(plan, reason.stage));
  std::vector<std::string> names;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s)
    if (plan.stages[s].role == StageRole::kKernel && said.insert(name_without_copy(plan, s)).second)
      names.push_back(name_without_copy(plan, s));
  return names;
}

std::string left_out_text(const Plan& plan, const PlacementReasons& reasons) {
  const std::size_t stages = left_out(plan, reasons).size(), all = stages + reasons.stages.size();
  const std::string what =
      stages == 0 ? "some links" : std::to_string(stages) + " of " + std::to_string(all) + " stages, and all links,";
  return what + " are left out: the time was over before they were looked at; give more, such as --reasons-limit 1min";
}

}  // namespace

void print_placement_reasons(const CertifiedPlan& plan, const PlacementReasons& reasons) {
  const Certificate& certificate = *plan.certificate;
  std::printf("\n");
  std::vector<Cells> rows{{"STAGE", "ON", "TAKES", "STAYS THERE IF THAT CHANGES BY", "ELSEWHERE ALL TAKES"}};
  for (const StageReason& reason : reasons.stages)
    rows.push_back({stage_text(plan, reason), place_of(certificate, reason), time_text(reason.time_ps),
                    range_text(reason.time), elsewhere_text(certificate, reason.elsewhere)});
  print_rows(rows);
  if (!reasons.links.empty()) std::printf("\n");
  rows = {{"LINK", "LATENCY MAY CHANGE BY", "TIME PER BYTE BY"}};
  for (const LinkReason& link : reasons.links)
    rows.push_back({name_of(certificate, link), range_text(link.latency), range_text(link.ps_per_kib)});
  print_rows(rows);
  if (!reasons.complete) std::printf("%s\n", left_out_text(plan, reasons).c_str());
}

nlohmann::json to_json(const CertifiedPlan& plan, const PlacementReasons& reasons) {
  const Certificate& certificate = *plan.certificate;
  const auto us = [](std::int64_t ps) { return static_cast<double>(ps) / 1e6; };
  nlohmann::json stages = nlohmann::json::array(), links = nlohmann::json::array();
  for (const StageReason& reason : reasons.stages) {
    nlohmann::json others = nlohmann::json::array();
    for (const Elsewhere& elsewhere : reason.elsewhere)
      others.push_back({{"controller", place_text(certificate, elsewhere.components)},
                        {"value_us", us(elsewhere.value_ps)},
                        {"proved", elsewhere.proved}});
    stages.push_back({{"stage", stage_text(plan, reason)},
                      {"controller", place_text(certificate, reason.components)},
                      {"time_us", us(reason.time_ps)},
                      {"safe_factor", factors(reason.time)},
                      {"sharp", sharp(reason.time)},
                      {"elsewhere", std::move(others)}});
  }
  for (const LinkReason& link : reasons.links)
    links.push_back(
        {{"between",
          {certificate.costs.components[link.from].controller, certificate.costs.components[link.to].controller}},
         {"alike", link.alike},
         {"assumed", is_assumed(certificate, link)},
         {"latency_safe_factor", factors(link.latency)},
         {"latency_sharp", sharp(link.latency)},
         {"ps_per_kib_safe_factor", factors(link.ps_per_kib)},
         {"ps_per_kib_sharp", sharp(link.ps_per_kib)}});
  return {{"stages", std::move(stages)},
          {"links", std::move(links)},
          {"complete", reasons.complete},
          {"left_out", left_out(plan, reasons)}};
}

}  // namespace woa::tools
