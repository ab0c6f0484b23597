// YAML text as a tree; every value has its line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/options.h"

namespace woa {

struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Place place;
  std::string text;             // scalar
  std::vector<YamlNode> keys;   // map: scalars, no two alike
  std::vector<YamlNode> items;  // list: elements; map: values, by the position of their key
  bool dropped = false;         // map: a duplicate key was reported and left out
  bool plain = true;            // scalar: without quotes
};

inline constexpr std::size_t kMaxYamlDepth = 16;

// The one document of a source; nothing after reporting why it cannot be read. Duplicate keys are reported and left
// out. Time and memory are linear in the text, of at most kMaxYamlBytes.
std::optional<YamlNode> parse_yaml(std::uint32_t source, Report& report);

}  // namespace woa
