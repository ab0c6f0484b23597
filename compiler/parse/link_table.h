// Links between controllers: what it costs to send from one to another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/parse/controller_name.h"

namespace woa {

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

}  // namespace woa
