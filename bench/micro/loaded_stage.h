// The kernels of a plan, for executors that are not controllers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/controller/kernel_library.h"
#include "runtime/plan/plan.h"

namespace woa::bench {

using KernelLibraries = std::vector<std::optional<KernelLibrary>>;  // by stage of a plan; none for source and sink

// Errors: as KernelLibrary::load().
inline Result<KernelLibraries> load_kernels(const Plan& plan, std::span<const std::filesystem::path> folders) {
  KernelLibraries libraries(plan.stages.size());
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].role != StageRole::kKernel) continue;
    WOA_ASSIGN_OR_RETURN(auto library, KernelLibrary::load(plan.stages[s], folders));
    libraries[s].emplace(std::move(library));
  }
  return libraries;
}

// Memory of payloads and states, aligned as kernels expect it, zeroed.
struct alignas(kPayloadAlignment) MemoryLine {
  std::byte bytes[kPayloadAlignment];
};
inline std::vector<MemoryLine> lines(std::uint64_t bytes) {
  return std::vector<MemoryLine>((bytes + sizeof(MemoryLine) - 1) / sizeof(MemoryLine));
}

// A kernel's view of a token of type bytes.
inline void show_token(woa_input& in, const std::uint8_t* data, std::uint64_t bytes) noexcept {
  in.data = data;
  in.bytes = bytes;
  in.rank = 1;
  in.dims[0] = static_cast<std::uint32_t>(bytes);
}

}  // namespace woa::bench
