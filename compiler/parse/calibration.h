// The part of a machine file that `woa calibrate` writes (docs/machine.md).
#pragma once

#include "compiler/compiler.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// The value of `calibration:`, as far as it could be read; what is wrong with it has been reported.
Calibration read_calibration(const YamlNode& node, Report& report);

}  // namespace woa
