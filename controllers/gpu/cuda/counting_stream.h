// A stream that counts, in memory of the host, how far it has come: who asks calls no driver.
#pragma once

#include <atomic>
#include <cstdint>

#include "controllers/gpu/cuda/context.h"
#include "controllers/gpu/cuda/driver_calls.h"

namespace woa {

// Stores words from a stream: by the stream itself or, where the driver cannot, by a kernel of one thread.
class WordStore {
 public:
  Status open(const CudaContext& context, const CudaDevice& device);
  // `value` at `at`, when all that is on the stream by now is done and can be seen by the host.
  Status store(const cuda::Library& cuda, cuda::Stream stream, cuda::DevicePtr at, std::uint64_t value) const noexcept;

 private:
  CudaOwned<cuda::Module> module_{nullptr, nullptr};
  cuda::Function kernel_ = nullptr;  // null: the stream stores
};

// Never moves.
class CountingStream {
 public:
  static constexpr std::size_t kCounterBytes = 64;  // a cache line of its own

  // `store`, `calls` and the counter, in pinned memory, outlive the stream.
  Status open(const CudaContext& context, const WordStore& store, std::byte* counter, cuda::DevicePtr counter_device,
              DriverCalls& calls);

  [[nodiscard]] cuda::Stream get() const noexcept { return stream_.get(); }
  Status wait_for(cuda::Event event) const noexcept;
  Status store(cuda::DevicePtr at, std::uint64_t value) const noexcept;
  // Puts a mark behind all that is on the stream; last_mark() is its number then.
  Status mark() noexcept;
  [[nodiscard]] std::uint64_t last_mark() const noexcept { return last_mark_; }
  // The stream has passed the mark, and what it did before can be seen. Any thread.
  [[nodiscard]] bool reached(std::uint64_t mark) const noexcept {
    return std::atomic_ref(*counter_).load(std::memory_order_acquire) >= mark;
  }
  // Rings the bell when the stream has passed its last mark. Does nothing if it has, or will ring anyhow.
  Status ring_when_done() noexcept;

 private:
  const cuda::Library* cuda_ = nullptr;
  const WordStore* store_ = nullptr;
  CudaOwned<cuda::Stream> stream_{nullptr, nullptr};
  std::uint64_t* counter_ = nullptr;
  cuda::DevicePtr counter_device_ = 0;
  std::uint64_t last_mark_ = 0;
  DriverCalls::Bell* bell_ = nullptr;
};

}  // namespace woa
