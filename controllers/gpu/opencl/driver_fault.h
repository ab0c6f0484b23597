// Finds what keeps an installed OpenCL driver from working: its folders, and variables of the environment.
#pragma once

#include <string>

#include "controllers/gpu/opencl/symbols.h"

namespace woa {

// The driver's own name, such as "Portable Computing Language".
std::string driver_name(const OpenCl& cl, cl_platform_id driver);

// Says why a driver fails, and what to do: PoCL needs a cache folder that it can write to and run code from. Tests that
// by writing there, as PoCL does. Ask before the driver's devices: it aborts the process in some cases, now or in a
// firing. Empty: no known reason.
std::string driver_fault(const OpenCl& cl, cl_platform_id driver);

// The driver of a device; null if it does not say.
cl_platform_id driver_of(const OpenCl& cl, cl_device_id device);

// Variables, with their values, that make the loader skip drivers, or drivers skip devices. Empty: none is set.
std::string hiding_variables();

}  // namespace woa
