#include "bench/gpu/transfers.h"

#include <array>

#include "bench/gpu/own_device.h"
#include "controllers/gpu/cuda/mapped_memory.h"

namespace woa::bench {
namespace {

// Microseconds of each of `count` copies, by events of the device. One more goes before them.
template <class Copy>
Result<double> us_each(const CudaContext& context, std::uint64_t count, const Copy& copy) {
  const cuda::Library& cuda = context.cuda();
  const auto stream = context.make_stream();
  if (!stream.ok()) return stream.status();
  const auto begin = context.make_event(cuda::kEventTiming), end = context.make_event(cuda::kEventTiming);
  if (!begin.ok() || !end.ok()) return (begin.ok() ? end : begin).status();
  WOA_RETURN_IF_ERROR(copy(stream->get()));
  WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", cuda.event_record(begin->get(), stream->get())));
  for (std::uint64_t n = 0; n < count; ++n) WOA_RETURN_IF_ERROR(copy(stream->get()));
  WOA_RETURN_IF_ERROR(cuda_status("cuEventRecord", cuda.event_record(end->get(), stream->get())));
  WOA_RETURN_IF_ERROR(cuda_status("cuStreamSynchronize", cuda.stream_synchronize(stream->get())));
  const auto ns = between_ns(context, *begin, *end);
  if (!ns.ok()) return ns;
  return *ns / 1e3 / static_cast<double>(count);
}

// `from` is filled before; `to` is read after.
Result<Figures> transfer_us(const CudaContext& context, const RandomPayloads& payloads, const std::byte* from,
                            std::byte* to, std::uint64_t count) {
  const cuda::Library& cuda = context.cuda();
  const std::uint64_t bytes = payloads.bytes();
  const auto memory = DeviceMemory::make(context, bytes);
  if (!memory.ok()) return memory.status();
  const auto there = us_each(context, count, [&](cuda::Stream stream) {
    return cuda_status("cuMemcpyHtoDAsync", cuda.copy_to_device_async(memory->at(), from, bytes, stream));
  });
  if (!there.ok()) return there.status();
  const auto back = us_each(context, count, [&](cuda::Stream stream) {
    return cuda_status("cuMemcpyDtoHAsync", cuda.copy_to_host_async(to, memory->at(), bytes, stream));
  });
  if (!back.ok()) return back.status();
  WOA_RETURN_IF_ERROR(payloads.check_same(0, {to, bytes}));
  return Figures{*there, *back};
}

}  // namespace

Result<Figures> pinned_transfer_us(std::uint64_t bytes, std::uint64_t count) {
  const auto first = FirstDevice::open(cuda::kContextSpin);
  if (!first.ok()) return first.status();
  const auto from = PinnedMemory::make(*first->context, bytes), to = PinnedMemory::make(*first->context, bytes);
  if (!from.ok() || !to.ok()) return (from.ok() ? to : from).status();
  const RandomPayloads payloads(bytes);
  payloads.fill(0, {from->host(), bytes});
  return transfer_us(*first->context, payloads, from->host(), to->host(), count);
}

Result<Figures> segment_transfer_us(SharedSegment& from, SharedSegment& to, const RandomPayloads& payloads,
                                    std::uint64_t count) {
  const auto read = from.map(Access::kReadWrite), written = to.map(Access::kReadWrite);
  if (!read.ok() || !written.ok()) return (read.ok() ? written : read).status();
  const auto first = FirstDevice::open(cuda::kContextSpin);
  if (!first.ok()) return first.status();
  const std::array mappings{
      BackendMapping{(*read)->bytes(), Access::kRead, true, std::uint16_t{0}, "what the GPU reads", {0}},
      BackendMapping{(*written)->bytes(), Access::kReadWrite, true, std::uint16_t{1}, "what the GPU writes", {0}}};
  MappedMemory mapped;
  WOA_RETURN_IF_ERROR(mapped.map(first->context, first->device, mappings).status());
  if (!mapped.is_registered_for(0))
    return {Code::kUnsupported, "the driver registers no memory of another process; the log says why"};
  return transfer_us(*first->context, payloads, (*read)->bytes().data(), (*written)->bytes().data(), count);
}

}  // namespace woa::bench
