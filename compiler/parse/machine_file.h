// A machine file (docs/machine.md): the controllers that there are, the links between them, and what was measured.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/parse/machine.h"
#include "compiler/report.h"

namespace woa {

// Nothing, after a report, if the source is not a machine file.
std::optional<Machine> read_machine(std::uint32_t source, Report& report);

}  // namespace woa
