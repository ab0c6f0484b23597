// Memory that host and device see, for payloads of one firing: those that the device cannot read where they lie.
#pragma once

#include <cstddef>
#include <span>

#include "controllers/gpu/cuda/cuda_api.h"

namespace woa {

class FiringMemory {
 public:
  struct Part {
    std::byte* host = nullptr;
    cuda::DevicePtr device = 0;
  };
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t whole_lines(std::size_t bytes) noexcept {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  FiringMemory(std::span<std::byte> host, cuda::DevicePtr device) noexcept : host_(host), device_(device) {}
  // Aligned; a `host` that is null: it is full.
  Part take(std::size_t bytes) noexcept {
    const std::size_t at = used_;
    if (at + bytes > host_.size()) return {};
    used_ += whole_lines(bytes);
    return {host_.data() + at, device_ + at};
  }

 private:
  std::span<std::byte> host_;
  cuda::DevicePtr device_;
  std::size_t used_ = 0;
};

}  // namespace woa
