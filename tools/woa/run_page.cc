#include "tools/woa/run_page.h"

#include <sys/utsname.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "library/environment.h"
#include "library/machine_choice.h"
#include "runtime/base/file.h"
#include "runtime/base/processor.h"
#include "runtime/plan/index.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostTemplateBytes = 16 << 20;
constexpr const char* kEmptyReport = R"({"REPORT": null})";  // in tools/report/page.html
constexpr std::size_t kMostFirings = 1500;                   // a picture of more cannot be read at once
constexpr std::size_t kMostColumns = 1000;                   // of a lane, if an instance has more than that
constexpr std::size_t kMostFailures = 100;

std::filesystem::path template_file() { return data_folder("report") / "page.html"; }

double us_between(std::uint64_t begin_ns, std::uint64_t end_ns) { return static_cast<double>(end_ns - begin_ns) / 1e3; }

const char* role_of(const StagePlan& stage) {
  switch (stage.role) {
    case StageRole::kSource: return "source";
    case StageRole::kSink: return "sink";
    case StageRole::kRelay: return "relay";
    case StageRole::kKernel: break;
  }
  return "kernel";
}

// The graph as it ran. Edges are in the order of the run's `edges`.
json graph_of(const Plan& plan) {
  json controllers = json::array(), stages = json::array(), edges = json::array();
  for (const ControllerPlan& controller : plan.controllers)
    controllers.push_back({{"name", controller.name}, {"backend", controller.backend}});
  for (const StagePlan& stage : plan.stages)
    stages.push_back(
        {{"name", stage.name}, {"role", role_of(stage)}, {"kernel", stage.kernel}, {"controller", stage.controller}});
  for (const EdgePlan& edge : plan.edges) {
    const LoopPlan* loop = edge.loop < 0 ? nullptr : &plan.loops[static_cast<std::size_t>(edge.loop)];
    edges.push_back({{"from", edge.from_stage},
                     {"to", edge.to_stage},
                     {"ports", {writer_of(plan, edge), reader_of(plan, edge)}},
                     {"loop", loop == nullptr ? json(nullptr) : json{{"name", loop->name}, {"max", loop->max}}},
                     {"held", plan.stages[edge.to_stage].inputs[edge.to_port].hold}});
  }
  return {{"controllers", controllers}, {"stages", stages}, {"edges", edges}};
}

// Pairs of a share and the latency in us that it of all instances does not exceed.
json quantiles_of(const Latencies& latencies) {
  std::vector<double> shares;
  for (int percent = 1; percent < 100; ++percent) shares.push_back(percent / 100.0);
  for (const double share : {0.995, 0.999, 0.9999, 1.0}) shares.push_back(share);
  const std::vector<std::uint64_t> found = latencies.quantiles(shares);
  json pairs = json::array();
  for (std::size_t k = 0; k < found.size(); ++k) pairs.push_back({shares[k], us_between(0, found[k])});
  return pairs;
}

// All firings, up to where the first full trace ends: later, a controller's silence would mean nothing.
std::vector<const TraceEvent*> traced_firings(const RunReport& report) {
  std::vector<const TraceEvent*> firings;
  std::uint64_t end_ns = ~std::uint64_t{0};
  for (const ControllerReport& controller : report.controllers) {
    if (controller.stats.untraced > 0 && !controller.trace.empty())
      end_ns = std::min(end_ns, controller.trace.back().end_ns);
    for (const TraceEvent& event : controller.trace)
      if (event.kind == TraceEvent::Kind::kFiring) firings.push_back(&event);
  }
  std::erase_if(firings, [end_ns](const TraceEvent* event) { return event->begin_ns > end_ns; });
  std::ranges::stable_sort(firings, {}, &TraceEvent::begin_ns);
  return firings;
}

// The first firings; beyond kMostFirings, until an instance is whole, the longest in each `thinned_ns` of a lane.
struct Shown {
  std::vector<const TraceEvent*> firings;
  std::vector<std::uint64_t> whole = {};  // instances whose firings are all among them, but for those left out
  std::uint64_t thinned_ns = 0;           // 0: none is left out
};

using Lane = std::pair<std::uint32_t, std::uint32_t>;  // a controller and its worker
Lane lane_of(const Plan& plan, const TraceEvent& event) { return {plan.stages[event.stage].controller, event.worker}; }

// By instance that reached the sink: how many of `firings` it takes to have all of its.
std::map<std::uint64_t, std::size_t> ends_of(const Plan& plan, const std::vector<const TraceEvent*>& firings) {
  std::map<std::uint64_t, std::size_t> ends;
  for (const TraceEvent* event : firings)
    if (plan.stages[event->stage].role == StageRole::kSink) ends[event->instance] = 0;
  for (std::size_t k = 0; k < firings.size(); ++k)
    if (const auto end = ends.find(firings[k]->instance); end != ends.end()) end->second = k + 1;
  return ends;
}

// Leaves out those after kMostFirings that are not the longest of their lane and time.
void thin_out(const Plan& plan, Shown& shown) {
  std::vector<const TraceEvent*>& firings = shown.firings;
  const std::uint64_t origin_ns = firings.front()->begin_ns;
  shown.thinned_ns = (firings.back()->begin_ns - origin_ns) / kMostColumns + 1;
  std::map<std::pair<Lane, std::uint64_t>, const TraceEvent*> longest;
  for (std::size_t k = kMostFirings; k < firings.size(); ++k) {
    const TraceEvent& event = *firings[k];
    const TraceEvent*& best = longest[{lane_of(plan, event), (event.begin_ns - origin_ns) / shown.thinned_ns}];
    if (best == nullptr || event.end_ns - event.begin_ns > best->end_ns - best->begin_ns) best = &event;
  }
  firings.resize(kMostFirings);
  for (const auto& [place, event] : longest) firings.push_back(event);
  std::ranges::stable_sort(firings, {}, &TraceEvent::begin_ns);
}

Shown first_firings(const Plan& plan, const RunReport& report) {
  Shown shown{traced_firings(report)};
  const std::map<std::uint64_t, std::size_t> ends = ends_of(plan, shown.firings);
  std::size_t first = 0;
  for (const auto& [instance, end] : ends) first = first == 0 ? end : std::min(first, end);
  shown.firings.resize(std::min(shown.firings.size(), std::max(first, kMostFirings)));
  for (const auto& [instance, end] : ends)
    if (end <= shown.firings.size()) shown.whole.push_back(instance);
  if (shown.firings.size() > kMostFirings) thin_out(plan, shown);
  return shown;
}

// Times are in us from the first firing's begin. An arrow names two firings and an edge.
json timeline_of(const Plan& plan, const RunReport& report) {
  const auto [shown, whole, thinned_ns] = first_firings(plan, report);
  std::map<Lane, std::size_t> lanes;
  for (const TraceEvent* event : shown) lanes[lane_of(plan, *event)] = 0;
  json rows = json::array(), firings = json::array(), arrows = json::array();
  for (auto& [lane, row] : lanes) {
    row = rows.size();
    rows.push_back({lane.first, lane.second});
  }
  std::unordered_map<const TraceEvent*, std::size_t> numbers;
  for (const TraceEvent* event : shown) {
    numbers[event] = firings.size();
    const std::uint64_t origin_ns = shown[0]->begin_ns;
    firings.push_back({{"lane", lanes[lane_of(plan, *event)]},
                       {"stage", event->stage},
                       {"begin_us", us_between(origin_ns, event->begin_ns)},
                       {"end_us", us_between(origin_ns, event->end_ns)},
                       {"instance", event->instance},
                       {"tag", event->tag},
                       {"bytes", event->bytes}});
  }
  for (const TracedPacket& packet : traced_packets(plan, report)) {
    const auto from = numbers.find(packet.from), to = numbers.find(packet.to);
    if (from != numbers.end() && to != numbers.end()) arrows.push_back({from->second, to->second, packet.edge});
  }
  std::uint64_t all = 0;
  for (const ControllerReport& controller : report.controllers)
    for (const StageStats& stage : controller.stats.stages) all += stage.firings;
  return {{"lanes", rows},      {"firings", firings}, {"arrows", arrows},
          {"all_firings", all}, {"whole", whole},     {"thinned_us", us_between(0, thinned_ns)}};
}

json machine_of_this_host() {
  utsname system{};
  (void)::uname(&system);
  return {{"processor", processor_name()},
          {"usable", usable_processors()},
          {"system", std::string(system.sysname) + " " + system.release + " " + system.machine},
          {"woa", WOA_VERSION}};
}

json document(const CommandResult& result) {
  json run = to_json(result);
  json& failures = run["failures"];
  if (failures.size() > kMostFailures) failures.erase(failures.begin() + kMostFailures, failures.end());
  const Plan& plan = *result.plan;
  return {{"kind", "run"},
          {"run", std::move(run)},
          {"done", result.done},
          {"failed", result.failed},
          {"graph", graph_of(plan)},
          {"quantiles", quantiles_of(result.latencies)},
          {"timeline", result.report == nullptr ? json(nullptr) : timeline_of(plan, *result.report)},
          {"machine", machine_of_this_host()}};
}

// A text of the report must not end the element that it stands in. A kernel's error may have any bytes; those that are
// no UTF-8 become U+FFFD.
std::string embedded(const json& report) {
  std::string out;
  for (const char letter : report.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (letter == '<') {
      out += "\\u003c";
    } else {
      out += letter;
    }
  }
  return out;
}

}  // namespace

Status check_page(const std::filesystem::path& file) {
  if (!std::filesystem::exists(template_file()))
    return {Code::kUnavailable, template_file().string() + " is not built; install python3 and build again"};
  return check_writable(file);
}

Status write_page(const CommandResult& result, const std::filesystem::path& file) {
  auto page = read_regular_file(template_file(), kMostTemplateBytes);
  if (!page.ok()) return page.status().with_context(template_file().string());
  std::string text = *std::move(page);
  const std::size_t at = text.find(kEmptyReport);
  if (at == std::string::npos)
    return {Code::kDataLoss, template_file().string() + " has no place for a report; build again"};
  text.replace(at, std::string(kEmptyReport).size(), embedded(document(result)));
  return write_file(file, text);
}

}  // namespace woa::tools
