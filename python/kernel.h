// Functions of Python as kernels of the program (woa_kernel_register()).
#pragma once

#include <nanobind/nanobind.h>

namespace woa::python {

void bind_kernels(nanobind::module_& module);

}  // namespace woa::python
