#include "bench/gpu/transfers.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bench/gpu/own_device.h"
#include "controllers/gpu/cuda/mapped_memory.h"

namespace woa::bench {
namespace {

// Nanoseconds between the events of a stream, around `count` times the same.
class EventClock {
 public:
  static Result<EventClock> make(const CudaContext& context) {
    auto stream = context.make_stream();
    if (!stream.ok()) return stream.status();
    EventClock made(context.cuda(), std::move(stream).value());
    for (cuda::Event& event : made.events_)
      WOA_RETURN_IF_ERROR(cuda_status("cuEventCreate", context.cuda().event_create(&event, 0)));
    return made;
  }

  // Once before the clock runs.
  template <class Copy>
  Result<double> us_each(std::uint64_t count, const Copy& copy) {
    WOA_RETURN_IF_ERROR(copy(stream_.get()));
    WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", cuda_.event_record(events_[0], stream_.get())));
    for (std::uint64_t n = 0; n < count; ++n) WOA_RETURN_IF_ERROR(copy(stream_.get()));
    WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", cuda_.event_record(events_[1], stream_.get())));
    WOA_RETURN_IF_ERROR(cuda_status("cuStreamSynchronize", cuda_.stream_synchronize(stream_.get())));
    float ms = 0;
    WOA_RETURN_IF_ERROR(cuda_status("cuEventElapsedTime", cuda_.event_elapsed_ms(&ms, events_[0], events_[1])));
    return 1e3 * static_cast<double>(ms) / static_cast<double>(count);
  }

 private:
  EventClock(const cuda::Library& cuda, CudaOwned<cuda::Stream> stream) : cuda_(cuda), stream_(std::move(stream)) {}
  const cuda::Library& cuda_;
  CudaOwned<cuda::Stream> stream_;
  std::array<cuda::Event, 2> events_{};  // end with their context
};

Result<std::shared_ptr<CudaContext>> first_context(std::optional<CudaDevice>& first) {
  const Result<cuda::Library>& library = open_cuda();
  if (!library.ok()) return library.status();
  auto devices = list_cuda_devices(*library);
  if (!devices.ok()) return devices.status();
  first = std::move(devices->front());
  return CudaContext::make(*library, *first);
}

// `from` is filled before and `to` read after, at the host's addresses.
Result<Figures> transfer_us(const CudaContext& context, const RandomPayloads& payloads, std::span<const std::byte> from,
                            std::span<std::byte> to, std::uint64_t count) {
  const cuda::Library& cuda = context.cuda();
  auto clock = EventClock::make(context);
  if (!clock.ok()) return clock.status();
  auto memory = DeviceMemory::make(context, payloads.bytes());
  if (!memory.ok()) return memory.status();
  const auto there = clock->us_each(count, [&](cuda::Stream stream) {
    return cuda_status("cuMemcpyHtoDAsync",
                       cuda.copy_to_device_async(memory->at(), from.data(), payloads.bytes(), stream));
  });
  if (!there.ok()) return there.status();
  const auto back = clock->us_each(count, [&](cuda::Stream stream) {
    return cuda_status("cuMemcpyDtoHAsync", cuda.copy_to_host_async(to.data(), memory->at(), payloads.bytes(), stream));
  });
  if (!back.ok()) return back.status();
  WOA_RETURN_IF_ERROR(payloads.check_same(0, to.first(payloads.bytes())));
  return Figures{*there, *back};
}

}  // namespace

Result<Figures> pinned_transfer_us(std::uint64_t bytes, std::uint64_t count) {
  std::optional<CudaDevice> device;
  const auto context = first_context(device);
  if (!context.ok()) return context.status();
  const auto from = PinnedMemory::make(**context, bytes), to = PinnedMemory::make(**context, bytes);
  if (!from.ok() || !to.ok()) return (from.ok() ? to : from).status();
  const RandomPayloads payloads(bytes);
  payloads.fill(0, {from->host(), bytes});
  return transfer_us(**context, payloads, {from->host(), bytes}, {to->host(), bytes}, count);
}

Result<Figures> segment_transfer_us(SharedSegment& from, SharedSegment& to, const RandomPayloads& payloads,
                                    std::uint64_t count) {
  const auto read = from.map(Access::kReadWrite), written = to.map(Access::kReadWrite);
  if (!read.ok() || !written.ok()) return (read.ok() ? written : read).status();
  std::optional<CudaDevice> device;
  const auto context = first_context(device);
  if (!context.ok()) return context.status();
  MappedMemory mapped;
  const std::array mappings{
      BackendMapping{(*read)->bytes(), Access::kRead, true, std::uint16_t{0}, "what is read"},
      BackendMapping{(*written)->bytes(), Access::kReadWrite, true, std::uint16_t{1}, "what is written"}};
  WOA_RETURN_IF_ERROR(mapped.map(*context, *device, mappings));
  if (!mapped.is_registered(0) || !mapped.is_registered(1))
    return {Code::kUnsupported, "the driver registers no memory of another process; the log says why"};
  return transfer_us(**context, payloads, (*read)->bytes(), (*written)->bytes(), count);
}

}  // namespace woa::bench
