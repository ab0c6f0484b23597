// A GPU that a benchmark drives by itself, as a program without a runtime would: the limit that ours stands beside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "controllers/gpu/cuda/library.h"

namespace woa::bench {

// The kernels of a chain, which take and give `bytes`: the first inverts its input, the others copy theirs.
std::vector<std::string> chain_of(std::uint32_t stages);

// The context of the first device, with one stream. Who waits spins. Later calls of the thread use the context, whose
// end frees everything in it.
class OwnDevice {
 public:
  // Wakes the driver. Loads the PTX of `kernels` from the first of `folders` that has it.
  static Result<OwnDevice> open(std::span<const std::filesystem::path> folders, std::span<const std::string> kernels);
  OwnDevice(OwnDevice&& other) noexcept;
  OwnDevice& operator=(OwnDevice&&) = delete;
  ~OwnDevice();

  [[nodiscard]] const cuda::Library& cuda() const noexcept { return cuda_; }
  [[nodiscard]] cuda::Stream stream() const noexcept { return stream_; }

  Result<cuda::DevicePtr> take(std::uint64_t bytes);  // memory of the device
  struct Pinned {
    std::span<std::byte> host;
    cuda::DevicePtr device = 0;  // its address there
  };
  Result<Pinned> take_pinned(std::uint64_t bytes);
  // One that has a time.
  Result<cuda::Event> make_event();
  // Calls on the stream.
  Status record(cuda::Event event);
  Status to_device(cuda::DevicePtr to, std::span<const std::byte> from);
  Status to_host(std::span<std::byte> to, cuda::DevicePtr from);
  Status launch(std::size_t kernel, cuda::DevicePtr in, cuda::DevicePtr out, std::uint64_t bytes);
  Status synchronise();
  // Nanoseconds between two events that have happened.
  Result<double> between(cuda::Event begin, cuda::Event end);

 private:
  explicit OwnDevice(const cuda::Library& cuda) : cuda_(cuda) {}
  Status load(std::span<const std::filesystem::path> folders, const std::string& kernel);

  const cuda::Library& cuda_;
  cuda::Context context_ = nullptr;
  cuda::Stream stream_ = nullptr;
  std::vector<cuda::Function> kernels_;
};

}  // namespace woa::bench
