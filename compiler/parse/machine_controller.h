// One controller of a machine file.
#pragma once

#include <optional>

#include "compiler/parse/machine.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// The value of `"gpu:0": {...}`; nothing, after a report, if the key names no controller. `cores`: the groups that the
// file declares.
std::optional<MachineController> read_controller(const YamlNode& key, const YamlNode& value, const CoreGroups& cores,
                                                 Report& report);

}  // namespace woa
