#include "controllers/gpu/cuda/library.h"

#include <dlfcn.h>

#include "runtime/base/shared_library.h"

namespace woa {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// cuGetProcAddress_v2: finds a function by its name and the version of CUDA whose arguments it shall have.
using FindFunction = cuda::Result (*)(const char* name, void** function, int version, std::uint64_t flags, int* found);

void* find(void* library, FindFunction find_function, const char* symbol, const char* name, int version) {
  void* function = nullptr;
  if (find_function != nullptr && find_function(name, &function, version, 0, nullptr) == cuda::kSuccess &&
      function != nullptr)
    return function;
  return ::dlsym(library, symbol);
}

Result<cuda::Library> load_cuda() {
  const Result<void*> library =
      load_library(kLibrary, "install NVIDIA's driver; in a container, start it with --gpus all");
  if (!library.ok()) return library.status().with_context("no CUDA driver");
  const auto find_function = reinterpret_cast<FindFunction>(::dlsym(*library, "cuGetProcAddress_v2"));
  cuda::Library table;
#define WOA_CUDA_FIND(member, symbol, name, version, parameters) \
  table.member = reinterpret_cast<decltype(table.member)>(find(*library, find_function, #symbol, name, version));
  WOA_CUDA_FUNCTIONS(WOA_CUDA_FIND)
  WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_CUDA_FIND)
  WOA_CUDA_GRAPH_FUNCTIONS(WOA_CUDA_FIND)
#undef WOA_CUDA_FIND
#define WOA_CUDA_CHECK(member, symbol, name, version, parameters)                                        \
  if (table.member == nullptr) {                                                                         \
    return {Code::kUnavailable,                                                                          \
            std::string(kLibrary) + " has no " #symbol "; a driver for CUDA 10.0 or newer is required"}; \
  }
  WOA_CUDA_FUNCTIONS(WOA_CUDA_CHECK)
#undef WOA_CUDA_CHECK
  return table;
}

Code code_of(cuda::Result code) {
  switch (code) {
    case cuda::kOutOfMemory: return Code::kExhausted;
    case cuda::kNotInitialized:
    case cuda::kDeinitialized:
    case cuda::kStubLibrary:
    case cuda::kDeviceUnavailable:
    case cuda::kNoDevice:
    case cuda::kInvalidDevice:
    case cuda::kOperatingSystem:
    case cuda::kJitCompilerNotFound:
    case cuda::kContextIsDestroyed:
    case cuda::kNotPermitted:
    case cuda::kSystemDriverMismatch:
    case cuda::kUnknown: return Code::kUnavailable;
    default: return Code::kKernelFailed;
  }
}

}  // namespace

const Result<cuda::Library>& open_cuda() {
  static const Result<cuda::Library> table = load_cuda();
  return table;
}

Status cuda_status(std::string_view call, cuda::Result code) {
  if (code == cuda::kSuccess) return {};
  std::string text = std::string(call) + " failed with CUDA error " + std::to_string(code);
  if (const auto& cuda = open_cuda(); cuda.ok()) {
    const char *name = nullptr, *meaning = nullptr;
    if (cuda->error_name(code, &name) == cuda::kSuccess && name != nullptr) text.append(" (").append(name);
    if (name != nullptr && cuda->error_text(code, &meaning) == cuda::kSuccess && meaning != nullptr)
      text.append(": ").append(meaning);
    if (name != nullptr) text.append(")");
  }
  return {code_of(code), std::move(text)};
}

Status cuda_launch(const cuda::Library& cuda, std::string_view call, const CudaLaunch& launch, cuda::Stream stream,
                   std::span<const std::byte> parameters) {
  std::size_t bytes = parameters.size();
  std::array<void*, 5> extra{cuda::kLaunchBuffer, const_cast<std::byte*>(parameters.data()), cuda::kLaunchBufferBytes,
                             &bytes, cuda::kLaunchEnd};
  const auto &grid = launch.grid, &block = launch.block;
  return cuda_status(call, cuda.launch(launch.function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                       launch.shared_bytes, stream, nullptr, extra.data()));
}

}  // namespace woa
