// The functions that the library exports: those of cuda_api.h and the two that find them.
#pragma once

#include "controllers/gpu/cuda/cuda_api.h"

// The types of cuda_api.h by their short names; Result would be woa::Result.
namespace woa::cuda_double {
using cuda::Context;
using cuda::Device;
using cuda::DeviceAttribute;
using cuda::DevicePtr;
using cuda::Event;
using cuda::Function;
using cuda::FunctionAttribute;
using cuda::HostFunction;
using cuda::JitOption;
using cuda::Module;
using cuda::Stream;
}  // namespace woa::cuda_double

#define WOA_EXPORT extern "C" __attribute__((visibility("default")))

namespace woa::cuda {
#define WOA_DECLARE(member, symbol, name, version, parameters) WOA_EXPORT Result symbol parameters;
WOA_CUDA_FUNCTIONS(WOA_DECLARE)
WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_DECLARE)
#undef WOA_DECLARE
WOA_EXPORT Result cuGetExportTable(const void** table, const void* id);
WOA_EXPORT Result cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags);
WOA_EXPORT Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                                      int* status);
}  // namespace woa::cuda
