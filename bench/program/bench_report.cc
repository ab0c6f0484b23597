#include "bench/program/bench_report.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace woa::tools {
namespace {

using nlohmann::json;

bool less_is_better(const bench::Report& report) { return report.better == bench::Better::kLess; }

int width_of_names(const bench::Report& report) {
  std::size_t width = std::string_view("CONTENDER").size();
  for (const bench::Row& row : report.rows) width = std::max(width, row.contender.size());
  return static_cast<int>(width);
}

}  // namespace

json to_json(const bench::Report& report) {
  json rows = json::array();
  for (const bench::Row& row : report.rows) {
    json entry{{"contender", row.contender}, {"role", row.role},       {"size", row.size}, {"unit", row.unit},
               {"min", row.min()},           {"median", row.median()}, {"max", row.max()}};
    entry["ratio_to_limit"] = row.ratio_to_limit > 0 ? json(row.ratio_to_limit) : json(nullptr);
    rows.push_back(std::move(entry));
  }
  json object{{"bench", report.bench},
              {"transport", report.transport},
              {"host_state", report.host_state},
              {"better", less_is_better(report) ? "less" : "more"},
              {"rows", std::move(rows)}};
  for (const bench::Ratio& ratio : report.ratios)
    object["ratios"].push_back({{"of", ratio.of}, {"to", ratio.to}, {"size", ratio.size}, {"value", ratio.value}});
  for (const bench::Tally& tally : report.tallies)
    object["tallies"].push_back({{"what", tally.what},
                                 {"within", tally.within},
                                 {"of", tally.of},
                                 {"worst", tally.worst > 0 ? json(tally.worst) : json(nullptr)}});
  for (const bench::Absent& absent : report.absent)
    object["absent"].push_back({{"contender", absent.contender}, {"reason", absent.reason}});
  return object;
}

void print_tally(const bench::Tally& tally, const char* what) {
  std::printf("  %s: %llu of %llu%s", tally.what.c_str(), static_cast<unsigned long long>(tally.within),
              static_cast<unsigned long long>(tally.of), what);
  if (tally.worst > 0) std::printf(", the worst %.6g x", tally.worst);
  std::printf("\n");
}

void print_table(const bench::Report& report) {
  const int width = width_of_names(report);
  std::printf("%s over %s, host state: %s; %s is better\n", report.bench.c_str(), report.transport.c_str(),
              report.host_state.c_str(), less_is_better(report) ? "less" : "more");
  std::printf("  %-*s %-6s %10s %12s %12s %12s  %-12s %s\n", width, "CONTENDER", "ROLE", report.size_name.c_str(),
              "MIN", "MEDIAN", "MAX", "UNIT",
              less_is_better(report) ? "TO LIMIT (below 1 beats it)" : "TO LIMIT (above 1 beats it)");
  for (const bench::Row& row : report.rows) {
    std::printf("  %-*s %-6s %10llu %12.3f %12.3f %12.3f  %-*s", width, row.contender.c_str(), row.role.c_str(),
                static_cast<unsigned long long>(row.size), row.min(), row.median(), row.max(),
                row.ratio_to_limit > 0 ? 12 : 0, row.unit.c_str());
    if (row.ratio_to_limit > 0) std::printf(" %.2f x", row.ratio_to_limit);
    std::printf("\n");
  }
  for (const bench::Ratio& ratio : report.ratios)
    std::printf("  %s at %llu bytes: %.2f x %s\n", ratio.of.c_str(), static_cast<unsigned long long>(ratio.size),
                ratio.value, ratio.to.c_str());
  for (const bench::Tally& tally : report.tallies) print_tally(tally, report.size_name == "BYTES" ? " sizes" : "");
  for (const bench::Absent& absent : report.absent)
    std::printf("  %s: %s\n", absent.contender.c_str(), absent.reason.c_str());
}

}  // namespace woa::tools
