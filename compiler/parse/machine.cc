#include "compiler/parse/machine.h"

#include <algorithm>

#include "compiler/diagnostics/report.h"
#include "compiler/options.h"
#include "runtime/base/scalar.h"

namespace woa {
namespace {

struct FoundLink {
  LinkCost cost;
  LinkOrigin origin = LinkOrigin::kAssumed;
};

// Finds a link's cost: tries each origin (LinkOrigin) in turn.
class Finder {
 public:
  explicit Finder(const Machine& machine) : machine_(machine) {
    const auto measured = machine.measured.find(machine.transport);
    if (measured != machine.measured.end()) measured_ = &measured->second;
  }

  [[nodiscard]] FoundLink find(const ControllerName& from, const ControllerName& to) const {
    if (from == to) return {{}, LinkOrigin::kWithin};
    if (const LinkRule* rule = machine_.links.find(from, to)) {
      return *rule ? FoundLink{**rule, LinkOrigin::kWritten} : through_host(from, to);
    }
    if (machine_.default_link) return {*machine_.default_link, LinkOrigin::kDefault};
    if (!machine_.links.empty() && reaches_host(from, to)) return through_host(from, to);
    if (const LinkRule* rule = measured_ == nullptr ? nullptr : measured_->find(from, to); rule != nullptr && *rule)
      return {**rule, LinkOrigin::kMeasured};
    return {assumed_link(from.kind, to.kind), LinkOrigin::kAssumed};
  }

 private:
  [[nodiscard]] bool reaches_host(const ControllerName& from, const ControllerName& to) const {
    if (from == kHostEnd || to == kHostEnd) return false;
    return machine_.links.find(from, kHostEnd) != nullptr && machine_.links.find(kHostEnd, to) != nullptr;
  }
  // Recurses once: no rule leads from or to the host through the host.
  [[nodiscard]] FoundLink through_host(const ControllerName& from, const ControllerName& to) const {
    const FoundLink in = find(from, kHostEnd), out = find(kHostEnd, to);
    return {in.cost + out.cost, std::max(in.origin, out.origin)};
  }

  const Machine& machine_;
  const LinkTable* measured_ = nullptr;
};

FoundLink find_link(const Machine& machine, std::string_view from, std::string_view to) {
  const auto a = parse_controller(from), b = parse_controller(to);
  if (!a || !b) return {assumed_link(ControllerKind::kCpu, ControllerKind::kCpu), LinkOrigin::kAssumed};
  return Finder(machine).find(*a, *b);
}

}  // namespace

std::string_view to_string(LinkOrigin origin) noexcept {
  switch (origin) {
    case LinkOrigin::kWithin: return "within";
    case LinkOrigin::kWritten: return "written";
    case LinkOrigin::kDefault: return "default";
    case LinkOrigin::kMeasured: return "measured";
    case LinkOrigin::kAssumed: return "assumed";
  }
  return "";
}

const MachineController* Machine::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(controllers, [&](const MachineController& each) { return each.plan.name == name; });
  return found == controllers.end() ? nullptr : &*found;
}

Machine::Reach Machine::reach(std::string_view name) const {
  const auto end = parse_controller(name);
  if (open || !links_written || default_link || !end) return {};
  return {links.find(kHostEnd, *end) != nullptr, links.find(*end, kHostEnd) != nullptr};
}

ControllerCost Machine::cost(const MachineController& controller) const {
  ControllerCost cost;
  if (const auto costs = measured_costs.find(transport); costs != measured_costs.end())
    if (const auto known = costs->second.find(controller.plan.kind); known != costs->second.end()) cost = known->second;
  return {controller.firing_ps.value_or(cost.firing_ps), controller.message_ps.value_or(cost.message_ps)};
}

std::uint64_t Machine::wake() const {
  const auto known = wake_ps.find(transport);
  return known == wake_ps.end() ? 0 : known->second;
}

LinkCost Machine::link(std::string_view from, std::string_view to) const { return find_link(*this, from, to).cost; }

LinkOrigin Machine::link_origin(std::string_view from, std::string_view to) const {
  return find_link(*this, from, to).origin;
}

MachineController default_controller(ControllerKind kind, std::uint32_t number) {
  MachineController out;
  out.plan = make_controller(cat(to_string(kind), ":", number), default_backend(kind));
  if (kind != ControllerKind::kCpu) return out;
  out.plan.workers = kAllWorkers;
  out.capabilities = {"syscalls"};
  out.cores = kSharedCores;
  return out;
}

Machine default_machine(std::uint32_t cpus) {
  Machine machine;
  for (std::uint32_t n = 0; n < cpus; ++n) machine.controllers.push_back(default_controller(ControllerKind::kCpu, n));
  machine.controllers.push_back(default_controller(ControllerKind::kGpu, 0));
  machine.controllers.push_back(default_controller(ControllerKind::kFpga, 0));
  machine.open = true;
  return machine;
}

// Round figures: a hop between processes of one host, and a card in a slot of its own. Cards have no direct link.
LinkCost assumed_link(ControllerKind from, ControllerKind to) noexcept {
  constexpr LinkCost kSharedMemory{1'000'000, 128'000, true};  // 1 us, 8 GB/s
  constexpr LinkCost kSlot{5'000'000, 170'667, true};          // 5 us, 6 GB/s
  const auto card = [](ControllerKind kind) { return kind == ControllerKind::kGpu || kind == ControllerKind::kFpga; };
  if (card(from) && card(to)) return kSlot + kSlot;
  return card(from) || card(to) ? kSlot : kSharedMemory;
}

namespace {

ControllerName any_of(const ControllerName& name) { return {name.kind, std::nullopt}; }

}  // namespace

LinkCost operator+(const LinkCost& a, const LinkCost& b) noexcept {
  return {a.latency_ps + b.latency_ps, a.ps_per_kib + b.ps_per_kib, false};
}

LinkTable::Added LinkTable::add(const ControllerName& from, const ControllerName& to, const LinkRule& rule) {
  const Ends ends{from, to};
  if (rules_.contains(ends)) return Added::kTwice;
  if (from.exact() != to.exact()) {
    if (ambiguous(ends)) return Added::kAmbiguous;
    Half& half = half_[{from.kind, to.kind}];
    (from.exact() ? half.left : half.right).insert(from.exact() ? from : to);
  }
  rules_.emplace(ends, rule);
  return Added::kNew;
}

// `gpu:0 -> fpga` and `gpu -> fpga:1` both apply to gpu:0 -> fpga:1. The host is its whole kind and cannot conflict.
bool LinkTable::ambiguous(const Ends& ends) const {
  const auto& [from, to] = ends;
  if (from.kind == ControllerKind::kHost || to.kind == ControllerKind::kHost) return false;
  const auto found = half_.find({from.kind, to.kind});
  if (found == half_.end()) return false;
  const std::set<ControllerName>& others = from.exact() ? found->second.right : found->second.left;
  const bool itself = from.kind == to.kind && others.contains(from.exact() ? from : to);
  return others.size() > (itself ? 1 : 0);
}

const LinkRule* LinkTable::find(const ControllerName& from, const ControllerName& to) const {
  for (const Ends& ends :
       {Ends{from, to}, Ends{from, any_of(to)}, Ends{any_of(from), to}, Ends{any_of(from), any_of(to)}}) {
    if (const auto found = rules_.find(ends); found != rules_.end()) return &found->second;
  }
  return nullptr;
}

std::optional<ControllerName> parse_controller(std::string_view text) {
  ControllerName name;
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind == "cpu") {
    name.kind = ControllerKind::kCpu;
  } else if (kind == "gpu") {
    name.kind = ControllerKind::kGpu;
  } else if (kind == "fpga") {
    name.kind = ControllerKind::kFpga;
  } else if (text == "host") {
    name.kind = ControllerKind::kHost;
  } else {
    return std::nullopt;
  }
  if (colon == std::string_view::npos) return name;
  const std::string_view digits = text.substr(colon + 1);
  const auto number = digits.starts_with("0") && digits.size() > 1 ? std::nullopt : parse_digits(digits);
  if (!number || *number >= kMostCpus) return std::nullopt;
  name.number = static_cast<std::uint32_t>(*number);
  return name;
}

std::string to_string(const ControllerName& name) {
  const std::string kind(to_string(name.kind));
  return name.number ? kind + ":" + std::to_string(*name.number) : kind;
}

}  // namespace woa
