#include "bench/gpu/transfers.h"

#include <array>

#include "bench/gpu/own_device.h"
#include "controllers/gpu/cuda/mapped_memory.h"

namespace woa::bench {
namespace {

// `from` is filled before; `to` is read after.
Result<Figures> transfer_us(const CudaContext& context, const RandomPayloads& payloads, const std::byte* from,
                            std::byte* to, std::uint64_t count) {
  const cuda::Library& cuda = context.cuda();
  const std::uint64_t bytes = payloads.bytes();
  WOA_ASSIGN_OR_RETURN(const auto memory, DeviceMemory::make(context, bytes));
  WOA_ASSIGN_OR_RETURN(const auto stream, context.make_stream());
  const auto bring = [&] {
    return cuda_status("cuMemcpyHtoDAsync", cuda.copy_to_device_async(memory.at(), from, bytes, stream.get()));
  };
  const auto fetch = [&] {
    return cuda_status("cuMemcpyDtoHAsync", cuda.copy_to_host_async(to, memory.at(), bytes, stream.get()));
  };
  WOA_ASSIGN_OR_RETURN(const double there, us_of_each(context, stream.get(), {1, count}, bring));
  WOA_ASSIGN_OR_RETURN(const double back, us_of_each(context, stream.get(), {1, count}, fetch));
  WOA_RETURN_IF_ERROR(payloads.check_same(0, {to, bytes}));
  return Figures{there, back};
}

}  // namespace

Result<Figures> pinned_transfer_us(std::uint64_t bytes, std::uint64_t count) {
  WOA_ASSIGN_OR_RETURN(const auto first, FirstDevice::open(cuda::kContextSpin));
  WOA_ASSIGN_OR_RETURN(const auto from, PinnedMemory::make(*first.context, bytes));
  WOA_ASSIGN_OR_RETURN(const auto to, PinnedMemory::make(*first.context, bytes));
  const RandomPayloads payloads(bytes);
  payloads.fill(0, {from.host(), bytes});
  return transfer_us(*first.context, payloads, from.host(), to.host(), count);
}

Result<Figures> segment_transfer_us(SharedSegment& from, SharedSegment& to, const RandomPayloads& payloads,
                                    std::uint64_t count) {
  WOA_ASSIGN_OR_RETURN(const auto read, from.map(Access::kReadWrite));
  WOA_ASSIGN_OR_RETURN(const auto written, to.map(Access::kReadWrite));
  WOA_ASSIGN_OR_RETURN(const auto first, FirstDevice::open(cuda::kContextSpin));
  const std::array mappings{
      BackendMapping{read->bytes(), Access::kRead, true, std::uint16_t{0}, "what the GPU reads", {0}},
      BackendMapping{written->bytes(), Access::kReadWrite, true, std::uint16_t{1}, "what the GPU writes", {0}}};
  MappedMemory mapped;
  WOA_RETURN_IF_ERROR(mapped.map(first.context, first.device, mappings).status());
  if (!mapped.is_registered_for(0))
    return {Code::kUnsupported, "the driver registers no memory of another process; the log says why"};
  return transfer_us(*first.context, payloads, read->bytes().data(), written->bytes().data(), count);
}

}  // namespace woa::bench
