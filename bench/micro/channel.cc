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
  const auto bytes = ring_channel_bytes(spec);
  if (!bytes.ok()) return bytes.status();
  auto segment = shared_segment(transport, *bytes);
  if (!segment.ok()) return segment.status();
  auto sender = transport.open_sender(spec, **segment, Doorbell());
  if (!sender.ok()) return sender.status();
  auto receiver = transport.open_receiver(spec, **segment, Doorbell());
  if (!receiver.ok()) return receiver.status();
  return Channel{std::move(*sender), std::move(*receiver)};
}

Result<Region> open_region(SharedMemory& transport, std::size_t bytes) {
  auto segment = shared_segment(transport, bytes);
  if (!segment.ok()) return segment.status();
  auto producer = (*segment)->map(Access::kReadWrite);
  if (!producer.ok()) return producer.status();
  auto consumer = (*segment)->map(Access::kRead);
  if (!consumer.ok()) return consumer.status();
  std::memset((*producer)->bytes().data(), 0, bytes);
  return Region{std::move(*producer), std::move(*consumer)};
}

}  // namespace woa::bench
