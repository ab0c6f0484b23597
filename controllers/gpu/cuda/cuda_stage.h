// One stage's module on a device, with all that its launches share.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "controllers/gpu/cuda/context.h"
#include "controllers/gpu/gpu_stage.h"

namespace woa {

struct CudaStage : GpuStage {
  CudaOwned<cuda::Module> module{nullptr, nullptr};
  cuda::Function launched = nullptr, resident = nullptr;  // entries; `resident` if the variant says so
  std::array<std::uint32_t, 3> block{1, 1, 1};            // threads
  std::uint32_t shared_bytes = 0;
  std::uint32_t words = 0;  // of a firing (kernels/woa_cuda.h)

  std::array<std::uint32_t, 3> most_blocks{};  // of a launch

  // size_outputs(), and kTooLarge: the device launches fewer blocks than the work needs.
  Status size(Firing& firing) const;
  // Blocks of a firing's work, which stands in front of its words.
  [[nodiscard]] std::array<std::uint32_t, 3> blocks(std::span<const std::uint64_t> words) const noexcept;
  // Writes a firing, whose outputs have sizes, as words; `ports` are the addresses of inputs, then outputs. All extents
  // are 0 if there is no work.
  void write_words(const Firing& firing, std::span<const cuda::DevicePtr> ports,
                   std::span<std::uint64_t> words) const noexcept;
};

// Loads the PTX beside kernel.yaml. May take seconds. kUnsupported: the stage has no cuda variant, or one that cannot
// run here. kNotFound: no PTX. kInvalid: it does not assemble (the message holds the driver's log), or its functions
// are not those of woa_cuda.h, or their arguments are not the stage's.
Result<CudaStage> load_cuda_stage(const CudaContext& context, const CudaDevice& device, const LoadedStage& stage);

}  // namespace woa
