#include "controllers/gpu/cuda/device_blocks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/base/quantities.h"

namespace woa {
namespace {

std::string list_of(std::span<const DeviceRegion> regions) {
  std::string text;
  for (const DeviceRegion& region : regions) {
    text += (text.empty() ? "" : ", ") + std::string("region ") + std::to_string(region.number) + ": " +
            std::to_string(region.blocks) + " blocks of " + bytes_text(region.block_bytes);
  }
  return text;
}

}  // namespace

Status CudaBlocks::allocate(const CudaContext& context, std::span<const DeviceRegion> regions) {
  for (const DeviceRegion& wanted : regions) {
    regions_.resize(std::max<std::size_t>(regions_.size(), wanted.number + std::size_t{1}));
    Region& region = regions_[wanted.number];
    auto memory = DeviceMemory::make(context, wanted.blocks * wanted.block_bytes);
    if (!memory.ok())
      return {memory.status().code(),
              memory.status().message() + ", for region " + std::to_string(wanted.number) +
                  " of payloads that stay in the device (" + list_of(regions) +
                  "); lower the window or the bound of the stages' outputs, or compile with --buffers least"};
    region.memory = std::move(memory).value();
    region.block_bytes = wanted.block_bytes;
    for (std::uint32_t b = 0; b < wanted.blocks; ++b) {
      auto event = context.make_event();
      if (!event.ok()) return event.status();
      region.blocks.push_back({std::move(event).value()});
    }
  }
  return {};
}

bool CudaBlocks::used_by(const Firing& firing) noexcept {
  return std::ranges::any_of(firing.input_memory, hold) || std::ranges::any_of(firing.output_memory, hold);
}

cuda::DevicePtr CudaBlocks::address(const PortMemory& port) const noexcept {
  const Region& region = regions_[port.region];
  return region.memory.at(port.block * region.block_bytes);
}

// A queue is in order: what it wrote itself it need not wait for.
Status CudaBlocks::wait_for_writer(const cuda::Library& cuda, const PortMemory& port, std::uint32_t queue,
                                   cuda::Stream stream) const noexcept {
  const Block& block = at(port);
  if (block.queue == kNoQueue || block.queue == queue) return {};
  return cuda_status("cuStreamWaitEvent", cuda.stream_wait_event(stream, block.written.get(), 0));
}

Status CudaBlocks::set_writer(const cuda::Library& cuda, const PortMemory& port, std::uint32_t queue,
                              cuda::Stream stream) noexcept {
  Block& block = regions_[port.region].blocks[port.block];
  block.queue = queue;
  return cuda_status("cuEventRecord", cuda.event_record(block.written.get(), stream));
}

}  // namespace woa
