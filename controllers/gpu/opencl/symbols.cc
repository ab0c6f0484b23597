#include "controllers/gpu/opencl/symbols.h"

#include <dlfcn.h>

#include <string>

#include "runtime/base/shared_library.h"

namespace woa {
namespace {

constexpr const char* kLibrary = "libOpenCL.so.1";

Result<OpenCl> load() {
  const Result<void*> library = load_library(kLibrary, "install ocl-icd-libopencl1 and a driver");
  if (!library.ok()) return library.status().with_context("no OpenCL loader");
  OpenCl table;
#define WOA_OPENCL_LOAD(name)                                                                         \
  table.name = reinterpret_cast<decltype(table.name)>(::dlsym(*library, #name));                      \
  if (table.name == nullptr) {                                                                        \
    return {Code::kUnavailable, std::string(kLibrary) + " has no " #name "; OpenCL 1.2 is required"}; \
  }
  WOA_OPENCL_SYMBOLS(WOA_OPENCL_LOAD)
#undef WOA_OPENCL_LOAD
  return table;
}

Code code_of(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY: return Code::kExhausted;
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_COMPILER_NOT_AVAILABLE: return Code::kUnavailable;
    default: return Code::kKernelFailed;
  }
}

}  // namespace

const Result<OpenCl>& open_cl() {
  static const Result<OpenCl> table = load();
  return table;
}

Status cl_failure(std::string_view call, cl_int code) {
  return {code_of(code), std::string(call) + " failed with OpenCL error " + std::to_string(code)};
}

}  // namespace woa
