// woa bench fpga: what a link that stays on the card saves.
#pragma once

#include "tools/woa/commands.h"

namespace woa::tools {

void add_fpga(CLI::App& parent, Action& action);

}  // namespace woa::tools
