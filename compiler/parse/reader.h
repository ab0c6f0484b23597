// Reads values out of a YAML tree. Every function reports what is wrong and then returns nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/yaml_tree.h"
#include "runtime/base/scalar.h"

namespace woa {

// A map with known keys. Reports unknown keys and a node that is no map when it is made.
class MapReader {
 public:
  // `what` names the map in messages ("a stage"). `node` must outlive the reader; null: an absent, empty map.
  // `unlisted`: known keys that no message offers, because their readers refuse them with messages of their own.
  MapReader(const YamlNode* node, std::string_view what, std::vector<std::string> keys, Report& report,
            const std::vector<std::string>& unlisted = {});

  [[nodiscard]] bool is_map() const noexcept { return map_ != nullptr; }
  // The value of a key, or null. An empty value (`key:`) counts as absent.
  [[nodiscard]] const YamlNode* get(std::string_view key) const;
  // get() that reports a missing key.
  [[nodiscard]] const YamlNode* need(std::string_view key, std::string_view hint) const;
  // True if a reported key, unknown or duplicate, may mean this one: values under it must not be reported as missing.
  [[nodiscard]] bool misspelt(std::string_view key) const;

 private:
  void refuse(const YamlNode& key, const std::vector<std::string>& keys);

  const YamlNode* map_ = nullptr;
  Place place_;
  std::string what_;
  std::vector<std::string> meant_;  // by reported key: the absent key that it is most like, or empty for any
  Report& report_;
};

// Reports and returns false unless `node` is of that kind. `what` names it in messages ("`stages`"), `hint` shows the
// form.
bool expect_map(const YamlNode& node, std::string_view what, std::string_view hint, Report& report);
bool expect_list(const YamlNode& node, std::string_view what, std::string_view hint, Report& report);

// Letter or underscore, then letters, digits, `_` and `-`, at most 64 of them.
bool is_name(std::string_view text) noexcept;
std::optional<std::string> read_name(const YamlNode& node, std::string_view what, Report& report);
// Any scalar without NUL, at most 64 KiB.
std::optional<std::string> read_text(const YamlNode& node, std::string_view what, Report& report);
std::optional<bool> read_bool(const YamlNode& node, std::string_view what, Report& report);
std::optional<std::uint64_t> read_integer(const YamlNode& node, std::string_view what, std::uint64_t min,
                                          std::uint64_t max, Report& report);
// A decimal number from 0 to `max`.
std::optional<double> read_number(const YamlNode& node, std::string_view what, double max, Report& report);
// A whole number (runtime/base/scalar.h); nothing, without a report, if it is none. In quotes only a sign and digits
// are one: a schema, which then sees a text, can check that.
std::optional<std::uint64_t> whole_number(const YamlNode& node) noexcept;
// A whole number directly followed by one of the units. `min` and `max` bound the product. `expected` goes into the
// message ("a time from `0ns` to `1min`").
std::optional<std::uint64_t> read_quantity(const YamlNode& node, std::string_view what, std::span<const Unit> units,
                                           std::uint64_t min, std::uint64_t max, std::string_view expected,
                                           Report& report);
// Bytes: a number, or one with B, KiB, MiB or GiB.
std::optional<std::uint64_t> read_size(const YamlNode& node, std::string_view what, Report& report);
// Nanoseconds: a number with ns, us, ms, s or min; more than 0.
std::optional<std::uint64_t> read_duration(const YamlNode& node, std::string_view what, Report& report);
// Parses a file whose root is a map, `what` and `hint` as for expect_map(), and has not the first key of another kind
// of file, such as `woa_machine` when `key` is `woa`.
std::optional<YamlNode> read_root(std::uint32_t source, std::string_view key, std::string_view what,
                                  std::string_view hint, Report& report);
// Checks the version under `key`, as in `woa: 1`.
void check_version(const MapReader& map, std::string_view key, Report& report);

}  // namespace woa
