// Compares what the card's node says of itself with what its xclbin says.
#pragma once

#include "controllers/fpga/xrt/node_unit.h"

namespace woa {

// Asks the open unit. kUnsupported: it has other cores or tables than the xclbin says; the message has both.
Status check_description(NodeUnit& unit);

}  // namespace woa
