// The kernels themselves, called directly, beside memcpy of as many bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/micro/kernel_job.h"
#include "runtime/measure/report.h"

namespace woa::bench {

using namespace measure;

struct KernelsOptions {
  std::vector<std::string> kernels = {};            // names; empty: all of bytes or pixels
  std::map<std::string, KernelParams> params = {};  // by kernel, in place of the benchmark's own
  std::vector<std::uint64_t> sizes{1 << 20};        // bytes of a payload of type bytes
  std::uint32_t width = 4000, height = 3000;        // of a picture, of 3 channels
  std::uint64_t count = 0;                          // firings of a launch; 0: as many as take 20 ms
  std::uint64_t repetitions = 11;
};

// GB/s of every kernel of `kernel_path` that has a cpu variant and only ports of bytes or pixels (payload_kind()), in
// one thread: the bytes of a payload, or of the picture, by the time of a firing. Inputs and outputs are different
// memory. The limit is memcpy of as many bytes. Kernels that this build left out are `absent`, with the reason.
// kNotFound: there is no kernel of a name that was asked for. kUnsupported: such a kernel has other ports, or no cpu
// variant. kInvalid: `params` names a kernel that is not measured, or a parameter that it does not have. Otherwise as
// KernelJob.
Result<Report> bench_kernels(const std::vector<std::filesystem::path>& kernel_path, const KernelsOptions& chosen);

}  // namespace woa::bench
