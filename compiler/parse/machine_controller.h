// One controller of a machine file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/parse/machine.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// Groups of cores that a file declares, and where others are named.
struct CoreUses {
  const CoreGroups& declared;
  std::map<std::string, std::vector<Place>> unknown;
};
// Once for each name.
void report_unknown_cores(const CoreUses& cores, Report& report);

// The value of `"gpu:0": {...}`; nothing, after a report, if the key names no controller.
std::optional<MachineController> read_controller(const YamlNode& key, const YamlNode& value, CoreUses& cores,
                                                 Report& report);

}  // namespace woa
