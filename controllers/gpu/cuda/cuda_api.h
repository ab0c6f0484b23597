// The part of CUDA's driver that this back-end uses, declared here: cuda.h is not free to pass on, and no part of CUDA
// is needed to build. tests/unit/controllers/cuda_api_test.cc compares all of it with cuda.h where that is found.
//
// Source: CUDA Driver API reference manual, 13.0. Each function is the oldest version with the arguments used here, so
// that old drivers have it, too. None of them is of the legacy default stream or of one per thread.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;

namespace woa::cuda {

using Result = int;  // CUresult
using Device = int;
using DevicePtr = std::uint64_t;
using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using Graph = CUgraph_st*;
using GraphExec = CUgraphExec_st*;
using HostFunction = void (*)(void* user);

enum : Result {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kStubLibrary = 34,
  kDeviceUnavailable = 46,  // in use by another process, in the mode "exclusive process"
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kOperatingSystem = 304,  // the device files cannot be opened, among others
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kContextIsDestroyed = 709,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
  kNotPermitted = 800,
  kNotSupported = 801,
  kSystemDriverMismatch = 803,
  kUnknown = 999
};

enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMaxSharedPerBlock = 8,
  kMultiprocessors = 16,
  kKernelExecTimeout = 17,
  kComputeMode = 20,
  kConcurrentKernels = 31,
  kUnifiedAddressing = 41,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kMaxSharedPerBlockOptIn = 97,
  kHostRegisterSupported = 99,
  kReadOnlyHostRegister = 113,
  k64BitMemOps = 122
};

enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kFunctionStaticShared = 1,
  kFunctionLocal = 3,
  kFunctionMaxDynamicShared = 8
};
enum Limit : int { kLimitStackSize = 0 };
enum JitOption : int { kJitErrorLog = 5, kJitErrorLogBytes = 6 };

inline constexpr int kComputeModeProhibited = 2, kComputeModeExclusive = 3;
inline constexpr unsigned kContextSpin = 0x01, kContextBlockingSync = 0x04, kContextKeepsLocal = 0x10;
inline constexpr unsigned kHostAllocPortable = 0x01, kHostAllocMapped = 0x02;
inline constexpr unsigned kRegisterPortable = 0x01, kRegisterMapped = 0x02, kRegisterReadOnly = 0x08;
inline constexpr unsigned kStreamNonBlocking = 0x1;
inline constexpr unsigned kEventTiming = 0x0, kEventNoTiming = 0x2;
inline constexpr int kCaptureThreadLocal = 1;
inline constexpr unsigned kWriteValueDefault = 0x0;  // fences as __threadfence_system() does, for the stream
// The `extra` argument of cuLaunchKernel: parameters as one block of bytes.
inline void* const kLaunchBuffer = reinterpret_cast<void*>(std::uintptr_t{1});
inline void* const kLaunchBufferBytes = reinterpret_cast<void*>(std::uintptr_t{2});
inline void* const kLaunchEnd = nullptr;

// X(member, exported symbol, name and version for cuGetProcAddress, parameters). All return a Result.
#define WOA_CUDA_FUNCTIONS(X)                                                                                         \
  X(init, cuInit, "cuInit", 2000, (unsigned flags))                                                                   \
  X(driver_version, cuDriverGetVersion, "cuDriverGetVersion", 2020, (int* version))                                   \
  X(error_name, cuGetErrorName, "cuGetErrorName", 6000, (Result code, const char** name))                             \
  X(error_text, cuGetErrorString, "cuGetErrorString", 6000, (Result code, const char** text))                         \
  X(device_count, cuDeviceGetCount, "cuDeviceGetCount", 2000, (int* count))                                           \
  X(device, cuDeviceGet, "cuDeviceGet", 2000, (Device * device, int ordinal))                                         \
  X(device_name, cuDeviceGetName, "cuDeviceGetName", 2000, (char* name, int bytes, Device device))                    \
  X(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute", 2000,                                             \
    (int* value, DeviceAttribute attribute, Device device))                                                           \
  X(device_memory, cuDeviceTotalMem_v2, "cuDeviceTotalMem", 3020, (std::size_t * bytes, Device device))               \
  X(context_create, cuCtxCreate_v2, "cuCtxCreate", 3020, (Context * context, unsigned flags, Device device))          \
  X(context_destroy, cuCtxDestroy_v2, "cuCtxDestroy", 4000, (Context context))                                        \
  X(context_set_current, cuCtxSetCurrent, "cuCtxSetCurrent", 4000, (Context context))                                 \
  X(context_limit, cuCtxGetLimit, "cuCtxGetLimit", 3010, (std::size_t * value, Limit limit))                          \
  X(context_set_limit, cuCtxSetLimit, "cuCtxSetLimit", 3010, (Limit limit, std::size_t value))                        \
  X(stream_priorities, cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", 5050, (int* least, int* greatest)) \
  X(module_load, cuModuleLoadDataEx, "cuModuleLoadDataEx", 2010,                                                      \
    (Module * module, const void* image, unsigned options, JitOption* names, void** values))                          \
  X(module_unload, cuModuleUnload, "cuModuleUnload", 2000, (Module module))                                           \
  X(module_function, cuModuleGetFunction, "cuModuleGetFunction", 2000,                                                \
    (Function * function, Module module, const char* name))                                                           \
  X(module_global, cuModuleGetGlobal_v2, "cuModuleGetGlobal", 3020,                                                   \
    (DevicePtr * at, std::size_t * bytes, Module module, const char* name))                                           \
  X(function_attribute, cuFuncGetAttribute, "cuFuncGetAttribute", 2020,                                               \
    (int* value, FunctionAttribute attribute, Function function))                                                     \
  X(function_set_attribute, cuFuncSetAttribute, "cuFuncSetAttribute", 9000,                                           \
    (Function function, FunctionAttribute attribute, int value))                                                      \
  X(memory_alloc, cuMemAlloc_v2, "cuMemAlloc", 3020, (DevicePtr * at, std::size_t bytes))                             \
  X(memory_free, cuMemFree_v2, "cuMemFree", 3020, (DevicePtr at))                                                     \
  X(memory_info, cuMemGetInfo_v2, "cuMemGetInfo", 3020, (std::size_t * free, std::size_t * total))                    \
  X(host_alloc, cuMemHostAlloc, "cuMemHostAlloc", 2020, (void** at, std::size_t bytes, unsigned flags))               \
  X(host_free, cuMemFreeHost, "cuMemFreeHost", 2000, (void* at))                                                      \
  X(host_register, cuMemHostRegister_v2, "cuMemHostRegister", 6050, (void* at, std::size_t bytes, unsigned flags))    \
  X(host_unregister, cuMemHostUnregister, "cuMemHostUnregister", 4000, (void* at))                                    \
  X(host_device_pointer, cuMemHostGetDevicePointer_v2, "cuMemHostGetDevicePointer", 3020,                             \
    (DevicePtr * at, void* host, unsigned flags))                                                                     \
  X(copy_to_host, cuMemcpyDtoH_v2, "cuMemcpyDtoH", 3020, (void* to, DevicePtr from, std::size_t bytes))               \
  X(copy_to_device_async, cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync", 3020,                                            \
    (DevicePtr to, const void* from, std::size_t bytes, Stream stream))                                               \
  X(copy_to_host_async, cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync", 3020,                                              \
    (void* to, DevicePtr from, std::size_t bytes, Stream stream))                                                     \
  X(stream_create, cuStreamCreateWithPriority, "cuStreamCreateWithPriority", 5050,                                    \
    (Stream * stream, unsigned flags, int priority))                                                                  \
  X(stream_destroy, cuStreamDestroy_v2, "cuStreamDestroy", 4000, (Stream stream))                                     \
  X(stream_query, cuStreamQuery, "cuStreamQuery", 2000, (Stream stream))                                              \
  X(stream_synchronize, cuStreamSynchronize, "cuStreamSynchronize", 2000, (Stream stream))                            \
  X(stream_wait_event, cuStreamWaitEvent, "cuStreamWaitEvent", 3020, (Stream stream, Event event, unsigned flags))    \
  X(stream_host_function, cuLaunchHostFunc, "cuLaunchHostFunc", 10000,                                                \
    (Stream stream, HostFunction function, void* user))                                                               \
  X(event_create, cuEventCreate, "cuEventCreate", 2000, (Event * event, unsigned flags))                              \
  X(event_destroy, cuEventDestroy_v2, "cuEventDestroy", 4000, (Event event))                                          \
  X(event_record, cuEventRecord, "cuEventRecord", 2000, (Event event, Stream stream))                                 \
  X(event_query, cuEventQuery, "cuEventQuery", 2000, (Event event))                                                   \
  X(event_elapsed_ms, cuEventElapsedTime, "cuEventElapsedTime", 2000, (float* ms, Event begin, Event end))            \
  X(launch, cuLaunchKernel, "cuLaunchKernel", 4000,                                                                   \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,        \
     unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters, void** extra))

// A driver may lack some of these: then the member is null.
#define WOA_CUDA_OPTIONAL_FUNCTIONS(X)                                          \
  X(stream_write_value, cuStreamWriteValue64_v2, "cuStreamWriteValue64", 11070, \
    (Stream stream, DevicePtr at, std::uint64_t value, unsigned flags))

// Graphs, with which benchmarks compare the back-end: it does not use them. A driver, or our test double, may lack
// some.
#define WOA_CUDA_GRAPH_FUNCTIONS(X)                                                                          \
  X(stream_begin_capture, cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010, (Stream stream, int mode)) \
  X(stream_end_capture, cuStreamEndCapture, "cuStreamEndCapture", 10000, (Stream stream, Graph * graph))     \
  X(graph_instantiate, cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", 11040,                    \
    (GraphExec * executable, Graph graph, std::uint64_t flags))                                              \
  X(graph_launch, cuGraphLaunch, "cuGraphLaunch", 10000, (GraphExec executable, Stream stream))

}  // namespace woa::cuda
