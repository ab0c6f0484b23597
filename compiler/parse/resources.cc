#include "compiler/parse/resources.h"

#include <algorithm>
#include <utility>

namespace woa {
std::vector<std::string> with_resource_names(std::vector<std::string> keys) {
  keys.insert(keys.end(), kResourceNames.begin(), kResourceNames.end());
  return keys;
}

Resources read_resources(const MapReader& map, Report& report) {
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  Resources out;
  for (const std::string_view name : kResourceNames) {
    const YamlNode* node = map.get(name);
    if (node == nullptr) continue;
    const auto value =
        name == "memory" ? read_size(*node, quote(name), report) : read_integer(*node, quote(name), 0, kMost, report);
    if (value) out.emplace(name, *value);
  }
  return out;
}

Resources read_resource_use(const YamlNode& node, Report& report) {
  if (!expect_map(node, "`resources`", "`{luts: 1200, brams: 4}`", report)) return {};
  return read_resources(MapReader(&node, "`resources`", with_resource_names({}), report), report);
}

ResourceUse read_variant_use(const YamlNode& node, bool is_rtl, Report& report) {
  const auto is_family = [](const YamlNode& key) { return std::ranges::find(kFamilies, key.text) != kFamilies.end(); };
  if (!is_rtl || node.kind != YamlNode::Kind::kMap || std::ranges::none_of(node.keys, is_family))
    return {{"", read_resource_use(node, report)}};
  const MapReader map(&node, "`resources`", {kFamilies.begin(), kFamilies.end()}, report);
  ResourceUse out;
  for (const std::string_view family : kFamilies)
    if (const YamlNode* use = map.get(family)) out.emplace(family, read_resource_use(*use, report));
  return out;
}

Resources use_on(const ResourceUse& use, std::string_view family) {
  if (const auto found = use.find(family); found != use.end()) return found->second;
  Resources largest;
  for (const auto& [any, amounts] : use)
    for (const auto& [name, amount] : amounts) largest[name] = std::max(largest[name], amount);
  return largest;
}

std::vector<NeedUse> read_needs(const YamlNode* node, Report& report) {
  std::vector<NeedUse> needs;
  if (node == nullptr || !expect_list(*node, "`needs`", "`[syscalls]`", report)) return needs;
  for (const YamlNode& item : node->items) {
    if (auto name = read_name(item, "the name of a capability", report))
      needs.push_back({std::move(*name), item.place});
  }
  return needs;
}

}  // namespace woa
