// A stage as every GPU library launches it: what its kernel's launch takes from the plan and from the kernel's own
// library (docs/kernels.md, Variants).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/controller/port_shape.h"

namespace woa {

struct GpuStage {
  LoadedStage stage;
  std::vector<PortShape> outputs;        // by port
  std::vector<std::int32_t> int_params;  // the function's last arguments
  std::uint32_t work_dims = 0;
  std::array<std::int32_t, 3> work_size{};  // dimension of the first output, or kByBytes
  static constexpr std::int32_t kByBytes = -1;
  std::uint64_t most_bytes = 0;  // of a port

  // `most_bytes`: what the library's `bytes` argument holds. kUnsupported: the stage has no such variant, or one that
  // cannot be launched. kInvalid: its parameters or its `global` do not fit a launch.
  static Result<GpuStage> make(const LoadedStage& stage, std::string_view variant, std::uint64_t most_bytes);

  // Arguments of the function: data, bytes and dims of every port, then the parameters.
  [[nodiscard]] std::size_t arguments() const noexcept;
  // Asks the kernel's size() for the outputs' sizes and dimensions, which are final then: the device is told where they
  // end before the kernel runs.
  Status size_outputs(Firing& firing) const;
  // The work of a firing whose outputs have sizes. False: there is none, because an extent is 0.
  [[nodiscard]] bool work_of(const Firing& firing, std::array<std::size_t, 3>& work) const noexcept;
};

// The variant's source: a file beside kernel.yaml, which need not be there.
std::filesystem::path source_path(const LoadedStage& stage);

// The text of the variant's source, which lies beside kernel.yaml. kNotFound: it cannot be read.
Result<std::string> read_source(const LoadedStage& stage);

}  // namespace woa
