// A comparison as a table and as JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "library/certificate_report.h"
#include "library/run_report.h"
#include "runtime/base/quantities.h"
#include "runtime/base/text.h"
#include "tools/woa/columns.h"
#include "tools/woa/comparison.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr double kPsPerUs = 1e6;

std::string count_of(double value) { return to_text("%.6g", value); }
std::string count_of(std::uint64_t millionths) { return count_of(static_cast<double>(millionths) / kPerMillion); }
std::string ps_text(std::int64_t ps) { return us_text(static_cast<double>(ps) / kPsPerUs); }

std::string payload_of(const Prediction& known) {
  return bytes_text(static_cast<double>(known.payload_bytes) / kPerMillion);
}

double per_instance(const ModelRun& run, std::uint64_t total) {
  return static_cast<double>(total) / static_cast<double>(std::max<std::uint64_t>(run.instances, 1));
}

void print_aligned(const std::vector<Cells>& rows) {
  for (const std::string& line : in_columns(rows, Align::kRight)) std::printf("%s\n", line.c_str());
}

void print_predicted(const Comparison& comparison) {
  std::vector<Cells> rows{{"MODEL", "MESSAGES", "CALLS", "HOPS", "PAYLOAD", "SERIAL", "CRITICAL PATH", "PERIOD",
                           "BUFFERS USED", "RESERVED", "STATUS"}};
  for (const ModelRow& row : comparison.models) {
    const Prediction& known = row.prediction;
    if (!row.placed.ok()) {
      rows.emplace_back(rows.front().size(), "-").front() = row.model;
      continue;
    }
    rows.push_back({row.model, count_of(known.messages), count_of(known.calls), count_of(known.hops), payload_of(known),
                    ps_text(known.serial_ps), ps_text(known.critical_path_ps), ps_text(known.period_ps),
                    row.plan.ok() ? bytes_text(row.buffers.used) : "-",
                    row.plan.ok() ? bytes_text(row.buffers.reserved) : "-",
                    row.status + (row.modelled.empty() ? "" : ", modelled")});
  }
  print_aligned(rows);
  for (const ModelRow& row : comparison.models)
    if (!row.placed.ok()) {
      std::printf("  %s has no placement: %s\n", row.model.c_str(), row.placed.message().c_str());
    } else if (!row.plan.ok()) {
      std::printf("  %s cannot run the graph: %s\n", row.model.c_str(), row.plan.status().message().c_str());
    }
}

// Prints the assumptions of all times beside the kernels' times.
void print_grounds(const Comparison& comparison) {
  std::map<std::string, std::string> models;  // by links
  std::int64_t source_ps = 0;
  for (const ModelRow& row : comparison.models) {
    const std::string links = list_of(row.assumed_links);
    if (!links.empty()) models[links] += (models[links].empty() ? "" : ", ") + row.model;
    source_ps = std::max(source_ps, row.source_ps);
  }
  for (const auto& [links, names] : models)
    std::printf("  %s: assumed, neither measured nor in a machine file: what messages take on %s (docs/machine.md).\n",
                names.c_str(), links.c_str());
  if (std::ranges::any_of(comparison.models, &ModelRow::has_shares))
    std::printf("  Replicas are taken to get equal shares: where they do not, MESSAGES and PAYLOAD are not exact.\n");
  if (source_ps > 0)
    std::printf("  Writing the inputs takes %s of each SERIAL, CRITICAL PATH and TIME; it is no kernel.\n",
                ps_text(source_ps).c_str());
}

// The share of firings in the critical path of one instance alone.
double kernel_share(const ModelRow& row) {
  const Prediction& known = row.prediction;
  if (known.alone_ps == 0) return 0;
  return static_cast<double>(known.critical_kernels_ps) / static_cast<double>(known.alone_ps);
}
// In whole per cent, rounded down: a share shown as 90 % is no less.
int percent_of(double share) { return static_cast<int>(std::floor(100 * share)); }
// PERIOD leaves out the time that the host takes to write the inputs, which is the same for every placement.
double predicted_us(const ModelRow& row, bool of_throughput) {
  const std::int64_t period_ps = std::max(row.prediction.period_ps, row.source_ps);
  return static_cast<double>(of_throughput ? period_ps : row.prediction.time_ps()) / kPsPerUs;
}
// Relative to the measured time.
double error_of(const ModelRow& row, bool of_throughput) {
  return (predicted_us(row, of_throughput) - row.measured->us) / row.measured->us;
}

// Compares the outputs of the models that ran.
void print_agreement(const Agreement& found) {
  if (found.ran < 2) return;
  if (found.same) {
    std::printf("The outputs are the same.\n");
  } else {
    std::printf(
        "THE OUTPUTS DIFFER: %s of %s is not that of %s. (A kernel may draw random numbers: then two times "
        "`woa run` differ, too.)\n",
        found.output.c_str(), found.other.c_str(), found.one.c_str());
  }
}

Cells measured_cells(const ModelRow& row, bool of_throughput) {
  const Prediction& known = row.prediction;
  Cells cells{row.model,
              count_of(known.messages),
              "-",
              payload_of(known),
              "-",
              of_throughput ? "-" : std::to_string(percent_of(kernel_share(row))) + " %",
              us_text(predicted_us(row, of_throughput)),
              "-",
              "-"};
  if (row.measured && row.measured->status.ok()) {
    cells[2] = count_of(per_instance(*row.measured, row.measured->messages));
    cells[4] = bytes_text(per_instance(*row.measured, row.measured->payload_bytes));
    cells[7] = us_text(row.measured->us);
    cells[8] = to_text("%+.1f %%", 100 * error_of(row, of_throughput));
  }
  return cells;
}

constexpr int kMostlyKernels = 90;  // per cent: TIME is then expected to be what a run takes

void print_where_not(const Comparison& comparison) {
  if (comparison.is_of_throughput()) return;
  std::string models;
  for (const ModelRow& row : comparison.models)
    if (row.measured && row.measured->status.ok() && row.measured->clocked.empty() &&
        percent_of(kernel_share(row)) < kMostlyKernels)
      models += (models.empty() ? "" : ", ") + row.model;
  if (models.empty()) return;
  std::printf(
      "  %s: KERNELS is less than %d %%, so ERROR is mostly that of messages. Links are slower\n"
      "  than calibrated where more controllers are busy than there are cores.\n",
      models.c_str(), kMostlyKernels);
}

// True if all instances sent what the prediction for one says times their number. Predictions are means in millionths.
bool sent_as_predicted(const ModelRow& row) {
  const auto same = [&](std::uint64_t millionths, std::uint64_t sent) {
    const double expected =
        static_cast<double>(millionths) / kPerMillion * static_cast<double>(row.measured->instances);
    return std::round(expected) == static_cast<double>(sent);
  };
  return same(row.prediction.messages, row.measured->messages) &&
         same(row.prediction.payload_bytes, row.measured->payload_bytes);
}

// The assumption of the prediction that did not hold.
std::string why_sent_otherwise(const ModelRow& row) {
  if (row.has_shares) return "assume that replicas get equal shares; these instances or elements gave unequal ones";
  if (row.has_unread)
    return "are those of the profiled inputs; these inputs may differ, and held tokens that no firing reads may come "
           "too late to be counted";
  return "are those of the profiled inputs; these inputs differ";
}

void print_where_more_or_less_was_sent(const Comparison& comparison) {
  std::map<std::string, std::string> models;  // by reason
  for (const ModelRow& row : comparison.models) {
    if (!row.measured || !row.measured->status.ok() || sent_as_predicted(row)) continue;
    std::string& names = models[why_sent_otherwise(row)];
    names += (names.empty() ? "" : ", ") + row.model;
  }
  for (const auto& [why, names] : models) std::printf("  %s: MESSAGES and PAYLOAD %s.\n", names.c_str(), why.c_str());
}

void print_measured(const Comparison& comparison) {
  std::vector<Cells> rows{
      {"MODEL", "MESSAGES", "MEASURED", "PAYLOAD", "MEASURED", "KERNELS", "TIME", "MEASURED", "ERROR"}};
  for (const ModelRow& row : comparison.models)
    if (row.placed.ok()) rows.push_back(measured_cells(row, comparison.is_of_throughput()));
  std::printf("\npredicted and measured, %s:\n", comparison.is_of_throughput()
                                                     ? "the time between instances while the window is full"
                                                     : "one instance after another");
  print_aligned(rows);
  std::set<std::string> clocked;
  for (const ModelRow& row : comparison.models) {
    if (!row.measured) continue;
    if (!row.measured->status.ok())
      std::printf("  %s failed: %s\n", row.model.c_str(), row.measured->status.message().c_str());
    clocked.insert(row.measured->clocked.begin(), row.measured->clocked.end());
  }
  print_where_more_or_less_was_sent(comparison);
  print_where_not(comparison);
  for (const std::string& name : clocked)
    std::printf("  %s is simulated: TIME has its cycles at its clock, MEASURED what the model of it took.\n",
                name.c_str());
}

// Models that place alike share a line.
void print_placements(const Comparison& comparison) {
  std::printf("\nwhere the stages are:\n");
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    const auto alike = [&](const ModelRow& row) { return row.placement == comparison.models[m].placement; };
    const auto first = comparison.models.begin();
    if (!first[static_cast<std::ptrdiff_t>(m)].placed.ok()) continue;
    if (std::any_of(first, first + static_cast<std::ptrdiff_t>(m), alike)) continue;
    std::string models, stages;
    for (const ModelRow& row : comparison.models)
      if (alike(row)) models += (models.empty() ? "" : ", ") + row.model;
    for (const auto& [stage, controller] : comparison.models[m].placement)
      stages += (stages.empty() ? "" : ", ") + stage + " " + controller;
    std::printf("  %s: %s\n", models.c_str(), stages.c_str());
  }
}

// `now`: the value at factor 1.
void print_gain(const char* of_what, const std::optional<GainRange>& range, double now, std::string (*text)(double)) {
  std::string where = "nowhere";
  if (range) {
    const std::string least = range->least > 0 ? "above " + text(range->least * now) : "";
    const std::string most = range->most ? "below " + text(*range->most * now) : "";
    where = least + (least.empty() || most.empty() ? "" : ", ") + most;
    if (where.empty()) where = "everywhere";
  }
  std::printf("  %-13s %s (here: %s at most)\n", of_what, where.c_str(), text(now).c_str());
}

std::string times_as_long(double ratio) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.4g times as long", ratio);
  return std::string_view(text.data()).starts_with("1 ") ? "as long" : text.data();
}

void print_gained(const BreakEven& even, const std::string& objective) {
  // The value that placement minimised, so that both models are at their best: not the measured time of one instance.
  const char* const what = objective == "throughput" ? "PERIOD" : "SERIAL";
  if (!std::isfinite(even.ratio)) {
    std::printf("No RPC keeps all bounds.\n");
  } else if (even.why_nothing.empty()) {
    std::printf("The best RPC that is compared, %s, takes %.3g times as long as WOA by %s.\n", even.rpc.c_str(),
                even.ratio, what);
  } else {
    std::printf("WOA gains nothing here: %s takes %s by %s. Why: %s.\n", even.rpc.c_str(),
                times_as_long(even.ratio).c_str(), what, even.why_nothing.c_str());
  }
}

// Says how much longer the quickest RPC took, since a prediction may err.
void print_gained_by_measure(const Comparison& comparison) {
  const ModelRow *woa = nullptr, *best = nullptr;
  for (const ModelRow& row : comparison.models) {
    if (!row.measured || !row.measured->status.ok()) continue;
    if (row.model == kWoa)
      woa = &row;
    else if (best == nullptr || row.measured->us < best->measured->us)
      best = &row;
  }
  if (woa == nullptr || best == nullptr) return;
  std::printf("Measured, the quickest of them, %s, takes %.3g times as long as WOA%s.\n", best->model.c_str(),
              best->measured->us / woa->measured->us,
              comparison.is_of_throughput() ? " for an instance among many" : " for an instance alone");
}

// The findings, for a reader of no table.
void print_verdict(const Comparison& comparison) {
  if (comparison.break_even.ok()) print_gained(*comparison.break_even, comparison.objective);
  print_gained_by_measure(comparison);
  print_agreement(agreement_of(comparison));
  for (const ModelRow& row : comparison.models)
    if (row.model == kWoa && row.placed.ok() && row.prediction.period_ps > 0)
      std::printf("Limit of many instances: %s, one every %s.\n", row.prediction.bottleneck.c_str(),
                  ps_text(row.prediction.period_ps).c_str());
}

void print_break_even(const Comparison& comparison) {
  if (!comparison.break_even.ok()) {
    std::printf("\nbreak-even: %s\n", comparison.break_even.status().message().c_str());
    return;
  }
  const BreakEven& even = *comparison.break_even;
  std::printf("\n%s is not compared: %s.\n", std::string(BreakEven::kLeftOut).c_str(),
              std::string(BreakEven::kWhyLeftOut).c_str());
  std::printf(
      "WOA gains more than 1 %% in these ranges around the present values, or nearest to them, all else equal\n"
      "(kernel times too, whatever the size):\n");
  print_gain("link latency", even.latency, static_cast<double>(even.latency_ps) / kPsPerUs,
             [](double us) { return us_text(us); });
  print_gain("payload", even.payload, static_cast<double>(even.payload_bytes), bytes_text);
  if (!even.exact) std::printf("Not all of it is certain: the time was over, or a placement was not proved.\n");
}

json gain_json(const std::optional<GainRange>& range) {
  if (!range) return nullptr;
  return {{"least_factor", range->least}, {"most_factor", range->most ? json(*range->most) : json(nullptr)}};
}

json break_even_json(const Comparison& comparison) {
  if (!comparison.break_even.ok()) return {{"error", error_json(comparison.break_even.status())}};
  const BreakEven& even = *comparison.break_even;
  return {{"rpc", even.rpc},
          {"left_out", {{{"model", BreakEven::kLeftOut}, {"reason", BreakEven::kWhyLeftOut}}}},
          {"ratio", even.ratio},
          {"gains", even.why_nothing.empty()},
          {"why_nothing", even.why_nothing},
          {"latency_us", static_cast<double>(even.latency_ps) / kPsPerUs},
          {"latency_gains", gain_json(even.latency)},
          {"token_bytes", even.payload_bytes},
          {"payload_gains", gain_json(even.payload)},
          {"exact", even.exact}};
}

void add_measured(json& object, const ModelRow& row, bool of_throughput) {
  if (!row.plan.ok()) object["cannot_run"] = error_json(row.plan.status());
  if (!row.measured) return;
  if (!row.measured->status.ok()) {
    object["failed"] = error_json(row.measured->status);
    return;
  }
  object["measured_us"] = row.measured->us;
  object["error"] = error_of(row, of_throughput);
  object["clocked"] = row.measured->clocked;
  object["measured"] = {{"instances", row.measured->instances},
                        {"messages", per_instance(*row.measured, row.measured->messages)},
                        {"payload_bytes", per_instance(*row.measured, row.measured->payload_bytes)}};
  json outputs = json::array();
  for (const OutputFiles::Summary& output : row.measured->outputs)
    outputs.push_back({{"name", output.name},
                       {"bytes", output.bytes},
                       {"absent", output.absent},
                       {"sha256", output.sha256.empty() ? json(nullptr) : json(output.sha256)}});
  object["outputs"] = std::move(outputs);
}

}  // namespace

nlohmann::json to_json(const Comparison& comparison) {
  json models = json::array();
  for (const ModelRow& row : comparison.models) {
    if (!row.placed.ok()) {
      models.push_back({{"model", row.model}, {"cannot_place", error_json(row.placed)}});
      continue;
    }
    json object = to_json(row.prediction);
    object.update({{"model", row.model},
                   {"placement", row.placement},
                   {"firings", row.firings},
                   {"kernel_share", kernel_share(row)},
                   {"modelled", row.modelled},
                   {"assumed_links", row.assumed_links},
                   {"equal_shares", row.has_shares},
                   {"source_us", static_cast<double>(row.source_ps) / kPsPerUs},
                   {"peak_buffer_bytes", row.plan.ok() ? json(row.buffers.reserved) : json(nullptr)},
                   {"used_buffer_bytes", row.plan.ok() ? json(row.buffers.used) : json(nullptr)},
                   {"status", row.status}});
    add_measured(object, row, comparison.is_of_throughput());
    models.push_back(std::move(object));
  }
  const Agreement found = agreement_of(comparison);
  json differ = nullptr;
  if (!found.same) differ = {{"output", found.output}, {"models", {found.one, found.other}}};
  return {{"ok", true},
          {"outputs_differ", std::move(differ)},
          {"graph", comparison.graph},
          {"machine", comparison.machine.empty() ? json(nullptr) : json(comparison.machine)},
          {"objective", comparison.objective},
          {"models", std::move(models)},
          {"break_even", break_even_json(comparison)}};
}

void print(const Comparison& comparison) {
  std::printf("%s, %s: every call model at its own best placement, of one instance\n", comparison.graph.c_str(),
              comparison.objective.c_str());
  print_verdict(comparison);
  std::printf("\n");
  print_predicted(comparison);
  print_grounds(comparison);
  const bool ran = std::ranges::any_of(comparison.models, [](const ModelRow& row) { return row.measured.has_value(); });
  if (ran) print_measured(comparison);
  print_placements(comparison);
  std::printf("\nwhat bounds many instances:\n");
  for (const ModelRow& row : comparison.models)
    if (row.placed.ok())
      std::printf("  %s: %s, %s\n", row.model.c_str(), row.prediction.bottleneck.c_str(),
                  ps_text(row.prediction.period_ps).c_str());
  print_break_even(comparison);
}

}  // namespace woa::tools
