// Functions of Python as kernels of the program (woa_kernel_register()).
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <thread>

namespace woa::python {

// The thread that drives the run whose kernel this thread runs; none outside of kernels.
inline thread_local std::thread::id firing_driver;

// The exception that a kernel of this thread's run threw in an instance, once; none if it threw none, or if arrays of
// the firing hang on it.
nanobind::object take_exception(std::uint64_t instance);
// Those of a run that has ended. Arrays that its kernels kept own its memory from now on, so that Python can still read
// them.
void forget_firings(std::thread::id driver, const std::shared_ptr<const void>& memory);

void bind_kernels(nanobind::module_& module);

}  // namespace woa::python
