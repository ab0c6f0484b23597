#include "runtime/measure/contest.h"

#include <algorithm>
#include <iterator>

namespace woa::measure {
namespace {

Status repeat(const Contest& contest, std::vector<Row>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Result<double> figure = contest.contenders[k].launch();
    if (!figure.ok()) return figure.status().with_context(rows[k].contender);
    rows[k].samples.push_back(*figure);
  }
  return {};
}

void compare(std::vector<Row>& rows, const std::string& limit) {
  for (const Row& base : rows) {
    if (base.contender != limit) continue;
    for (Row& row : rows) {
      if (row.role != "limit") row.ratio_to_limit = row.median() / base.median();
    }
  }
}

}  // namespace

Result<std::vector<Row>> run_contest(const Contest& contest, const std::function<Status()>& between) {
  std::vector<Row> rows;
  for (const Contender& contender : contest.contenders)
    rows.push_back({contender.name, contender.role, contender.size, contest.unit, {}, 0});
  WOA_RETURN_IF_ERROR(between());
  for (std::uint64_t r = 0; r < contest.repetitions; ++r) {
    WOA_RETURN_IF_ERROR(repeat(contest, rows));
    WOA_RETURN_IF_ERROR(between());
  }
  compare(rows, contest.limit);
  return rows;
}

Result<std::span<Row>> run_contest(const Contest& contest, HostProbe& probe, Report& report) {
  auto rows = run_contest(contest, [&] { return probe.look(); });
  if (!rows.ok()) return rows.status();
  report.host_state = probe.state();
  std::ranges::move(*rows, std::back_inserter(report.rows));
  return std::span(report.rows).last(rows->size());
}

void add_ratio(Report& report, std::span<const Row> rows, const std::string& of, const std::string& to) {
  const auto row_of = [&](const std::string& name) { return std::ranges::find(rows, name, &Row::contender); };
  const auto over = row_of(of), under = row_of(to);
  if (over != rows.end() && under != rows.end())
    report.ratios.push_back({of, to, over->size, over->median() / under->median()});
}

Result<double> per_ns(double amount, const Result<double>& ns) {
  if (!ns.ok()) return ns;
  return amount / *ns;
}

}  // namespace woa::measure
