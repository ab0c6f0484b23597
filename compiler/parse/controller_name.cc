#include "compiler/parse/controller_name.h"

#include "runtime/base/scalar.h"

namespace woa {
namespace {

constexpr std::uint64_t kMaxControllerNumber = 1023;

}  // namespace

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
  if (!number || *number > kMaxControllerNumber) return std::nullopt;
  name.number = static_cast<std::uint32_t>(*number);
  return name;
}

std::string to_string(const ControllerName& name) {
  const std::string kind(to_string(name.kind));
  return name.number ? kind + ":" + std::to_string(*name.number) : kind;
}

}  // namespace woa
