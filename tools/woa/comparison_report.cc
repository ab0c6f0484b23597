// A comparison as a table and as JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tools/woa/comparison.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

using Cells = std::vector<std::string>;
using nlohmann::json;

constexpr double kPsPerUs = 1e6;

std::string to_text(const char* format, double value) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), format, value);
  return out.data();
}

std::string count_of(double value) { return to_text("%.6g", value); }
std::string us_of(double us) { return to_text("%.6g us", us); }
std::string bytes_of(double bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 10'240 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return to_text("%.6g ", unit == 0 ? bytes : std::round(bytes * 10) / 10) + kUnits[unit];
}

double per_instance(const ModelRun& run, std::uint64_t total) {
  return static_cast<double>(total) / static_cast<double>(std::max<std::uint64_t>(run.instances, 1));
}

void print_aligned(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string space(widths[k] - row[k].size(), ' ');
      line += k == 0 ? row[k] + space : "  " + space + row[k];
    }
    std::printf("%s\n", line.c_str());
  }
}

void print_predicted(const Comparison& comparison) {
  std::vector<Cells> rows{
      {"MODEL", "MESSAGES", "CALLS", "HOPS", "PAYLOAD", "TIME", "CRITICAL PATH", "PERIOD", "BUFFERS", "STATUS"}};
  for (const ModelRow& row : comparison.models) {
    const Prediction& known = row.prediction;
    rows.push_back({row.model, count_of(known.messages), count_of(known.calls), count_of(known.hops),
                    bytes_of(known.payload_bytes), us_of(known.serial_ps / kPsPerUs),
                    us_of(known.critical_path_ps / kPsPerUs), us_of(known.period_ps / kPsPerUs),
                    row.plan.ok() ? bytes_of(static_cast<double>(row.peak_buffer_bytes)) : "-", row.status});
  }
  print_aligned(rows);
}

void print_measured(const Comparison& comparison) {
  std::vector<Cells> rows{{"MODEL", "MESSAGES", "MEASURED", "PAYLOAD", "MEASURED", "TIME", "MEASURED"}};
  for (const ModelRow& row : comparison.models) {
    const Prediction& known = row.prediction;
    Cells cells{row.model, count_of(known.messages),          "-", bytes_of(known.payload_bytes),
                "-",       us_of(known.serial_ps / kPsPerUs), "-"};
    if (row.measured && row.measured->status.ok()) {
      cells[2] = count_of(per_instance(*row.measured, row.measured->messages));
      cells[4] = bytes_of(per_instance(*row.measured, row.measured->payload_bytes));
      cells[6] = us_of(row.measured->median_us);
    }
    rows.push_back(std::move(cells));
  }
  std::printf("\npredicted and measured, one instance after another:\n");
  print_aligned(rows);
  for (const ModelRow& row : comparison.models) {
    if (!row.plan.ok()) std::printf("  %s did not run: %s\n", row.model.c_str(), row.plan.status().message().c_str());
    if (row.measured && !row.measured->status.ok())
      std::printf("  %s failed: %s\n", row.model.c_str(), row.measured->status.message().c_str());
  }
  std::printf("%s\n", same_outputs(comparison) ? "The outputs are the same." : "THE OUTPUTS DIFFER.");
}

// Models that place alike share a line.
void print_placements(const Comparison& comparison) {
  std::printf("\nwhere the stages are:\n");
  for (std::size_t m = 0; m < comparison.models.size(); ++m) {
    const auto alike = [&](const ModelRow& row) { return row.placement == comparison.models[m].placement; };
    const auto first = comparison.models.begin();
    if (std::any_of(first, first + static_cast<std::ptrdiff_t>(m), alike)) continue;
    std::string models, stages;
    for (const ModelRow& row : comparison.models)
      if (alike(row)) models += (models.empty() ? "" : ", ") + row.model;
    for (const auto& [stage, controller] : comparison.models[m].placement)
      stages += (stages.empty() ? "" : ", ") + stage + " " + controller;
    std::printf("  %s: %s\n", models.c_str(), stages.c_str());
  }
}

// `now`: at factor 1.
void print_gain(const char* of_what, const std::optional<GainRange>& range, double now, std::string (*text)(double)) {
  std::string where = "at no ";
  if (range) where = range->least == 0 && !range->most ? "at any " : "at ";
  where += of_what;
  if (range && range->least > 0) where += " above " + text(range->least * now);
  if (range && range->most) where += (range->least > 0 ? " and below " : " below ") + text(*range->most * now);
  std::printf("WOA gains more than 1 %% %s (here: %s at most).\n", where.c_str(), text(now).c_str());
}

void print_break_even(const Comparison& comparison) {
  if (!comparison.break_even.ok()) {
    std::printf("\nbreak-even: %s\n", comparison.break_even.status().message().c_str());
    return;
  }
  const BreakEven& even = *comparison.break_even;
  if (even.why_nothing.empty()) {
    std::printf("\nThe best RPC, %s, takes %.3g times as long as WOA.\n", even.rpc.c_str(), even.ratio);
  } else {
    std::printf("\nWOA gains nothing here: %s takes %.4g times as long. Why: %s.\n", even.rpc.c_str(), even.ratio,
                even.why_nothing.c_str());
  }
  print_gain("link latencies", even.latency, static_cast<double>(even.latency_ps) / kPsPerUs, us_of);
  print_gain("payloads", even.payload, static_cast<double>(even.payload_bytes), bytes_of);
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
          {"ratio", even.ratio},
          {"gains", even.why_nothing.empty()},
          {"why_nothing", even.why_nothing},
          {"latency_us", static_cast<double>(even.latency_ps) / kPsPerUs},
          {"latency_gains", gain_json(even.latency)},
          {"token_bytes", even.payload_bytes},
          {"payload_gains", gain_json(even.payload)},
          {"exact", even.exact}};
}

void add_measured(json& object, const ModelRow& row) {
  if (!row.plan.ok()) object["cannot_run"] = error_json(row.plan.status());
  if (!row.measured) return;
  if (!row.measured->status.ok()) {
    object["failed"] = error_json(row.measured->status);
    return;
  }
  object["measured_us"] = row.measured->median_us;
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
    const Prediction& known = row.prediction;
    json object{{"model", row.model},
                {"placement", row.placement},
                {"messages", known.messages},
                {"calls", known.calls},
                {"hops", known.hops},
                {"payload_bytes", known.payload_bytes},
                {"peak_buffer_bytes", row.plan.ok() ? json(row.peak_buffer_bytes) : json(nullptr)},
                {"critical_path_us", known.critical_path_ps / kPsPerUs},
                {"bottleneck", known.bottleneck},
                {"period_us", known.period_ps / kPsPerUs},
                {"predicted_us", known.serial_ps / kPsPerUs},
                {"status", row.status}};
    add_measured(object, row);
    models.push_back(std::move(object));
  }
  return {{"ok", true},
          {"graph", comparison.graph},
          {"machine", comparison.machine.empty() ? json(nullptr) : json(comparison.machine)},
          {"objective", comparison.objective},
          {"models", std::move(models)},
          {"break_even", break_even_json(comparison)}};
}

void print(const Comparison& comparison) {
  std::printf("%s, %s: every call model at its own best placement, of one instance\n\n", comparison.graph.c_str(),
              comparison.objective.c_str());
  print_predicted(comparison);
  const bool ran = std::ranges::any_of(comparison.models, [](const ModelRow& row) { return row.measured.has_value(); });
  if (ran) print_measured(comparison);
  print_placements(comparison);
  std::printf("\nwhat bounds many instances:\n");
  for (const ModelRow& row : comparison.models)
    std::printf("  %s: %s, %s\n", row.model.c_str(), row.prediction.bottleneck.c_str(),
                us_of(row.prediction.period_ps / kPsPerUs).c_str());
  print_break_even(comparison);
}

}  // namespace woa::tools
