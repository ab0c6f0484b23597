#include "compiler/parse/port_type.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace woa {
namespace {

constexpr std::string_view kForm =
    "`bytes`, or ELEMENT[d0,d1,...] with 1 to 4 names, or numbers from 1 to 4294967295, such as "
    "`\"u8[height,width,3]\"`";

constexpr std::array<std::string_view, 11> kElements{"bytes", "u8",  "i8",  "u16", "i16", "u32",
                                                     "i32",   "u64", "i64", "f32", "f64"};

// Reports "`bite` is not the type of a port", and which element was most likely meant.
void report_bad_type(const YamlNode& node, Report& report) {
  const bool word = node.kind == YamlNode::Kind::kScalar;
  const std::string_view element = std::string_view(node.text).substr(0, node.text.find('['));
  const std::string dims = node.text.substr(element.size());
  std::string near, accepted;
  if (word && element_bytes(element) == 0) near = nearest(element, {kElements.begin(), kElements.end()});
  for (const std::string_view name : kElements) accepted += cat(" ", name);
  report.error(
      problem::kBadType, node.place, cat(word ? quote(node.text) : std::string("this"), " is not the type of a port"),
      cat(near.empty() ? "" : cat("did you mean ", quote(dims.empty() ? near : cat("\"", near, dims, "\"")), "? "),
          "write ", kForm, "; elements:", accepted, ". Quote a type that has brackets"));
}

// Parses one dimension: a name, or a number from 1.
std::optional<Dimension> parse_dimension(std::string_view text, const DimensionBounds& bounds) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  Dimension dim;
  if (is_name(text)) {
    dim.name = text;
    if (const auto bound = bounds.find(dim.name); bound != bounds.end()) dim.max = bound->second;
    return dim;
  }
  const auto size = parse_digits(text);
  if (!size || *size == 0 || *size > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  dim.size = static_cast<std::uint32_t>(*size);
  return dim;
}

// Parses the text of `type`; nothing if it is malformed.
std::optional<PortType> parse_type(std::string_view text, const DimensionBounds& bounds) {
  PortType type;
  const std::size_t open = text.find('[');
  type.element = text.substr(0, open);
  if (element_bytes(type.element) == 0 || (type.element == "bytes") != (open == std::string_view::npos))
    return std::nullopt;
  if (open == std::string_view::npos) return type;
  if (!text.ends_with(']')) return std::nullopt;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::optional<Dimension> dim = parse_dimension(rest.substr(0, comma), bounds);
    if (!dim || type.dims.size() == kMaxRank) return std::nullopt;
    type.dims.push_back(*dim);
    if (more) rest.remove_prefix(comma + 1);
  }
  return type;
}

// Bytes with every dimension at its largest; 0 if one has no bound.
std::uint64_t largest_bytes(const PortType& type) {
  std::uint64_t bytes = type.dims.empty() ? 0 : element_bytes(type.element);
  for (const Dimension& dim : type.dims) {
    const std::uint64_t extent = dim.size != 0 ? dim.size : dim.max;
    if (extent == 0) return 0;
    bytes = bytes > kMaxPortBytes / extent ? kMaxPortBytes + 1 : bytes * extent;
  }
  return bytes;
}

}  // namespace

std::optional<PortType> read_port_type(const MapReader& port, const DimensionBounds& bounds, Report& report) {
  const YamlNode* text = port.need("type", "type: bytes");
  const YamlNode* max = port.get("max");
  const std::optional<std::uint64_t> bound = max == nullptr ? 0 : read_size(*max, "`max`", report);  // 0: none
  if (max != nullptr && bound == 0U) {
    report.error(problem::kBadValue, max->place, "`max` is 0: no token would fit", "write a size of at least 1");
  }
  std::optional<PortType> type;
  if (text != nullptr && text->kind == YamlNode::Kind::kScalar) type = parse_type(text->text, bounds);
  if (text != nullptr && !type) report_bad_type(*text, report);
  if (!type || !bound || (max != nullptr && bound == 0U)) return std::nullopt;
  const std::uint64_t largest = largest_bytes(*type);
  type->max_bytes = *bound == 0 ? largest : *bound;
  const bool fixed = !type->dims.empty() && type->variable_dims() == 0;
  if (fixed && largest <= kMaxPortBytes && *bound != 0 && *bound < largest) {
    report.error(problem::kBadType, max->place,
                 cat(quote(text->text), " has ", largest, " bytes, more than its bound of ", *bound),
                 "leave `max` out, or give smaller dimensions");
    return std::nullopt;
  }
  if (type->max_bytes > kMaxPortBytes || (fixed && largest > kMaxPortBytes)) {
    const bool by_max = *bound > kMaxPortBytes;
    report.error(
        problem::kBadType, (by_max ? max : text)->place,
        by_max ? "the bound of a port is over 64 GiB" : "with all dimensions at their largest this is over 64 GiB",
        by_max  ? "write at most `64GiB`"
        : fixed ? "give smaller dimensions"
                : "give a `max`, or smaller dimensions");
    return std::nullopt;
  }
  if (fixed) type->max_bytes = largest;
  return type;
}

void check_dimensions(const YamlNode* dims, const std::vector<PortType>& types, Report& report) {
  const auto unreadable = [](const PortType& type) { return type.element.empty(); };
  if (dims == nullptr || dims->kind != YamlNode::Kind::kMap || std::ranges::any_of(types, unreadable)) return;
  std::vector<std::string> known;
  for (const PortType& type : types)
    for (const Dimension& dim : type.dims)
      if (!dim.name.empty() && std::ranges::find(known, dim.name) == known.end()) known.push_back(dim.name);
  for (const YamlNode& key : dims->keys) {
    if (!is_name(key.text) || std::ranges::find(known, key.text) != known.end()) continue;
    report.error(
        problem::kUnknownDimension, key.place,
        cat("`dims` bounds ", quote(key.text), ", which is no dimension of a type here"),
        known.empty() ? "remove it: no type here has named dimensions" : suggest(key.text, known, "dimensions"));
  }
}

DimensionBounds read_dimension_bounds(const YamlNode* dims, Report& report) {
  DimensionBounds bounds;
  if (dims == nullptr || !expect_map(*dims, "`dims`", "`{channels: {max: 4}}`", report)) return bounds;
  for (std::size_t i = 0; i < dims->keys.size(); ++i) {
    const std::optional<std::string> name = read_name(dims->keys[i], "the name of a dimension", report);
    const MapReader dim(&dims->items[i], "a dimension", {"max"}, report);
    const YamlNode* max = dim.need("max", "max: 4");
    if (max == nullptr) continue;
    const auto extent = read_integer(*max, "`max`", 1, std::numeric_limits<std::uint32_t>::max(), report);
    if (name && extent) bounds[*name] = static_cast<std::uint32_t>(*extent);
  }
  return bounds;
}

}  // namespace woa
