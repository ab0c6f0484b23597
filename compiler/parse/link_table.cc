#include "compiler/parse/link_table.h"

#include <initializer_list>

namespace woa {
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

// `gpu:0 -> fpga` and `gpu -> fpga:1` are both for gpu:0 -> fpga:1. The host is its kind: there it stands at one end.
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

}  // namespace woa
