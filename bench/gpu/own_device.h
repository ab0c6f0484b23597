// A GPU that a benchmark drives by itself, as a program without a runtime would: the limit that ours stands beside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "controllers/gpu/cuda/context.h"

namespace woa::bench {

// The kernels of a chain: the first inverts its input, the others copy theirs.
std::vector<std::string> chain_of(std::uint32_t stages);

// A context on the first device, `device`. Wakes the driver. Waiting threads spin, if the flags say so.
struct FirstDevice {
  static Result<FirstDevice> open(unsigned context_flags);
  CudaDevice device;
  std::shared_ptr<CudaContext> context;
};

// Nanoseconds between two events that have happened.
Result<double> between_ns(const CudaContext& context, const CudaOwned<cuda::Event>& begin,
                          const CudaOwned<cuda::Event>& end);

struct Sends {
  std::uint64_t warm_up = 0, count = 0;
};
// Microseconds of each of `count` calls of `send`, which puts work into `stream`, by events of the device; others go
// before.
Result<double> us_of_each(const CudaContext& context, cuda::Stream stream, const Sends& sends,
                          const std::function<Status()>& send);

// A stream and the kernels that it runs. Calls are of the thread that opened it.
class OwnStream {
 public:
  // Loads the PTX of `kernels` from the first of `folders` that has it. Waiting spins, which is the quickest way.
  static Result<OwnStream> open(std::span<const std::filesystem::path> folders, std::span<const std::string> kernels);

  [[nodiscard]] const CudaContext& context() const noexcept { return *context_; }
  [[nodiscard]] cuda::Stream get() const noexcept { return stream_.get(); }

  Status record(const CudaOwned<cuda::Event>& event);
  Status to_device(cuda::DevicePtr to, std::span<const std::byte> from);
  Status to_host(std::span<std::byte> to, cuda::DevicePtr from);
  Status launch(std::size_t kernel, cuda::DevicePtr in, cuda::DevicePtr out, std::uint64_t bytes);
  Status synchronise();

 private:
  explicit OwnStream(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  Status load(std::span<const std::filesystem::path> folders, const std::string& kernel);

  std::shared_ptr<CudaContext> context_;  // goes last
  CudaOwned<cuda::Stream> stream_{nullptr, nullptr};
  std::vector<CudaOwned<cuda::Module>> modules_;
  std::vector<cuda::Function> kernels_;
};

}  // namespace woa::bench
