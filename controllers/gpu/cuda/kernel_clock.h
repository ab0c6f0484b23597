// When a firing's kernel ran, by events of the device: the transfers around it take longer than many kernels.
#pragma once

#include <cstdint>

#include "controllers/gpu/cuda/context.h"

namespace woa {

class KernelClock {
 public:
  // Takes all that later calls need.
  Status open(const CudaContext& context) {
    for (CudaOwned<cuda::Event>* const event : {&begin_, &end_, &done_}) {
      auto made = context.make_event(cuda::kEventTiming);
      if (!made.ok()) return made.status();
      *event = std::move(*made);
    }
    return {};
  }
  // In front of the kernel, behind it, and when the firing's results are out.
  Status begin(const cuda::Library& cuda, cuda::Stream stream) { return record(cuda, begin_, stream); }
  Status end(const cuda::Library& cuda, cuda::Stream stream) { return record(cuda, end_, stream); }
  Status done(const cuda::Library& cuda, cuda::Stream stream) { return record(cuda, done_, stream); }

  struct Times {
    std::uint64_t started_ns = 0, ended_ns = 0;
  };
  // By the clock of the host, which sees at `now_ns` that the results are out.
  [[nodiscard]] Times read(const cuda::Library& cuda, std::uint64_t now_ns) const noexcept {
    const std::uint64_t ended_ns = now_ns - between_ns(cuda, end_, done_);
    return {ended_ns - between_ns(cuda, begin_, end_), ended_ns};
  }

 private:
  static Status record(const cuda::Library& cuda, const CudaOwned<cuda::Event>& event, cuda::Stream stream) {
    return cuda_status("cuEventRecord", cuda.event_record(event.get(), stream));
  }
  static std::uint64_t between_ns(const cuda::Library& cuda, const CudaOwned<cuda::Event>& from,
                                  const CudaOwned<cuda::Event>& to) noexcept {
    float ms = 0;
    const bool known = cuda.event_elapsed_ms(&ms, from.get(), to.get()) == cuda::kSuccess && ms > 0;
    return known ? static_cast<std::uint64_t>(1e6 * static_cast<double>(ms)) : 0;
  }

  CudaOwned<cuda::Event> begin_{nullptr, nullptr}, end_{nullptr, nullptr}, done_{nullptr, nullptr};
};

}  // namespace woa
