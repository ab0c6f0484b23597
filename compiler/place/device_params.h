// What a device can be given of a stage's parameters.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

// Reports parameters of type int that an OpenCL function cannot take, where a stage runs on a gpu: 32 bits hold those
// (docs/kernels.md). Once stages are placed.
void check_device_params(const Graph& graph, Report& report);

}  // namespace woa
