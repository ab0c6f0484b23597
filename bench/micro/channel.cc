#include "bench/micro/channel.h"

#include <cstring>
#include <string>
#include <utility>

#include "runtime/transport/doorbell.h"

namespace woa::bench {
namespace {

Result<std::shared_ptr<SharedSegment>> shared_segment(SharedMemory& transport, std::size_t bytes) {
  auto segment = transport.allocate("bench", bytes);
  if (segment.ok() && (*segment)->descriptor() < 0) {
    return {Code::kUnsupported, std::string(transport.name()) + " does not cross processes"};
  }
  return segment;
}

}  // namespace

Result<Channel> open_channel(SharedMemory& transport, const ChannelSpec& spec) {
  WOA_ASSIGN_OR_RETURN(const auto bytes, ring_channel_bytes(spec));
  WOA_ASSIGN_OR_RETURN(auto segment, shared_segment(transport, bytes));
  WOA_ASSIGN_OR_RETURN(auto sender, transport.open_sender(spec, *segment, Doorbell()));
  WOA_ASSIGN_OR_RETURN(auto receiver, transport.open_receiver(spec, *segment, Doorbell()));
  return Channel{std::move(sender), std::move(receiver)};
}

Result<Region> open_region(SharedMemory& transport, std::size_t bytes) {
  WOA_ASSIGN_OR_RETURN(auto segment, shared_segment(transport, bytes));
  WOA_ASSIGN_OR_RETURN(auto producer, segment->map(Access::kReadWrite));
  WOA_ASSIGN_OR_RETURN(auto consumer, segment->map(Access::kRead));
  std::memset(producer->bytes().data(), 0, bytes);
  return Region{std::move(producer), std::move(consumer)};
}

}  // namespace woa::bench
