// A machine as the compiler sees it: controllers, what they have, and what it costs to send from one to another.
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

// A controller's name, taken apart: `cpu:1`, or a kind alone.
struct ControllerName {
  ControllerKind kind = ControllerKind::kCpu;
  std::optional<std::uint32_t> number;
  // One controller: the host, or with a number.
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

// What is known of one direction of a link: its cost, or (nothing) that it leads through the host.
using LinkRule = std::optional<LinkCost>;

// Rules for pairs of controllers. An end is a controller, or a kind, which stands for every controller of it. A rule
// between two controllers goes before one that names a kind, which goes before one between two kinds.
class LinkTable {
 public:
  enum class Added : std::uint8_t {
    kNew,
    kTwice,      // there is a rule with these ends
    kAmbiguous,  // there is one that names as many controllers, and both are for some pair
  };
  // One direction. Nothing is changed unless kNew.
  Added add(const ControllerName& from, const ControllerName& to, const LinkRule& rule);
  // The rule for two different controllers (the host, or with a number), or null.
  [[nodiscard]] const LinkRule* find(const ControllerName& from, const ControllerName& to) const;
  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }

 private:
  using Ends = std::pair<ControllerName, ControllerName>;
  [[nodiscard]] bool ambiguous(const Ends& ends) const;
  std::map<Ends, LinkRule> rules_;
  // Of rules that name a controller at one end only: which, at the left and at the right end, by the kinds of both.
  struct Half {
    std::set<ControllerName> left, right;
  };
  std::map<std::pair<ControllerKind, ControllerKind>, Half> half_;
};

// By name: `memory` (bytes), `luts`, `ffs`, `brams`, `dsps`. One that is missing was not said: a controller has no
// known limit of it, a kernel takes none.
using Resources = std::map<std::string, std::uint64_t>;

// Groups of processor cores by name, and how many each has.
using CoreGroups = std::map<std::string, std::uint64_t>;

struct MachineController {
  ControllerPlan plan;
  std::vector<std::string> capabilities;  // what stages may need of it
  Resources resources;
  std::optional<std::uint64_t> price, power;  // price: in whatever unit the file uses; power: milliwatts
  std::string cores;                          // group of processor cores that it shares; empty: its own
  std::optional<std::uint64_t> clock_hz;      // of a device that counts cycles; absent: that of the kernel's variant
  Place place = {};                           // of its name in the machine file; line 0: it is in none
};

// Where the cost of a link comes from.
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
  std::optional<Calibration> calibration = std::nullopt;
  CoreGroups cores = {};
  std::map<ControllerKind, std::string> cores_of_kind =
      {};  // group of controllers that a graph names beside the file's
  bool links_written =
      false;             // the file has `links`, be it an empty list, or `default_link`: what it has not is not open
  LinkTable links = {};  // as written
  std::optional<LinkCost> default_link = std::nullopt;
  std::map<std::string, LinkTable> measured = {};     // by transport
  std::map<std::string, std::uint64_t> wake_ps = {};  // by transport: CostTable::wake_ps
  std::string transport = "shm";                      // that edges between controllers take: whose measurement holds

  // The controller of that name, or null.
  [[nodiscard]] const MachineController* find(std::string_view name) const;
  // Cost of sending from one controller to another; names as in a plan, `host` included. Within one: nothing. A pair
  // without a rule of its own goes through the host where both have a link with it. Every pair has a cost.
  [[nodiscard]] LinkCost link(std::string_view from, std::string_view to) const;
  // Whether packets get to it from the host and back. A machine whose links are open, or that has a default, or that
  // leaves open which controllers there are, has a link for every pair.
  struct Reach {
    bool to = true, from = true;
  };
  [[nodiscard]] Reach reach(std::string_view name) const;
  // Of the transport; 0 where it was not measured.
  [[nodiscard]] std::uint64_t wake() const;
  // Of a link through the host: the less certain of its halves.
  [[nodiscard]] LinkOrigin link_origin(std::string_view from, std::string_view to) const;
};

// Without a machine file: cpu:0, cpu:1, gpu:0, fpga:0, and whatever else a graph names. Whether there is such a device
// shows when the plan is run.
Machine default_machine();
// One more controller with the defaults of its kind.
MachineController default_controller(ControllerKind kind, std::uint32_t number);
// What is taken for a link of which nothing is known (docs/machine.md).
LinkCost assumed_link(ControllerKind from, ControllerKind to) noexcept;

}  // namespace woa
