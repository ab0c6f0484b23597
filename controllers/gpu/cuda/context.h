// A context of our own on a device, and the memory that is taken in it. Nothing of it is moved. Pinned memory is not
// portable: other contexts need not be told of it, whose workers may run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "controllers/gpu/cuda/devices.h"
#include "controllers/gpu/cuda/library.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace woa {

// A stream, event or module, and how the driver destroys it.
template <class T>
using CudaOwned = std::unique_ptr<std::remove_pointer_t<T>, cuda::Result (*)(T)>;

class CudaContext {
 public:
  // Makes it current, too. kUnavailable: another process uses the device alone.
  static Result<std::shared_ptr<CudaContext>> make(const cuda::Library& cuda, const CudaDevice& device,
                                                   unsigned flags = cuda::kContextBlockingSync |
                                                                    cuda::kContextKeepsLocal);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // For calls of this thread. Calls the driver only if another context was current here.
  void make_current() const noexcept;
  [[nodiscard]] const cuda::Library& cuda() const noexcept { return cuda_; }
  // "3.1 GiB of 24.0 GiB are free", for messages.
  [[nodiscard]] std::string free_memory() const;

  // `first`: the device runs its kernels before those of other streams that wait.
  Result<CudaOwned<cuda::Stream>> make_stream(bool first = false) const;
  Result<CudaOwned<cuda::Event>> make_event(unsigned flags = cuda::kEventNoTiming) const;

 private:
  CudaContext(const cuda::Library& cuda, cuda::Context context) noexcept;

  const cuda::Library& cuda_;
  const cuda::Context context_;
  const std::uint64_t number_;  // in the process: unlike addresses, never given again
};

// Memory of the device.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // kExhausted: no room.
  static Result<DeviceMemory> make(const CudaContext& context, std::size_t bytes);
  ~DeviceMemory() {
    if (at_ != 0) free_(at_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept : at_(std::exchange(other.at_, 0)), free_(other.free_) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(free_, other.free_);
    return *this;
  }
  [[nodiscard]] cuda::DevicePtr at(std::size_t offset = 0) const noexcept { return at_ + offset; }

 private:
  cuda::DevicePtr at_ = 0;
  cuda::Result (*free_)(cuda::DevicePtr) = nullptr;
};

// Memory of the host that the device reads and writes at its own address.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  // Zeroed. kExhausted: no room.
  static Result<PinnedMemory> make(const CudaContext& context, std::size_t bytes);
  [[nodiscard]] std::byte* host(std::size_t offset = 0) const noexcept {
    return static_cast<std::byte*>(host_.get()) + offset;
  }
  [[nodiscard]] cuda::DevicePtr device(std::size_t offset = 0) const noexcept { return device_ + offset; }

 private:
  CudaOwned<void*> host_{nullptr, nullptr};
  cuda::DevicePtr device_ = 0;
};

}  // namespace woa
