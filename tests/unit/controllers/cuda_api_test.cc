// Compares cuda_api.h with an installed cuda.h: values of constants and types of functions. The compiler does it.
#define __CUDA_API_VERSION_INTERNAL  // functions by the names that the library exports, all versions of them
#include <cuda.h>
#undef __CUDA_API_VERSION_INTERNAL

#include <type_traits>

#include "controllers/gpu/cuda/cuda_api.h"
#include "tests/support/catch.h"

namespace woa::cuda {
namespace {

// A type as a call passes it: an enumeration or integer as a signed integer of its size, a pointer by what it points
// to.
template <std::size_t bytes>
struct Sized;
template <>
struct Sized<4> : std::type_identity<std::int32_t> {};
template <>
struct Sized<8> : std::type_identity<std::int64_t> {};

template <class T>
struct Passed : std::type_identity<T> {};
template <class T>
requires(std::is_enum_v<T> || (std::is_integral_v<T> && sizeof(T) >= 4)) struct Passed<T> : Sized<sizeof(T)> {
};
template <class T>
struct Passed<const T> : std::type_identity<const typename Passed<T>::type> {};
template <class T>
struct Passed<T*> : std::type_identity<typename Passed<T>::type*> {};
template <class R, class... A>
struct Passed<R(A...)> : std::type_identity<typename Passed<R>::type(typename Passed<A>::type...)> {};

// Constants without their enumeration's type, which differs.
#define WOA_SAME(ours, theirs) static_assert(static_cast<long>(ours) == static_cast<long>(theirs));
WOA_SAME(kSuccess, CUDA_SUCCESS)
WOA_SAME(kInvalidValue, CUDA_ERROR_INVALID_VALUE)
WOA_SAME(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY)
WOA_SAME(kNotInitialized, CUDA_ERROR_NOT_INITIALIZED)
WOA_SAME(kDeinitialized, CUDA_ERROR_DEINITIALIZED)
WOA_SAME(kStubLibrary, CUDA_ERROR_STUB_LIBRARY)
WOA_SAME(kDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE)
WOA_SAME(kNoDevice, CUDA_ERROR_NO_DEVICE)
WOA_SAME(kInvalidDevice, CUDA_ERROR_INVALID_DEVICE)
WOA_SAME(kInvalidImage, CUDA_ERROR_INVALID_IMAGE)
WOA_SAME(kInvalidContext, CUDA_ERROR_INVALID_CONTEXT)
WOA_SAME(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU)
WOA_SAME(kInvalidPtx, CUDA_ERROR_INVALID_PTX)
WOA_SAME(kJitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
WOA_SAME(kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
WOA_SAME(kOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM)
WOA_SAME(kInvalidHandle, CUDA_ERROR_INVALID_HANDLE)
WOA_SAME(kNotFound, CUDA_ERROR_NOT_FOUND)
WOA_SAME(kNotReady, CUDA_ERROR_NOT_READY)
WOA_SAME(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS)
WOA_SAME(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
WOA_SAME(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT)
WOA_SAME(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED)
WOA_SAME(kHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
WOA_SAME(kHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
WOA_SAME(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS)
WOA_SAME(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED)
WOA_SAME(kNotPermitted, CUDA_ERROR_NOT_PERMITTED)
WOA_SAME(kNotSupported, CUDA_ERROR_NOT_SUPPORTED)
WOA_SAME(kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
WOA_SAME(kUnknown, CUDA_ERROR_UNKNOWN)

WOA_SAME(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
WOA_SAME(kMaxGridX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)
WOA_SAME(kMaxGridY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)
WOA_SAME(kMaxGridZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)
WOA_SAME(kMaxSharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
WOA_SAME(kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
WOA_SAME(kKernelExecTimeout, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)
WOA_SAME(kComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)
WOA_SAME(kConcurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS)
WOA_SAME(kUnifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
WOA_SAME(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
WOA_SAME(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
WOA_SAME(kHostRegisterSupported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)
WOA_SAME(kReadOnlyHostRegister, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED)
WOA_SAME(k64BitMemOps, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS)

WOA_SAME(kFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
WOA_SAME(kFunctionStaticShared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
WOA_SAME(kFunctionLocal, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
WOA_SAME(kLimitStackSize, CU_LIMIT_STACK_SIZE)
WOA_SAME(kMaxSharedPerBlockOptIn, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
WOA_SAME(kContextKeepsLocal, CU_CTX_LMEM_RESIZE_TO_MAX)
WOA_SAME(kFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
WOA_SAME(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER)
WOA_SAME(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
WOA_SAME(kComputeModeProhibited, CU_COMPUTEMODE_PROHIBITED)
WOA_SAME(kContextSpin, CU_CTX_SCHED_SPIN)
WOA_SAME(kContextBlockingSync, CU_CTX_SCHED_BLOCKING_SYNC)
WOA_SAME(kComputeModeExclusive, CU_COMPUTEMODE_EXCLUSIVE_PROCESS)
WOA_SAME(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE)
WOA_SAME(kHostAllocMapped, CU_MEMHOSTALLOC_DEVICEMAP)
WOA_SAME(kRegisterPortable, CU_MEMHOSTREGISTER_PORTABLE)
WOA_SAME(kRegisterMapped, CU_MEMHOSTREGISTER_DEVICEMAP)
WOA_SAME(kRegisterReadOnly, CU_MEMHOSTREGISTER_READ_ONLY)
WOA_SAME(kStreamNonBlocking, CU_STREAM_NON_BLOCKING)
WOA_SAME(kEventTiming, CU_EVENT_DEFAULT)
WOA_SAME(kEventNoTiming, CU_EVENT_DISABLE_TIMING)
WOA_SAME(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
WOA_SAME(kWriteValueDefault, CU_STREAM_WRITE_VALUE_DEFAULT)
#undef WOA_SAME

#define WOA_SAME_TYPE(member, symbol, name, version, parameters) \
  static_assert(std::is_same_v<Passed<Result parameters>::type, Passed<decltype(::symbol)>::type>, #symbol);
WOA_CUDA_FUNCTIONS(WOA_SAME_TYPE)
WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_SAME_TYPE)
WOA_CUDA_GRAPH_FUNCTIONS(WOA_SAME_TYPE)
#undef WOA_SAME_TYPE

}  // namespace

TEST_CASE("cuda_api.h agrees with cuda.h") {
  // Not constants, since they are pointers.
  REQUIRE(kLaunchBuffer == CU_LAUNCH_PARAM_BUFFER_POINTER);
  REQUIRE(kLaunchBufferBytes == CU_LAUNCH_PARAM_BUFFER_SIZE);
  REQUIRE(kLaunchEnd == CU_LAUNCH_PARAM_END);
}

}  // namespace woa::cuda
