// The part of a machine file that `woa calibrate` writes (docs/machine.md).
#pragma once

#include "compiler/parse/machine.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// The value of `calibration:`, as far as it could be read: Machine::calibration and Machine::measured. What is wrong
// with it has been reported.
void read_calibration(const YamlNode& node, Machine& machine, Report& report);

}  // namespace woa
