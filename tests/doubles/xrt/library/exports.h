// The functions that the library exports: those of xrt_api.h, and the name that tells it from XRT's.
#pragma once

#include "controllers/fpga/xrt/xrt_api.h"

#define WOA_EXPORT extern "C" __attribute__((visibility("default")))

namespace woa::xrt {
#define WOA_DECLARE(member, symbol, result, parameters) WOA_EXPORT result symbol parameters;
WOA_XRT_FUNCTIONS(WOA_DECLARE)
#undef WOA_DECLARE
}  // namespace woa::xrt

WOA_EXPORT const char woa_xrt_double[];
