#include "compiler/parse/reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace woa {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxTextBytes = 64U << 10;

constexpr std::uint64_t kMostQuantity = std::numeric_limits<std::int64_t>::max();  // like parse_quantity()

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull: return "nothing";
    case YamlNode::Kind::kScalar: return "a single value";
    case YamlNode::Kind::kList: return "a list";
    case YamlNode::Kind::kMap: return "a map";
  }
  return "something else";
}

bool expect(YamlNode::Kind kind, std::string_view kind_text, const YamlNode& node, std::string_view what,
            std::string_view hint, Report& report) {
  if (node.kind == kind) return true;
  report.error(problem::kWrongShape, node.place, cat(what, " must be ", kind_text, ", but here is ", kind_name(node)),
               cat("write it as ", hint));
  return false;
}

bool expect_scalar(const YamlNode& node, std::string_view what, Report& report) {
  if (node.kind == YamlNode::Kind::kScalar) return true;
  report.error(problem::kWrongShape, node.place, cat(what, " must be a single value, but here is ", kind_name(node)),
               "write one value, without brackets and braces");
  return false;
}

// The unit that begins most like `text`, such as `MiB` for `MB`; empty if none does.
std::string_view nearest_unit(std::string_view text, const auto& units) {
  const auto alike = [](char a, char b) { return (a | 0x20) == (b | 0x20); };  // ignores the case of letters
  std::size_t best = 0;
  std::string_view found;
  for (const Unit& unit : units) {
    const auto end = std::mismatch(text.begin(), text.end(), unit.name.begin(), unit.name.end(), alike).first;
    const auto common = static_cast<std::size_t>(end - text.begin());
    if (common > best) found = unit.name;
    best = std::max(best, common);
  }
  return found;
}

void bad_value(const YamlNode& node, std::string_view what, std::string_view expected, Report& report) {
  report.error(problem::kBadValue, node.place, cat(what, " is ", quote(node.text), ", expected ", expected),
               cat("write ", expected));
}

}  // namespace

MapReader::MapReader(const YamlNode* node, std::string_view what, std::vector<std::string> keys, Report& report,
                     const std::vector<std::string>& unlisted)
    : what_(what), report_(report) {
  if (node == nullptr || node->kind == YamlNode::Kind::kNull) return;
  place_ = node->place;
  if (node->kind != YamlNode::Kind::kMap) {
    (void)expect_map(*node, what, cat("`{KEY: VALUE, ...}`; accepted keys: ", quote_list(keys)), report);
    return;
  }
  map_ = node;
  for (const YamlNode& key : node->keys) {
    if (std::ranges::find(keys, key.text) == keys.end() && std::ranges::find(unlisted, key.text) == unlisted.end())
      refuse(key, keys);
  }
  if (node->dropped) meant_.emplace_back();
}

void MapReader::refuse(const YamlNode& key, const std::vector<std::string>& keys) {
  std::vector<std::string> absent;
  std::ranges::copy_if(keys, std::back_inserter(absent), [&](const std::string& k) { return get(k) == nullptr; });
  const std::size_t colon = key.text.find(':');
  const std::string before = key.text.substr(0, colon);
  std::string meant = nearest(key.text, absent);
  const std::string question = meant.empty() ? "" : cat("did you mean ", quote(meant), "? ");
  std::string fix = cat(question, "accepted keys: ", quote_list(keys));
  if (colon != std::string::npos && std::find(keys.begin(), keys.end(), before) != keys.end()) {
    meant = before;
    fix = cat("a blank must follow the colon: write ", quote(cat(before, ": ", key.text.substr(colon + 1))));
  } else if (key.text == "<<") {
    fix = "merge keys are not part of this language: write the keys out";
  }
  meant_.push_back(std::move(meant));
  report_.error(problem::kUnknownKey, key.place, cat("unknown key ", quote(key.text), " in ", what_), std::move(fix));
}

bool MapReader::misspelt(std::string_view key) const {
  return std::any_of(meant_.begin(), meant_.end(), [&](const std::string& m) { return m == key || m.empty(); });
}

const YamlNode* MapReader::get(std::string_view key) const {
  if (map_ == nullptr) return nullptr;
  for (std::size_t i = 0; i < map_->keys.size(); ++i) {
    if (map_->keys[i].text != key) continue;
    return map_->items[i].kind == YamlNode::Kind::kNull ? nullptr : &map_->items[i];
  }
  return nullptr;
}

const YamlNode* MapReader::need(std::string_view key, std::string_view hint) const {
  const YamlNode* value = get(key);
  if (value != nullptr || map_ == nullptr || misspelt(key)) return value;
  const auto written = std::ranges::find(map_->keys, key, &YamlNode::text);
  if (written != map_->keys.end()) {
    report_.error(problem::kMissingKey, written->place, cat(quote(key), " of ", what_, " has no value"),
                  cat("write ", quote(hint)));
  } else {
    report_.error(problem::kMissingKey, place_, cat(what_, " has no ", quote(key)), cat("add ", quote(hint)));
  }
  return value;
}

bool expect_map(const YamlNode& node, std::string_view what, std::string_view hint, Report& report) {
  return expect(YamlNode::Kind::kMap, "a map", node, what, hint, report);
}

bool expect_list(const YamlNode& node, std::string_view what, std::string_view hint, Report& report) {
  return expect(YamlNode::Kind::kList, "a list", node, what, hint, report);
}

bool is_name(std::string_view text) noexcept {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= kMaxNameBytes && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), inner);
}

std::optional<std::string> read_name(const YamlNode& node, std::string_view what, Report& report) {
  if (!expect_scalar(node, what, report)) return std::nullopt;
  if (is_name(node.text)) return node.text;
  report.error(problem::kBadName, node.place, cat(quote(node.text), " cannot be ", what),
               "a name is a letter or `_`, then letters, digits, `_` and `-`, at most 64 in all");
  return std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, std::string_view what, Report& report) {
  if (!expect_scalar(node, what, report)) return std::nullopt;
  if (node.text.size() <= kMaxTextBytes && node.text.find('\0') == std::string::npos) return node.text;
  bad_value(node, what, "text of at most 64 KiB without zero bytes", report);
  return std::nullopt;
}

std::optional<bool> read_bool(const YamlNode& node, std::string_view what, Report& report) {
  if (!expect_scalar(node, what, report)) return std::nullopt;
  if (const std::optional<bool> truth = parse_bool(node.text)) return truth;
  bad_value(node, what, "`true` or `false`", report);
  return std::nullopt;
}

std::optional<std::uint64_t> whole_number(const YamlNode& node) noexcept {
  const std::string_view text = node.text;
  return node.plain || is_in_digits(text) ? parse_whole(text) : std::nullopt;
}

std::optional<std::uint64_t> read_integer(const YamlNode& node, std::string_view what, std::uint64_t min,
                                          std::uint64_t max, Report& report) {
  if (!expect_scalar(node, what, report)) return std::nullopt;
  const std::optional<std::uint64_t> number = whole_number(node);
  if (number && *number >= min && *number <= max) return number;
  bad_value(node, what, cat("a whole number from ", min, " to ", max), report);
  return std::nullopt;
}

std::optional<double> read_number(const YamlNode& node, std::string_view what, double max, Report& report) {
  if (!expect_scalar(node, what, report)) return std::nullopt;
  const std::optional<double> number = parse_decimal(node.text);
  if (number && *number >= 0 && *number <= max) return number;
  bad_value(node, what, cat("a number from 0 to ", static_cast<std::uint64_t>(max)), report);
  return std::nullopt;
}

std::optional<std::uint64_t> read_quantity(const YamlNode& node, std::string_view what, std::span<const Unit> units,
                                           std::uint64_t min, std::uint64_t max, std::string_view expected,
                                           Report& report) {
  if (!expect_scalar(node, what, report)) return std::nullopt;
  const std::string_view text = node.text;
  std::optional<Quantity> quantity = parse_quantity(text, units);
  if (parse_whole(text) && !whole_number(node)) quantity.reset();
  if (quantity && !quantity->fits) {
    report.error(problem::kBadValue, node.place, cat(what, " is ", quote(text), ", more than 63 bits hold"),
                 cat("write ", expected));
    return std::nullopt;
  }
  if (quantity && quantity->value >= min && quantity->value <= max) return quantity->value;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view suffix = text.substr(digits);
  const std::size_t blank = std::min(suffix.find_first_not_of(' '), suffix.size());
  const std::string_view near =
      digits > 0 && !quantity ? nearest_unit(suffix.substr(blank), units) : std::string_view();
  const std::string meant = near.empty() ? "" : cat("did you mean `", text.substr(0, digits), near, "`? ");
  report.error(problem::kBadValue, node.place, cat(what, " is ", quote(text), ", expected ", expected),
               cat(meant, "write ", expected));
  return std::nullopt;
}

std::optional<std::uint64_t> read_size(const YamlNode& node, std::string_view what, Report& report) {
  return read_quantity(node, what, kSizeUnits, 0, kMostQuantity,
                       "a size in bytes, KiB, MiB or GiB, such as `512`, `64KiB` or `16MiB`", report);
}

std::optional<std::uint64_t> read_duration(const YamlNode& node, std::string_view what, Report& report) {
  constexpr std::string_view kForm = "a time such as `500ms`, `20us`, `2s` or `1min`";
  const auto time = read_quantity(node, what, kTimeUnits, 0, kMostQuantity, kForm, report);
  if (time && *time > 0) return time;
  if (time == 0U) bad_value(node, what, "a time above 0", report);
  return std::nullopt;
}

namespace {

bool expect_kind(const YamlNode& root, std::string_view key, Report& report) {
  struct Kind {
    std::string_view key, name, fix;
  };
  static constexpr std::array<Kind, 4> kKinds{
      {{"woa", "a graph", "graphs are given to `woa check`, `woa compile` and `woa run`"},
       {"woa_kernel", "a kernel.yaml", "name it under `kernels` of a graph"},
       {"woa_machine", "a machine file", "give it by `--machine`"},
       {"woa_profile", "a profile", "give it by `--profile`"}}};
  const YamlNode* mark = nullptr;
  const Kind *found = nullptr, *wanted = nullptr;
  for (const Kind& kind : kKinds) {
    const auto at = std::find_if(root.keys.begin(), root.keys.end(), [&](const auto& k) { return k.text == kind.key; });
    if (kind.key == key) wanted = &kind;
    if (at == root.keys.end()) continue;
    if (kind.key == key) return true;
    mark = &*at;
    found = &kind;
  }
  if (found == nullptr || wanted == nullptr) return true;
  report.error(problem::kWrongFile, mark->place, cat("this is ", found->name, ", expected ", wanted->name),
               std::string(found->fix));
  return false;
}

}  // namespace

std::optional<YamlNode> read_root(std::uint32_t source, std::string_view key, std::string_view what,
                                  std::string_view hint, Report& report) {
  auto root = parse_yaml(source, report);
  if (root && !(expect_map(*root, what, hint, report) && expect_kind(*root, key, report))) root.reset();
  return root;
}

void check_version(const MapReader& map, std::string_view key, Report& report) {
  const YamlNode* version = map.need(key, cat(key, ": 1"));
  if (version == nullptr || !expect_scalar(*version, quote(key), report) || whole_number(*version) == 1U) return;
  report.error(problem::kWrongVersion, version->place,
               cat(quote(key), " is ", quote(version->text), ", but this program reads version 1 only"),
               cat("write `", key, ": 1`, or use the program that the file was written for"));
}

}  // namespace woa
