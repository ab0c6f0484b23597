// A machine file (docs/machine.md): controllers, the links between them, and a calibration.
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

// Nothing, after a report, if the source is not a machine file. One that lists no controllers has those of
// default_machine(cpus).
std::optional<Machine> read_machine(std::uint32_t source, Report& report, std::uint32_t cpus = 1);

// The groups of cores that a file declares, and the places that name others.
struct CoreUses {
  const CoreGroups& declared;
  std::map<std::string, std::vector<Place>> unknown;
};
// Reports each unknown name once.
void report_unknown_cores(const CoreUses& cores, Report& report);

// The value of `"gpu:0": {...}`; nothing, after a report, if the key names no controller.
std::optional<MachineController> read_controller(const YamlNode& key, const YamlNode& value, CoreUses& cores,
                                                 Report& report);

}  // namespace woa
