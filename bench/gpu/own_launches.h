// Programs that use CUDA's streams and no runtime: the contenders beside ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/gpu/own_process.h"
#include "controllers/gpu/cuda/library.h"

namespace woa::bench {

// Each waits with cuStreamSynchronize, which spins, and checks every result.
enum class OwnWay : std::uint8_t {
  kCopies,    // pinned memory, a copy each way: as a library for calls does it
  kZeroCopy,  // the kernels read and write the host's pinned memory
  kGraph,     // the launches of kZeroCopy, captured once and replayed: where has_graphs()
};

inline constexpr const char* kWhyNoGraphs = "the driver has no graphs: it is older than CUDA 11.4, or a test double";
bool has_graphs(const cuda::Library& cuda) noexcept;

struct OwnJob {
  std::uint32_t stages = 1;
  std::uint64_t bytes = 64, count = 1;
  std::vector<std::filesystem::path> kernel_path = {};
};

// Microseconds a packet, from the host through the stages and back, one at a time.
Result<Figures> own_packet_us(OwnWay way, const OwnJob& job);

// Microseconds of the median packet by kCopies: from the start of the first kernel to the end of the last one, by
// events of the device; and from the packet in pinned memory until its result is there.
Result<Figures> own_pipeline_us(const OwnJob& job);

// The mover of a payload between pinned memory and the device.
enum class Mover : std::uint8_t {
  kKernel,      // loads and stores of the kernel that computes
  kCopyEngine,  // a copy before or behind that kernel
};

// Microseconds of a packet to the device and of one to the host, each with its kernel: by events of the device around
// job.count of them in a row. The bytes are checked. `job` is of one stage.
Result<Figures> moved_us(Mover mover, const OwnJob& job);

}  // namespace woa::bench
