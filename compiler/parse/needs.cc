#include "compiler/parse/needs.h"

#include <utility>

namespace woa {

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
