// The OpenCL loader library, loaded at first use, so that one binary runs with and without it.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string_view>
#include <type_traits>

#include "runtime/base/status.h"

namespace woa {

// Every function that is used. All belong to OpenCL 1.2 or older.
#define WOA_OPENCL_SYMBOLS(X)    \
  X(clGetPlatformIDs)            \
  X(clGetPlatformInfo)           \
  X(clGetDeviceIDs)              \
  X(clGetDeviceInfo)             \
  X(clCreateContext)             \
  X(clReleaseContext)            \
  X(clCreateCommandQueue)        \
  X(clReleaseCommandQueue)       \
  X(clCreateProgramWithSource)   \
  X(clBuildProgram)              \
  X(clGetProgramBuildInfo)       \
  X(clReleaseProgram)            \
  X(clCreateKernel)              \
  X(clGetKernelInfo)             \
  X(clSetKernelArg)              \
  X(clReleaseKernel)             \
  X(clCreateBuffer)              \
  X(clReleaseMemObject)          \
  X(clEnqueueWriteBuffer)        \
  X(clEnqueueReadBuffer)         \
  X(clEnqueueNDRangeKernel)      \
  X(clEnqueueMarkerWithWaitList) \
  X(clSetEventCallback)          \
  X(clGetEventInfo)              \
  X(clGetEventProfilingInfo)     \
  X(clRetainEvent)               \
  X(clReleaseEvent)              \
  X(clFlush)                     \
  X(clFinish)

struct OpenCl {
#define WOA_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  WOA_OPENCL_SYMBOLS(WOA_OPENCL_MEMBER)
#undef WOA_OPENCL_MEMBER
};

// Loads the library once per process and never unloads it (drivers keep threads in it). kUnavailable names what is
// missing; kExhausted: a limit on open files. Any thread. Does not initialize the drivers: clGetPlatformIDs does.
const Result<OpenCl>& open_cl();

// A failed call: its name and OpenCL's number. kExhausted when memory ran out, kUnavailable when the device went away.
Status cl_failure(std::string_view call, cl_int code);

// Owns one OpenCL object; released through the table.
template <class T>
struct ClRelease {
  cl_int(CL_API_CALL* release)(T) = nullptr;
  void operator()(T object) const noexcept { release(object); }
};
template <class T>
using ClOwned = std::unique_ptr<std::remove_pointer_t<T>, ClRelease<T>>;

}  // namespace woa
