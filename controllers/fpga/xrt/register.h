// The `xrt` back-end: rtl variants on cards that XRT drives.
#pragma once

#include "runtime/controller/backend.h"

namespace woa {

// probe: a device for each unit of the packet node, on the cards that XRT opens, if WOA_XCLBIN names a file for them.
// It opens the library, which may set XILINX_XRT: call it before threads start. make: configures the card with that
// file, and fails where another process uses it with another one.
BackendFactory xrt_factory();

}  // namespace woa
