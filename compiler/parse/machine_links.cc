#include "compiler/parse/machine_links.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "compiler/parse/reader.h"

namespace woa {
namespace {

constexpr std::uint64_t kMostLatency_ns = 60'000'000'000;
constexpr std::uint64_t kMostBandwidth = 1'000'000'000'000'000;  // bytes per second; times stay whole picoseconds
constexpr const char* kHint = "{between: [\"cpu:0\", \"gpu:0\"], latency: 2us, bandwidth: 8GB/s}";

// The fix for `10Gb/s`, `10 gbps` or `10Gbits/s`; empty if it is none of these. A small `b` may mean bits or bytes.
std::string for_bits(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string number(text.substr(0, digits));
  std::string_view unit = text.substr(digits);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  if (number.empty() || unit.empty()) return "";
  const std::string scale(1, static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front()))));
  unit.remove_prefix(1);
  static constexpr std::array<std::string_view, 5> kBits{"b/s", "bps", "bit/s", "bits/s", "bit"};
  if (std::string_view("KMGT").find(scale) == std::string_view::npos || std::ranges::find(kBits, unit) == kBits.end())
    return "";
  constexpr std::uint64_t kBytesPerKbit = 125;
  const std::uint64_t kbit = std::min(parse_digits(number).value_or(kMostBandwidth), kMostBandwidth);
  const std::string bits = scale == "K" ? cat("`", kbit * kBytesPerKbit, "B/s`") : cat("`", number, scale, "bit/s`");
  if (unit.starts_with("bit")) return cat("write ", bits);
  return cat("write ", bits, " if bits are meant, `", number, scale, "B/s` if bytes are");
}

std::optional<std::uint64_t> read_ps_per_kib(const YamlNode& node, Report& report) {
  static constexpr std::array<Unit, 12> kUnits{{{"B/s", 1},
                                                {"KB/s", 1'000},
                                                {"MB/s", 1'000'000},
                                                {"GB/s", 1'000'000'000},
                                                {"TB/s", 1'000'000'000'000},
                                                {"KiB/s", 1ULL << 10},
                                                {"MiB/s", 1ULL << 20},
                                                {"GiB/s", 1ULL << 30},
                                                {"TiB/s", 1ULL << 40},
                                                {"Mbit/s", 125'000},
                                                {"Gbit/s", 125'000'000},
                                                {"Tbit/s", 125'000'000'000}}};
  const auto ends_so = [&](const Unit& unit) { return node.text.ends_with(unit.name); };
  const std::string bits = std::ranges::any_of(kUnits, ends_so) ? "" : for_bits(node.text);
  if (!bits.empty()) {
    report.error(problem::kBadValue, node.place, cat("`bandwidth` is ", quote(node.text), ", which is no unit here"),
                 bits);
    return std::nullopt;
  }
  constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000, kKib = 1024;
  const auto rate = read_quantity(node, "`bandwidth`", kUnits, 1, kMostBandwidth,
                                  "a rate above 0, such as `125MB/s`, `8GB/s` or `10Gbit/s`", report);
  return rate ? std::optional((kPsPerSecond * kKib + *rate / 2) / *rate) : std::nullopt;
}

std::optional<LinkCost> read_cost(const MapReader& map, Report& report) {
  const YamlNode* latency = map.need("latency", "latency: 2us");
  const YamlNode* bandwidth = map.need("bandwidth", "bandwidth: 8GB/s");
  const auto latency_ps = latency == nullptr ? std::nullopt : read_latency_ps(*latency, "`latency`", report);
  const auto ps_per_kib = bandwidth == nullptr ? std::nullopt : read_ps_per_kib(*bandwidth, report);
  if (!latency_ps || !ps_per_kib) return std::nullopt;
  return LinkCost{*latency_ps, *ps_per_kib, true};
}

class LinksReader {
 public:
  LinksReader(const Machine& machine, LinkTable& table, Report& report)
      : machine_(machine), table_(table), report_(report) {
    kinds_.insert(ControllerKind::kHost);
    for (const MachineController& controller : machine.controllers) {
      names_.insert(controller.plan.name);
      kinds_.insert(controller.plan.kind);
    }
  }

  void read(const YamlNode& node) {
    const MapReader map(&node, "a link", {"between", "from", "to", "latency", "bandwidth", "through"}, report_);
    if (!map.is_map()) return;
    const bool both_ways = map.get("between") != nullptr;
    const auto ends = both_ways ? read_between(*map.get("between"), map) : read_from_to(map);
    const auto rule = read_rule(map);
    if (!ends || !rule || !check_ends(*ends, node.place)) return;
    const bool first = add(ends->first, ends->second, *rule, node.place, false);
    if (both_ways && ends->first != ends->second) add(ends->second, ends->first, *rule, node.place, !first);
  }

 private:
  using Ends = std::pair<ControllerName, ControllerName>;

  [[nodiscard]] std::optional<Ends> read_between(const YamlNode& node, const MapReader& map) {
    for (const char* key : {"from", "to"}) {
      if (const YamlNode* other = map.get(key)) {
        report_.error(problem::kBadLink, other->place,
                      cat("a link has `between`, or `from` and `to`, not ", quote(key), " beside `between`"),
                      "keep `between` for both directions, `from` and `to` for one");
        return std::nullopt;
      }
    }
    if (!expect_list(node, "`between`", "[\"cpu:0\", \"gpu:0\"]", report_)) return std::nullopt;
    if (node.items.size() != 2) {
      report_.error(problem::kBadLink, node.place, cat("a link has two ends, but here are ", node.items.size()),
                    "write `between: [\"cpu:0\", \"gpu:0\"]`");
      return std::nullopt;
    }
    return both(read_end(node.items[0]), read_end(node.items[1]));
  }

  [[nodiscard]] std::optional<Ends> read_from_to(const MapReader& map) {
    if (map.get("from") == nullptr && map.get("to") == nullptr) {
      (void)map.need("between", "between: [\"cpu:0\", \"gpu:0\"]");
      return std::nullopt;
    }
    const YamlNode* from = map.need("from", "from: \"cpu:0\"");
    const YamlNode* to = map.need("to", "to: \"gpu:0\"");
    if (from == nullptr || to == nullptr) return std::nullopt;
    return both(read_end(*from), read_end(*to));
  }

  [[nodiscard]] static std::optional<Ends> both(const std::optional<ControllerName>& a,
                                                const std::optional<ControllerName>& b) {
    return a && b ? std::optional(Ends{*a, *b}) : std::nullopt;
  }

  [[nodiscard]] std::optional<ControllerName> read_end(const YamlNode& node) {
    const auto text = read_text(node, "an end of a link", report_);
    if (!text) return std::nullopt;
    const auto name = parse_controller(*text);
    if (!name) {
      report_.error(problem::kBadName, node.place, cat(quote(*text), " names no controller"),
                    "write a controller (`cpu:0`), a kind (`gpu`: all of them) or `host`");
      return std::nullopt;
    }
    const bool known = name->number ? names_.contains(*text) : kinds_.contains(name->kind);
    if (known || machine_.open) return name;
    std::vector<std::string> names(names_.begin(), names_.end());
    names.emplace_back("host");
    report_.error(problem::kUnknownController, node.place, cat("the machine has no ", quote(*text)),
                  suggest(*text, names, "controllers"));
    return std::nullopt;
  }

  // An empty LinkRule leads through the host, at the cost of the two links there. Nothing after a report.
  [[nodiscard]] std::optional<LinkRule> read_rule(const MapReader& map) {
    const YamlNode* through = map.get("through");
    if (through != nullptr && !read_text(*through, "`through`", report_)) return std::nullopt;
    if (through != nullptr && through->text != "host") {
      report_.error(problem::kBadLink, through->place, cat("`through` is ", quote(through->text), ", expected `host`"),
                    "packets are passed on by the host only: write `through: host`, or leave it out");
      return std::nullopt;
    }
    through_ = through;
    if (through != nullptr && map.get("latency") == nullptr && map.get("bandwidth") == nullptr) return LinkRule();
    auto cost = read_cost(map, report_);
    if (!cost) return std::nullopt;
    cost->direct = through == nullptr;
    return LinkRule(cost);
  }

  [[nodiscard]] bool check_ends(const Ends& ends, const Place& place) {
    const auto& [from, to] = ends;
    if (from.exact() && from == to) {
      report_.error(problem::kBadLink, place,
                    cat("a link joins two controllers, but both ends are ", quote(to_string(from))),
                    "within a controller nothing is sent: remove it, or name the other end");
      return false;
    }
    const bool with_host = from.kind == ControllerKind::kHost || to.kind == ControllerKind::kHost;
    if (through_ == nullptr || !with_host) return true;
    report_.error(problem::kBadLink, through_->place, "a link with the host cannot go through the host",
                  "leave `through` out, and say what the link costs");
    return false;
  }

  // True if the link is new. `reported`: the problem was reported for the link's other direction.
  bool add(const ControllerName& from, const ControllerName& to, const LinkRule& rule, const Place& place,
           bool reported) {
    const auto [first, is_new] = places_.emplace(Ends{from, to}, place);
    const LinkTable::Added added = table_.add(from, to, rule);
    if (added == LinkTable::Added::kNew) return true;
    if (reported) return false;
    const std::string pair = cat(quote(to_string(from)), " to ", quote(to_string(to)));
    if (added == LinkTable::Added::kTwice && !is_new) {
      report_.error(problem::kLinkTwice, place,
                    cat("there is a link from ", pair, " already, in line ", first->second.line),
                    "remove one; `between` is for both directions");
    } else {
      report_.error(
          problem::kLinkTwice, place,
          cat("the link from ", pair, " and another, which names a controller at the other end, are both for one pair"),
          "name both controllers, or both kinds");
    }
    return false;
  }

  const Machine& machine_;
  LinkTable& table_;
  Report& report_;
  std::set<std::string> names_;
  std::set<ControllerKind> kinds_;
  std::map<Ends, Place> places_;
  const YamlNode* through_ = nullptr;  // of the link that is being read
};

}  // namespace

std::optional<std::uint64_t> read_latency_ps(const YamlNode& node, std::string_view what, Report& report) {
  static constexpr std::array<Unit, 5> kUnits{
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000}}};
  const auto ns = read_quantity(node, what, kUnits, 0, kMostLatency_ns,
                                "a time from `0ns` to `1min`, such as `500ns` or `2us`", report);
  return ns ? std::optional(*ns * 1000) : std::nullopt;
}

void read_links(const YamlNode& node, const Machine& machine, LinkTable& table, Report& report) {
  if (!expect_list(node, "`links`", kHint, report)) return;
  LinksReader reader(machine, table, report);
  for (const YamlNode& link : node.items) {
    if (report.full()) break;
    if (expect_map(link, "a link", kHint, report)) reader.read(link);
  }
}

std::optional<LinkCost> read_default_link(const YamlNode& node, Report& report) {
  const MapReader map(&node, "`default_link`", {"latency", "bandwidth"}, report);
  return map.is_map() ? read_cost(map, report) : std::nullopt;
}

namespace {

constexpr std::uint64_t kMostBytes = 1ULL << 38;
constexpr std::uint64_t kMost_ns = 3'600'000'000'000;

// `{bytes: 64, inline: 812, in_place: 905}`; only `bytes` is required. The times are not used: the calibration derived
// the limit from them.
void check_median(const YamlNode& node, Report& report) {
  const MapReader map(&node, "a median", {"bytes", "inline", "in_place"}, report);
  if (!map.is_map()) return;
  if (const YamlNode* bytes = map.need("bytes", "bytes: 64")) read_integer(*bytes, "`bytes`", 1, kMostBytes, report);
  for (const char* method : {"inline", "in_place"}) {
    if (const YamlNode* ns = map.get(method)) read_integer(*ns, quote(method), 1, kMost_ns, report);
  }
}

// Measured links are between kinds: a calibration does not say which controllers exist.
void read_measured_links(const YamlNode& node, LinkTable& table, Report& report) {
  Machine any;
  any.open = true;
  read_links(node, any, table, report);
}

// `{count: 2, kinds: [cpu, fpga]}`: controllers of these kinds share the cores, unless the file itself has `cores`.
void read_measured_cores(const YamlNode& node, Machine& machine, Report& report) {
  constexpr std::uint64_t kMostCores = 1 << 20;
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
    machine.cores_of_kind[name->kind] = kSharedCores;
    for (MachineController& controller : machine.controllers)
      if (controller.plan.kind == name->kind) controller.cores = kSharedCores;
  }
  if (!by_hand && number) machine.cores.emplace(kSharedCores, *number);
}

// `{cpu: {firing: 60ns, message: 40ns}}`: what controllers of a kind add.
void read_measured_costs(const YamlNode& node, std::map<ControllerKind, ControllerCost>& costs, Report& report) {
  if (!expect_map(node, "`controllers`", "{cpu: {firing: 60ns, message: 40ns}}", report)) return;
  for (std::size_t k = 0; k < node.keys.size(); ++k) {
    const auto name = parse_controller(node.keys[k].text);
    if (!name || name->number) {
      report.error(problem::kBadName, node.keys[k].place, cat(quote(node.keys[k].text), " is not a kind of controller"),
                   "write `cpu`, `gpu`, `fpga` or `host`");
      continue;
    }
    const MapReader map(&node.items[k], cat("controllers of kind ", quote(node.keys[k].text)), {"firing", "message"},
                        report);
    ControllerCost& cost = costs[name->kind];
    if (const YamlNode* firing = map.get("firing"))
      cost.firing_ps = read_latency_ps(*firing, "`firing`", report).value_or(0);
    if (const YamlNode* message = map.get("message"))
      cost.message_ps = read_latency_ps(*message, "`message`", report).value_or(0);
  }
}

std::optional<std::uint32_t> read_transport(const YamlNode& name, const YamlNode& node, Machine& machine,
                                            Report& report) {
  const MapReader map(&node, cat("transport ", quote(name.text)),
                      {"host_state", "inline_bytes", "medians_ns", "links_host_state", "links", "controllers", "wake"},
                      report);
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
  if (const YamlNode* costs = map.get("controllers"))
    read_measured_costs(*costs, machine.measured_costs[name.text], report);
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
