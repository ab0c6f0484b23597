#include "compiler/parse/profile.h"

#include <algorithm>
#include <utility>

#include "compiler/parse/machine.h"
#include "compiler/parse/reader.h"
#include "compiler/parse/resources.h"

namespace woa {
namespace {

constexpr std::uint64_t kMostPs = 3'600'000'000'000'000;  // an hour
constexpr std::uint64_t kMostCount = 1ULL << 53;
constexpr double kMostMean = 1e12;     // its millionths do not overflow in computations
constexpr double kRounded = 1.000001;  // tolerance: means are written with fewer digits than they have

std::optional<std::uint64_t> read_ps(const YamlNode& node, std::string_view what, Report& report) {
  return read_integer(node, what, 0, kMostPs, report);
}

// Checks only the form of figures that are meant for people.
void check_count(const MapReader& map, std::string_view key, Report& report) {
  if (const YamlNode* node = map.get(key)) read_integer(*node, quote(key), 0, kMostPs, report);
}

void check_size(const YamlNode& node, Report& report) {
  const MapReader map(&node, "a size", {"read", "written", "time_ps", "mad_ps", "samples"}, report);
  for (const char* key : {"read", "written", "time_ps", "mad_ps", "samples"}) check_count(map, key, report);
}

void check_fit(const YamlNode& node, Report& report) {
  const MapReader map(&node, "`fit`", {"over", "base_ps", "ps_per_kib", "residual"}, report);
  if (const YamlNode* over = map.get("over")) read_name(*over, "`over`", report);
  check_count(map, "base_ps", report);
  check_count(map, "ps_per_kib", report);
  if (const YamlNode* residual = map.get("residual")) read_number(*residual, "`residual`", kMostMean, report);
}

void check_details(const MapReader& map, Report& report) {
  for (const char* key : {"mad_ps", "samples", "outliers", "cycles", "clock_mhz", "wall_ps", "busy_workers"}) {
    check_count(map, key, report);
  }
  if (const YamlNode* device = map.get("device")) read_text(*device, "`device`", report);
  if (const YamlNode* simulated = map.get("simulated")) read_bool(*simulated, "`simulated`", report);
  if (const YamlNode* fit = map.get("fit")) check_fit(*fit, report);
  const YamlNode* sizes = map.get("sizes");
  if (sizes == nullptr || !expect_list(*sizes, "`sizes`", "[{read: 64, written: 64, time_ps: 1000}]", report)) return;
  for (const YamlNode& size : sizes->items) check_size(size, report);
}

// Reads what the stage takes where its time is modelled.
void read_modelled(const std::string& where, const MapReader& map, StageProfile& stage, Report& report) {
  const YamlNode* modelled = map.get("modelled");
  const YamlNode* resources = map.get("resources");
  const bool is_modelled = modelled != nullptr && read_bool(*modelled, "`modelled`", report).value_or(false);
  if (is_modelled) {
    stage.modelled[where] = resources == nullptr ? Resources() : read_resource_use(*resources, report);
  } else if (resources != nullptr) {
    report.error(problem::kBadValue, resources->place, "only an entry with `modelled: true` has `resources`",
                 "add `modelled: true`; of a measured variant, the kernel.yaml says what it takes");
  }
}

// Reads a time, or why there is none.
void read_on(const YamlNode& key, const YamlNode& node, StageProfile& stage, Report& report) {
  const auto name = parse_controller(key.text);
  if (!name || name->kind == ControllerKind::kHost) {
    report.error(problem::kBadName, key.place,
                 cat(quote(key.text), " is neither a kind of controller nor a controller"),
                 "write `cpu`, `gpu` or `fpga`, or one with a number");
    return;
  }
  const MapReader map(&node, cat("the entry ", quote(key.text)),
                      {"time_ps", "mad_ps", "samples", "outliers", "device", "simulated", "cycles", "clock_mhz",
                       "wall_ps", "busy_ps", "busy_workers", "fit", "sizes", "missing", "fix", "modelled", "resources"},
                      report);
  if (!map.is_map()) return;
  if (const YamlNode* missing = map.get("missing")) {
    const YamlNode* fix = map.get("fix");
    const auto why = read_text(*missing, "`missing`", report);
    const auto how = fix == nullptr ? std::string() : read_text(*fix, "`fix`", report).value_or("");
    stage.missing[key.text] = how.empty() ? why.value_or("") : cat(why.value_or(""), "; ", how);
    return;
  }
  check_details(map, report);
  read_modelled(key.text, map, stage, report);
  const YamlNode* time = map.need("time_ps", "time_ps: 1000000");
  if (time == nullptr) return;
  if (const auto ps = read_ps(*time, "`time_ps`", report)) stage.time_ps[key.text] = *ps;
  const YamlNode* busy = map.get("busy_ps");
  if (const auto ps = busy == nullptr ? std::nullopt : read_ps(*busy, "`busy_ps`", report))
    stage.busy_ps[key.text] = *ps;
  const YamlNode* cycles = map.get("cycles");
  if (const auto count = cycles == nullptr ? std::nullopt : whole_number(*cycles); count && *count <= kMostPs)
    stage.cycles[key.text] = *count;
}

StageProfile read_stage_profile(const YamlNode& key, const YamlNode& node, Report& report) {
  StageProfile stage;
  stage.place = key.place;
  const MapReader map(&node, cat("stage ", quote(key.text)), {"firings", "on"}, report);
  if (const YamlNode* firings = map.need("firings", "firings: 1"))
    stage.firings = read_number(*firings, "`firings`", kMostMean, report).value_or(1);
  const YamlNode* on = map.need("on", "on: {cpu: {time_ps: 1000000}}");
  if (on == nullptr || !expect_map(*on, "`on`", "{cpu: {time_ps: 1000000}}", report)) return stage;
  for (std::size_t k = 0; k < on->keys.size(); ++k) read_on(on->keys[k], on->items[k], stage, report);
  return stage;
}

void read_unread(const MapReader& map, EdgeProfile& edge, Report& report) {
  const YamlNode* bytes = map.get("unread_bytes");
  const YamlNode* unread = bytes != nullptr ? map.need("unread", "unread: 1") : map.get("unread");
  if (bytes != nullptr) edge.unread_bytes = read_number(*bytes, "`unread_bytes`", kMostMean, report).value_or(0);
  if (unread == nullptr) return;
  edge.unread = read_number(*unread, "`unread`", kMostMean, report).value_or(0);
  if (edge.unread > edge.tokens) {
    report.error(problem::kBadValue, unread->place, "more tokens are `unread` than there are `tokens`",
                 "`unread` is how many of the `tokens` are held and never read");
  } else if (edge.unread * edge.unread_bytes > edge.tokens * edge.bytes * kRounded) {
    report.error(problem::kBadValue, bytes->place, "tokens that are `unread` have more bytes than all `tokens`",
                 "`unread_bytes` is the mean payload of one that is `unread`, `mean_bytes` that of all");
  }
}

void read_edge(const YamlNode& node, Profile& profile, Report& report) {
  const MapReader map(&node, "an edge",
                      {"from", "to", "tokens", "bytes", "mad_bytes", "mean_bytes", "unread", "unread_bytes"}, report);
  if (!map.is_map()) return;
  EdgeProfile edge;
  edge.place = node.place;
  const YamlNode* from = map.need("from", "from: STAGE.PORT");
  const YamlNode* to = map.need("to", "to: STAGE.PORT");
  if (const YamlNode* tokens = map.need("tokens", "tokens: 1"))
    edge.tokens = read_number(*tokens, "`tokens`", kMostMean, report).value_or(1);
  if (const YamlNode* bytes = map.need("bytes", "bytes: 64"))
    edge.bytes = read_number(*bytes, "`bytes`", kMostMean, report).value_or(0);
  if (const YamlNode* mean = map.get("mean_bytes"))
    edge.bytes = read_number(*mean, "`mean_bytes`", kMostMean, report).value_or(0);
  if (edge.tokens * edge.bytes > kMostMean)
    report.error(problem::kBadValue, node.place, "`tokens` times `bytes` is more than 1e12, which is not computed with",
                 "both are of one instance");
  check_count(map, "mad_bytes", report);
  read_unread(map, edge, report);
  if (from == nullptr || to == nullptr) return;
  const auto writer = read_text(*from, "`from`", report), reader = read_text(*to, "`to`", report);
  if (!writer || !reader) return;
  const auto [first, is_new] = profile.edges.try_emplace({*writer, *reader}, edge);
  if (is_new) return;
  report.error(problem::kEdgeTwice, node.place,
               cat("the edge from ", quote(*writer), " to ", quote(*reader), " is there already, in line ",
                   first->second.place.line),
               "remove one");
}

void read_header(const MapReader& map, Profile& profile, Report& report) {
  check_version(map, "woa_profile", report);
  if (const YamlNode* name = map.need("graph", "graph: NAME"))
    profile.graph = read_name(*name, "the name of a graph", report).value_or("");
  if (const YamlNode* hash = map.need("graph_hash", "graph_hash: \"HASH\"  # as woa check GRAPH --json prints it")) {
    profile.graph_hash = read_text(*hash, "`graph_hash`", report).value_or("");
    profile.hash_place = hash->place;
  }
  for (const char* key : {"processor", "host_state"}) {
    if (const YamlNode* node = map.get(key)) read_text(*node, quote(key), report);
  }
  if (const YamlNode* source = map.get("source_ps"))
    profile.source_ps = read_ps(*source, "`source_ps`", report).value_or(0);
  for (const char* key : {"inputs", "repetitions"}) {
    if (const YamlNode* node = map.get(key)) read_integer(*node, quote(key), 0, kMostCount, report);
  }
}

}  // namespace

std::optional<std::uint64_t> time_on(const StageProfile& stage, const MachineController& controller, bool busy) {
  for (const std::string& name : {controller.plan.name, std::string(to_string(controller.plan.kind))}) {
    const auto cycles = stage.cycles.find(name);
    if (controller.clock_hz && cycles != stage.cycles.end()) {
      constexpr double kPsPerSecond = 1e12;
      const double ps = static_cast<double>(cycles->second) * kPsPerSecond / static_cast<double>(*controller.clock_hz);
      return static_cast<std::uint64_t>(std::min(ps, static_cast<double>(kMostPs)));
    }
    if (const auto time = stage.busy_ps.find(name); busy && time != stage.busy_ps.end()) return time->second;
    if (const auto time = stage.time_ps.find(name); time != stage.time_ps.end()) return time->second;
  }
  return std::nullopt;
}

const Resources* modelled_on(const StageProfile& stage, const ControllerPlan& controller) {
  for (const std::string& name : {controller.name, std::string(to_string(controller.kind))}) {
    if (const auto found = stage.modelled.find(name); found != stage.modelled.end()) return &found->second;
    if (stage.time_ps.contains(name)) return nullptr;
  }
  return nullptr;
}

std::optional<Profile> read_profile(std::uint32_t source, Report& report) {
  const std::size_t errors = report.errors();
  report.set_manual(source, "docs/profile.md");
  const auto root =
      read_root(source, "woa_profile", "a profile", "`woa_profile: 1`, `graph:`, `stages:`, `edges:`", report);
  if (!root) return std::nullopt;
  const MapReader map(&*root, "a profile",
                      {"woa_profile", "graph", "graph_hash", "processor", "host_state", "inputs", "repetitions",
                       "source_ps", "stages", "edges"},
                      report);
  Profile profile;
  read_header(map, profile, report);
  const YamlNode* stages = map.need("stages", "stages: {NAME: {firings: 1, on: {cpu: {time_ps: 1000000}}}}");
  if (stages != nullptr &&
      expect_map(*stages, "`stages`", "NAME: {firings: 1, on: {cpu: {time_ps: 1000000}}}", report)) {
    profile.stages_place = stages->place;
    for (std::size_t k = 0; k < stages->keys.size(); ++k)
      profile.stages.emplace(stages->keys[k].text, read_stage_profile(stages->keys[k], stages->items[k], report));
  }
  const YamlNode* edges = map.need("edges", "edges: [{from: a.out, to: b.in, tokens: 1, bytes: 64}]");
  if (edges != nullptr && expect_list(*edges, "`edges`", "[{from: a.out, to: b.in, tokens: 1, bytes: 64}]", report)) {
    profile.edges_place = edges->place;
    for (const YamlNode& edge : edges->items) read_edge(edge, profile, report);
  }
  return report.errors() == errors ? std::optional(std::move(profile)) : std::nullopt;
}

}  // namespace woa
