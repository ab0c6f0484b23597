// CUDA's driver library, opened when the program first asks for it: the program starts without it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "controllers/gpu/cuda/cuda_api.h"
#include "runtime/base/status.h"

namespace woa {
namespace cuda {

// The functions of cuda_api.h. Any thread.
struct Library {
#define WOA_CUDA_MEMBER(member, symbol, name, version, parameters) Result(*member) parameters = nullptr;
  WOA_CUDA_FUNCTIONS(WOA_CUDA_MEMBER)
  WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_CUDA_MEMBER)
  WOA_CUDA_GRAPH_FUNCTIONS(WOA_CUDA_MEMBER)
#undef WOA_CUDA_MEMBER
};

}  // namespace cuda

// Opens libcuda.so.1, once per process; does not wake the driver. kUnavailable: there is none, or it is too old.
const Result<cuda::Library>& open_cuda();

// Ok for kSuccess; that allocates nothing. Otherwise the error of `call`, with CUDA's name and text for it.
// kExhausted: no memory. kUnavailable: the device, the driver or the context is gone. Else kKernelFailed.
Status cuda_status(std::string_view call, cuda::Result code);

struct CudaLaunch {
  cuda::Function function = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};  // blocks; threads of each
  std::uint32_t shared_bytes = 0;
};
// Launches a kernel with one block of bytes as its parameters, which are copied. `call`: for the error.
Status cuda_launch(const cuda::Library& cuda, std::string_view call, const CudaLaunch& launch, cuda::Stream stream,
                   std::span<const std::byte> parameters);

}  // namespace woa
