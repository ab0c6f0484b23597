// Functions of Python as kernels of the program (woa_kernel_register()).
#pragma once

#include <nanobind/nanobind.h>

#include <thread>

namespace woa::python {

// The thread that drives the run whose kernel this thread runs; none outside of kernels.
inline thread_local std::thread::id firing_driver;

void bind_kernels(nanobind::module_& module);

}  // namespace woa::python
