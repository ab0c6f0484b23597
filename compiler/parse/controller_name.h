// Names of controllers as files write them: `cpu:1`, a kind alone, or `host`.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
// Nothing if `text` is neither KIND nor KIND:N with N up to 1023. `host` has no number.
std::optional<ControllerName> parse_controller(std::string_view text);
std::string to_string(const ControllerName& name);

}  // namespace woa
