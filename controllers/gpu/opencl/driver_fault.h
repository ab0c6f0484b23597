// Finds what keeps an installed OpenCL driver from working: its folders, and variables of the environment.
#pragma once

#include <string>

#include "controllers/gpu/opencl/symbols.h"

namespace woa {

// The driver's own name, such as "Portable Computing Language".
std::string driver_name(const OpenCl& cl, cl_platform_id driver);

// Says what hinders a driver that failed, and what to do: PoCL needs a cache folder that can be written. Looks by
// writing there, as PoCL does. Empty: nothing is known to hinder it.
std::string driver_fault(const OpenCl& cl, cl_platform_id driver);

// The driver of a device; null if it does not say.
cl_platform_id driver_of(const OpenCl& cl, cl_device_id device);

// Variables by which the loader leaves drivers out, or drivers devices, with their values. Empty: none is set.
std::string hiding_variables();

}  // namespace woa
