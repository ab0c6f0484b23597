// The times of a firing are those of its kernel: what follows it in the stream is not in them.
#include "controllers/gpu/cuda/kernel_clock.h"

#include <chrono>
#include <thread>

#include "runtime/base/clock.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// Work of a stream that takes so many milliseconds at least.
template <int ms>
void take(void*) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace

TEST_CASE("a kernel's times exclude the transfers before and behind it") {
  const Result<cuda::Library>& cuda = open_cuda();
  REQUIRE(cuda.ok());
  const auto devices = list_cuda_devices(*cuda);
  REQUIRE(devices.ok());
  const auto context = CudaContext::make(*cuda, devices->front());
  REQUIRE(context.ok());
  const auto stream = (*context)->make_stream();
  KernelClock clock;
  REQUIRE((stream.ok() && clock.open(**context).ok()));
  const std::uint64_t before_ns = now_ns();
  REQUIRE(cuda->stream_host_function(stream->get(), take<40>, nullptr) == cuda::kSuccess);
  REQUIRE(clock.begin(*cuda, stream->get()).ok());
  REQUIRE(cuda->stream_host_function(stream->get(), take<20>, nullptr) == cuda::kSuccess);
  REQUIRE(clock.end(*cuda, stream->get()).ok());
  REQUIRE(cuda->stream_host_function(stream->get(), take<60>, nullptr) == cuda::kSuccess);
  REQUIRE(clock.done(*cuda, stream->get()).ok());
  REQUIRE(cuda->stream_synchronize(stream->get()) == cuda::kSuccess);
  const std::uint64_t after_ns = now_ns();
  const auto [started_ns, ended_ns] = clock.read(*cuda, after_ns);
  CHECK(started_ns >= before_ns + 40 * kMs);
  CHECK(ended_ns >= started_ns + 20 * kMs);
  CHECK(ended_ns + 60 * kMs <= after_ns);
}

}  // namespace woa::test
