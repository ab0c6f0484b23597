// A machine file (docs/machine.md): the controllers that there are, the links between them, and what was measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/machine.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// Nothing, after a report, if the source is not a machine file.
std::optional<Machine> read_machine(std::uint32_t source, Report& report);

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
