#include "tools/woa/profile_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "runtime/base/quantities.h"
#include "runtime/base/text.h"
#include "runtime/measure/statistics.h"
#include "tools/woa/columns.h"

namespace woa::tools {
namespace {

using Object = nlohmann::ordered_json;  // ordered, so that a file begins with what it is

constexpr std::size_t kMostSizes = 16;    // limit of a file's list of sizes
constexpr double kClockPs = 100'000;      // reading the clock varies by so much
constexpr std::size_t kMostPoints = 256;  // limit for a line fit, whose time is quadratic in them

// Firings with the same bytes read and written.
struct SizeGroup {
  std::uint64_t read = 0, written = 0;
  std::vector<double> ps;
};

double ps_of(const measure::FiringSample& sample, std::uint32_t clock_mhz) {
  if (sample.cycles > 0 && clock_mhz > 0) return static_cast<double>(sample.cycles) * 1e6 / clock_mhz;
  return sample.wall_ns * 1e3;
}

std::vector<SizeGroup> by_size(const measure::MeasuredStage& stage) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<double>> groups;
  for (const measure::FiringSample& sample : stage.firings)
    groups[{sample.read, sample.written}].push_back(ps_of(sample, stage.clock_mhz));
  std::vector<SizeGroup> out;
  for (auto& [size, ps] : groups) out.push_back({size.first, size.second, std::move(ps)});
  return out;
}

// At most `most` groups, evenly spread over all.
std::vector<SizeGroup> some_of(const std::vector<SizeGroup>& groups, std::size_t most) {
  if (groups.size() <= most) return groups;
  std::vector<SizeGroup> out;
  for (std::size_t k = 0; k < most; ++k) out.push_back(groups[k * (groups.size() - 1) / (most - 1)]);
  return out;
}

// Whole picoseconds, and whole numbers without a point.
std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }
Object number(double value) { return value == std::floor(value) ? Object(whole(value)) : Object(value); }

// Time over what was read or over what was written, whichever the line fits better.
Object fit_json(const std::vector<SizeGroup>& groups) {
  Object best;
  double least = 0;
  for (const bool read : {true, false}) {
    std::vector<measure::Point> points;
    for (const SizeGroup& group : some_of(groups, kMostPoints))
      points.push_back(
          {static_cast<double>(read ? group.read : group.written), measure::robust(group.ps, kClockPs).mean});
    const auto line = measure::fit_line(points);
    if (!line || (!best.is_null() && line->residual >= least)) continue;
    least = line->residual;
    best = {{"over", read ? "read" : "written"},
            {"base_ps", whole(line->base)},
            {"ps_per_kib", whole(line->slope * 1024)},
            {"residual", std::round(line->residual * 1e4) / 1e4}};
  }
  return best;
}

Object sizes_json(const std::vector<SizeGroup>& groups) {
  Object list = Object::array();
  for (const SizeGroup& group : some_of(groups, kMostSizes)) {
    const measure::Robust all = measure::robust(group.ps, kClockPs);
    list.push_back({{"read", group.read},
                    {"written", group.written},
                    {"time_ps", whole(all.mean)},
                    {"mad_ps", whole(all.mad)},
                    {"samples", all.samples}});
  }
  return list;
}

// Deviations are from the median of the same size, because a change of size is no noise.
void add_spread(const std::vector<SizeGroup>& groups, Object& entry) {
  std::vector<double> deviations;
  double sum = 0;
  std::size_t outliers = 0;
  for (const SizeGroup& group : groups) {
    const measure::Robust one = measure::robust(group.ps, kClockPs);
    outliers += one.outliers;
    sum += one.mean * static_cast<double>(one.samples);
    for (const double ps : group.ps) deviations.push_back(std::abs(ps - one.median));
  }
  entry["time_ps"] = whole(sum / static_cast<double>(deviations.size()));
  entry["mad_ps"] = whole(measure::median(deviations));
  entry["samples"] = deviations.size();
  entry["outliers"] = outliers;
}

void add_cycles(const measure::MeasuredStage& stage, Object& entry) {
  std::vector<double> cycles, wall;
  for (const measure::FiringSample& sample : stage.firings) {
    cycles.push_back(static_cast<double>(sample.cycles));
    wall.push_back(sample.wall_ns * 1e3);
  }
  if (measure::median(cycles) == 0 || stage.clock_mhz == 0) return;
  const double mean = std::round(measure::robust(cycles).mean);
  entry["time_ps"] = whole(mean * 1e6 / stage.clock_mhz);
  entry["cycles"] = whole(mean);
  entry["clock_mhz"] = stage.clock_mhz;
  entry["wall_ps"] = whole(measure::robust(wall).mean);
}

Object entry_json(const ProfileEntry& entry) {
  if (!entry.missing.empty()) return {{"missing", entry.missing}, {"fix", entry.fix}};
  const measure::MeasuredStage& stage = entry.measured;
  const std::vector<SizeGroup> groups = by_size(stage);
  Object out;
  add_spread(groups, out);
  out["device"] = stage.device.device;
  out["simulated"] = stage.device.simulated;
  add_cycles(stage, out);
  if (!entry.busy.firings.empty()) {
    Object busy;
    add_spread(by_size(entry.busy), busy);
    out["busy_ps"] = busy["time_ps"];
    out["busy_workers"] = entry.busy.device.workers;
  }
  if (Object fit = fit_json(groups); !fit.is_null()) out["fit"] = std::move(fit);
  out["sizes"] = sizes_json(groups);
  return out;
}

Object edges_json(const measure::MeasuredRun& run) {
  Object list = Object::array();
  for (const auto& [ends, edge] : run.edges) {
    const std::vector<double>& bytes = edge.bytes;
    const measure::Robust all = measure::robust(bytes);
    const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
    list.push_back({{"from", ends.first},
                    {"to", ends.second},
                    {"tokens", number(static_cast<double>(bytes.size()) / static_cast<double>(run.instances))},
                    {"bytes", number(all.median)},
                    {"mad_bytes", whole(all.mad)},
                    {"mean_bytes", number(bytes.empty() ? 0 : sum / static_cast<double>(bytes.size()))}});
    if (edge.unread == 0) continue;
    const auto unread = static_cast<double>(edge.unread);
    list.back()["unread"] = number(unread / static_cast<double>(run.instances));
    list.back()["unread_bytes"] = number(static_cast<double>(edge.unread_bytes) / unread);
  }
  return list;
}

std::string text_of_ps(double ps) {
  constexpr double kPsInUs = 1e6;
  return us_text(ps / kPsInUs);
}

// All firings of an instance.
double instance_ps(const Object& stage, const Object& entry) {
  return stage["firings"].get<double>() * entry["time_ps"].get<double>();
}

std::string note_of(const Object& entry) {
  std::string note;
  if (entry.contains("cycles")) {
    note = std::to_string(entry["cycles"].get<std::uint64_t>()) + " cycles at " +
           std::to_string(entry["clock_mhz"].get<std::uint64_t>()) + " MHz";
  }
  if (entry.contains("busy_ps"))
    note += text_of_ps(entry["busy_ps"].get<double>()) + " while " +
            counted(entry["busy_workers"].get<std::uint64_t>(), "worker") + " work";
  if (entry["simulated"].get<bool>()) note += note.empty() ? "simulated" : ", simulated";
  return note;
}

Cells cells_of(const std::string& name, const std::string& kind, const Object& stage, const Object& entry) {
  if (entry.contains("missing")) {
    const std::string why = "missing: " + entry["missing"].get<std::string>() + "; " + entry["fix"].get<std::string>();
    return {name, kind, "-", "-", "-", "-", "-", "-", why};
  }
  return {name,
          kind,
          text_of_ps(instance_ps(stage, entry)),
          to_text("%.6g", stage["firings"].get<double>()),
          text_of_ps(entry["time_ps"].get<double>()),
          text_of_ps(entry["mad_ps"].get<double>()),
          std::to_string(entry["samples"].get<std::uint64_t>()),
          std::to_string(entry["outliers"].get<std::uint64_t>()),
          note_of(entry)};
}

// The stage that takes most of an instance, on each kind.
void print_longest(const Object& stages) {
  struct Longest {
    std::string stage;
    double ps = -1, all_ps = 0;
  };
  std::map<std::string, Longest> kinds;
  for (const auto& [name, stage] : stages.items()) {
    for (const auto& [kind, entry] : stage["on"].items()) {
      if (entry.contains("missing")) continue;
      Longest& longest = kinds[kind];
      const double ps = instance_ps(stage, entry);
      longest.all_ps += ps;
      if (ps > longest.ps) longest.stage = name, longest.ps = ps;
    }
  }
  for (const auto& [kind, longest] : kinds)
    std::printf("  on %s: %s takes %s of the %s of an instance's kernels\n", kind.c_str(), longest.stage.c_str(),
                text_of_ps(longest.ps).c_str(), text_of_ps(longest.all_ps).c_str());
}

void print_indented(const std::vector<Cells>& rows) {
  for (const std::string& line : in_columns(rows)) std::printf("  %s\n", line.c_str());
}

}  // namespace

nlohmann::ordered_json to_json(const GraphProfile& profile) {
  Object stages = Object::object();
  for (const auto& [name, kinds] : profile.entries) {
    Object on = Object::object();
    for (const auto& [kind, entry] : kinds) on[kind] = entry_json(entry);
    const auto firings = static_cast<double>(profile.base.stages.at(name).firings.size());
    stages[name] = {{"firings", number(firings / static_cast<double>(profile.base.instances))}, {"on", std::move(on)}};
  }
  return {{"woa_profile", 1},
          {"graph", profile.graph},
          {"graph_hash", profile.hash},
          {"processor", profile.processor},
          {"host_state", profile.host_state},
          {"inputs", profile.inputs},
          {"repetitions", profile.repetitions},
          {"source_ps", whole(measure::median(profile.base.source_ns) * 1e3)},
          {"stages", std::move(stages)},
          {"edges", edges_json(profile.base)}};
}

void print_profile(const nlohmann::ordered_json& profile) {
  std::printf("%s: %s, host state: %s\n", profile["graph"].get<std::string>().c_str(),
              counted(profile["inputs"].get<std::uint64_t>(), "input").c_str(),
              profile["host_state"].get<std::string>().c_str());
  print_longest(profile["stages"]);
  std::vector<Cells> rows{{"STAGE", "KIND", "AN INSTANCE", "FIRINGS", "A FIRING", "MAD", "SAMPLES", "OUTLIERS"}};
  for (const auto& [name, stage] : profile["stages"].items())
    for (const auto& [kind, entry] : stage["on"].items()) rows.push_back(cells_of(name, kind, stage, entry));
  print_indented(rows);
  rows = {{"EDGE", "TOKENS", "BYTES", "MEAN"}};
  for (const Object& edge : profile["edges"])
    rows.push_back({edge["from"].get<std::string>() + " -> " + edge["to"].get<std::string>(),
                    to_text("%.6g", edge["tokens"].get<double>()), bytes_text(edge["bytes"].get<double>()),
                    bytes_text(edge["mean_bytes"].get<double>())});
  print_indented(rows);
}

}  // namespace woa::tools
