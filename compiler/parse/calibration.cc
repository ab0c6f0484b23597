#include "compiler/parse/calibration.h"

#include "compiler/parse/machine_links.h"
#include "compiler/parse/reader.h"

namespace woa {
namespace {

constexpr std::uint64_t kMostBytes = 1ULL << 38;
constexpr std::uint64_t kMost_ns = 3'600'000'000'000;

// `{bytes: 64, inline: 812, in_place: 905}`, of which only the bytes must be there. Nothing is made of the times here:
// the limit was drawn from them when they were measured.
void check_median(const YamlNode& node, Report& report) {
  const MapReader map(&node, "a median", {"bytes", "inline", "in_place"}, report);
  if (!map.is_map()) return;
  if (const YamlNode* bytes = map.need("bytes", "bytes: 64")) read_integer(*bytes, "`bytes`", 1, kMostBytes, report);
  for (const char* method : {"inline", "in_place"}) {
    if (const YamlNode* ns = map.get(method)) read_integer(*ns, quote(method), 1, kMost_ns, report);
  }
}

// The links are between kinds; which controllers there are is not measured.
void read_measured_links(const YamlNode& node, LinkTable& table, Report& report) {
  Machine any;
  any.open = true;
  read_links(node, any, table, report);
}

// `{count: 2, kinds: [cpu, fpga]}`: their controllers share them, unless the file itself says who shares what.
void read_measured_cores(const YamlNode& node, Machine& machine, Report& report) {
  constexpr std::uint64_t kMostCores = 1 << 20;
  constexpr const char* kGroup = "processor";
  const MapReader map(&node, "`cores`", {"count", "kinds"}, report);
  const YamlNode* count = map.need("count", "count: 2");
  const YamlNode* kinds = map.need("kinds", "kinds: [cpu]");
  const auto number = count == nullptr ? std::nullopt : read_integer(*count, "`count`", 1, kMostCores, report);
  if (kinds == nullptr || !expect_list(*kinds, "`kinds`", "[cpu]", report)) return;
  const bool by_hand = !machine.cores.empty();
  for (const YamlNode& item : kinds->items) {
    const auto name = parse_controller(item.text);
    if (!name || name->exact()) {
      report.error(problem::kBadName, item.place, cat(quote(item.text), " is not a kind of controller"),
                   "write `cpu`, `gpu` or `fpga`");
      continue;
    }
    if (by_hand) continue;
    machine.cores_of_kind[name->kind] = kGroup;
    for (MachineController& controller : machine.controllers)
      if (controller.plan.kind == name->kind) controller.cores = kGroup;
  }
  if (!by_hand && number) machine.cores.emplace(kGroup, *number);
}

std::optional<std::uint32_t> read_transport(const YamlNode& name, const YamlNode& node, Machine& machine,
                                            Report& report) {
  const MapReader map(&node, cat("transport ", quote(name.text)),
                      {"host_state", "inline_bytes", "medians_ns", "links_host_state", "links", "wake"}, report);
  if (!map.is_map()) return std::nullopt;
  for (const char* key : {"host_state", "links_host_state"}) {
    if (const YamlNode* state = map.get(key)) read_text(*state, quote(key), report);
  }
  if (const YamlNode* medians = map.get("medians_ns");
      medians != nullptr &&
      expect_list(*medians, "`medians_ns`", "[{bytes: 64, inline: 812, in_place: 905}]", report)) {
    for (const YamlNode& median : medians->items) check_median(median, report);
  }
  if (const YamlNode* links = map.get("links")) read_measured_links(*links, machine.measured[name.text], report);
  if (const YamlNode* wake = map.get("wake")) {
    if (const auto ps = read_latency_ps(*wake, "`wake`", report)) machine.wake_ps[name.text] = *ps;
  }
  const YamlNode* limit = map.need("inline_bytes", "inline_bytes: 64");
  if (limit == nullptr) return std::nullopt;
  const auto bytes = read_integer(*limit, "`inline_bytes`", 0, kMaxInlineBytes, report);
  if (!bytes) return std::nullopt;
  return static_cast<std::uint32_t>(*bytes);
}

}  // namespace

void read_calibration(const YamlNode& node, Machine& machine, Report& report) {
  Calibration& out = machine.calibration.emplace();
  const MapReader map(&node, "`calibration`", {"processor", "cores", "transports"}, report);
  if (!map.is_map()) return;
  if (const YamlNode* processor = map.need("processor", "processor: \"NAME\""))
    out.processor = read_text(*processor, "`processor`", report).value_or("");
  if (const YamlNode* cores = map.get("cores")) read_measured_cores(*cores, machine, report);
  const YamlNode* transports = map.need("transports", "transports: {shm: {inline_bytes: 64}}");
  if (transports == nullptr || !expect_map(*transports, "`transports`", "shm: {inline_bytes: 64}", report)) return;
  for (std::size_t k = 0; k < transports->keys.size(); ++k) {
    const YamlNode& name = transports->keys[k];
    if (const auto bytes = read_transport(name, transports->items[k], machine, report))
      out.inline_bytes[name.text] = *bytes;
  }
}

}  // namespace woa
