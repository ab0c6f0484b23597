// A machine as the compiler sees it: controllers, their resources, and the cost of sending between them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/descriptions.h"
#include "runtime/plan/plan.h"

namespace woa {

// A controller's name, parsed: `cpu:1`, or a kind alone.
struct ControllerName {
  ControllerKind kind = ControllerKind::kCpu;
  std::optional<std::uint32_t> number;
  // True for one controller: the host, or a name with a number.
  [[nodiscard]] bool exact() const noexcept { return number.has_value() || kind == ControllerKind::kHost; }
  auto operator<=>(const ControllerName&) const = default;
};
inline constexpr ControllerName kHostEnd{ControllerKind::kHost, std::nullopt};  // of a link
// Nothing if `text` is neither KIND nor KIND:N with N up to 1023. `host` has no number.
std::optional<ControllerName> parse_controller(std::string_view text);
std::string to_string(const ControllerName& name);

struct LinkCost {                // of one direction between two controllers
  std::uint64_t latency_ps = 0;  // one way, of a packet without payload
  std::uint64_t ps_per_kib = 0;  // of 1024 bytes of payload
  bool direct = true;            // false: bounced through the host
  bool operator==(const LinkCost&) const = default;
};
LinkCost operator+(const LinkCost& a, const LinkCost& b) noexcept;  // one after the other, by way of the host

struct ControllerCost {          // what a controller adds to the kernels that it runs
  std::uint64_t firing_ps = 0;   // a firing: matching, claims, and tokens to readers on the controller itself
  std::uint64_t message_ps = 0;  // a message, of its sender, and as much of its receiver
  bool operator==(const ControllerCost&) const = default;
};

// The rule for one direction of a link: its cost, or nothing if it leads through the host.
using LinkRule = std::optional<LinkCost>;

// Rules for pairs of controllers. An end is a controller, or a kind, which stands for all its controllers. A rule
// between two controllers wins over one that names a kind, which wins over one between two kinds.
class LinkTable {
 public:
  enum class Added : std::uint8_t {
    kNew,
    kTwice,      // there is a rule with these ends
    kAmbiguous,  // one that names as many controllers applies to the same pair
  };
  // Adds one direction. Changes nothing unless kNew.
  Added add(const ControllerName& from, const ControllerName& to, const LinkRule& rule);
  // The rule for two different controllers (the host, or with a number), or null.
  [[nodiscard]] const LinkRule* find(const ControllerName& from, const ControllerName& to) const;
  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }

 private:
  using Ends = std::pair<ControllerName, ControllerName>;
  [[nodiscard]] bool ambiguous(const Ends& ends) const;
  std::map<Ends, LinkRule> rules_;
  // Controllers in rules that name one at a single end, left or right, by the kinds of both ends.
  struct Half {
    std::set<ControllerName> left, right;
  };
  std::map<std::pair<ControllerKind, ControllerKind>, Half> half_;
};

// By name: `memory` (bytes), `sms`, `luts`, `ffs`, `brams`, `dsps`. A missing one means no known limit for a
// controller, no use by a kernel.
using Resources = std::map<std::string, std::uint64_t>;

// The use of a kernel's variant, by family of fpgas; "" is for every controller.
using ResourceUse = std::map<std::string, Resources, std::less<>>;
// The use of an fpga of `family`, or of another controller; where there is none of that family, the largest of each
// resource.
Resources use_on(const ResourceUse& use, std::string_view family);

// Numbers of processor cores, by the name of their group.
using CoreGroups = std::map<std::string, std::uint64_t>;
// The group of the cpu controllers that no machine file lists, and of those whose shared cores a calibration measured.
inline constexpr std::string_view kSharedCores = "processor";

struct MachineController {
  ControllerPlan plan;
  std::vector<std::string> capabilities;  // what stages may need of it
  Resources resources;
  std::optional<std::uint64_t> price, power;  // price: in whatever unit the file uses; power: milliwatts
  std::string cores;                          // group of processor cores that it shares; empty: its own
  std::optional<std::uint64_t> clock_hz;      // of a device that counts cycles; absent: the kernel variant's clock
  Place place = {};                           // of its name in the machine file; line 0: not in the file
  std::optional<std::uint64_t> firing_ps = std::nullopt, message_ps = std::nullopt;  // ControllerCost, as written
  std::string family = {};                                                           // of an fpga; empty: not stated
};

// The origin of a link's cost.
enum class LinkOrigin : std::uint8_t {
  kWithin,    // both ends are one controller
  kWritten,   // `links` of the machine file
  kDefault,   // its `default_link`
  kMeasured,  // `woa calibrate`
  kAssumed,   // none of these: assumed_link()
};
std::string_view to_string(LinkOrigin origin) noexcept;  // "measured"

struct Machine {
  std::vector<MachineController> controllers;  // in the order of the file
  bool open = false;                           // any controller that a graph names exists
  std::uint32_t processors = 1;                // workers of a cpu controller that has all
  std::optional<Calibration> calibration = std::nullopt;
  CoreGroups cores = {};
  std::map<ControllerKind, std::string> cores_of_kind =
      {};  // group of the controllers that a graph names beyond the machine file's
  bool links_written =
      false;             // the file has `links`, even an empty list, or `default_link`: links that it lacks are absent
  LinkTable links = {};  // as written
  std::optional<LinkCost> default_link = std::nullopt;
  std::map<std::string, LinkTable> measured = {};                                       // by transport
  std::map<std::string, std::map<ControllerKind, ControllerCost>> measured_costs = {};  // by transport
  std::map<std::string, std::uint64_t> wake_ps = {};  // by transport: CostTable::wake_ps
  std::string transport = "shm";                      // that edges between controllers take; selects the measurements

  // The controller of that name, or null.
  [[nodiscard]] const MachineController* find(std::string_view name) const;
  // Cost of sending from one controller to another; names as in a plan, including `host`. Zero within one controller. A
  // pair without a rule goes through the host if both have a link with it. Every pair has a cost.
  [[nodiscard]] LinkCost link(std::string_view from, std::string_view to) const;
  // True if packets get to it from the host, and from it to the host. All do if links are open, there is a default
  // link, or the controllers are open.
  struct Reach {
    bool to = true, from = true;
  };
  [[nodiscard]] Reach reach(std::string_view name) const;
  // The costs that the controller adds, as written or else as measured for its kind; 0 if neither.
  [[nodiscard]] ControllerCost cost(const MachineController& controller) const;
  // CostTable::wake_ps of the transport; 0 if not measured.
  [[nodiscard]] std::uint64_t wake() const;
  // The origin of link(); of a link through the host, that of its less certain half.
  [[nodiscard]] LinkOrigin link_origin(std::string_view from, std::string_view to) const;
};

// The machine without a file: `cpus` cpu controllers from cpu:0 on, gpu:0, fpga:0, and any other that a graph names.
// Only a run shows if such a device exists.
Machine default_machine(std::uint32_t cpus = 1);
// A controller that no machine file lists, with the defaults of its kind. A cpu controller has all workers, and shares
// the processors with the others (kSharedCores).
MachineController default_controller(ControllerKind kind, std::uint32_t number);
// The assumed cost of a link without rule or measurement (docs/machine.md).
LinkCost assumed_link(ControllerKind from, ControllerKind to) noexcept;

}  // namespace woa
