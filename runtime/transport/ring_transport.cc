#include "runtime/transport/ring_transport.h"

#include <string>

#include "runtime/transport/ring_layout.h"
#include "runtime/transport/ring_receiver.h"
#include "runtime/transport/ring_sender.h"

namespace woa {

Result<std::shared_ptr<Segment>> RingTransport::adopt(std::unique_ptr<Mapping>) {
  return {Code::kUnsupported, std::string(name()) + ": both ends map the same memory; map it there, too"};
}

Status RingTransport::connect(const std::shared_ptr<Segment>&, std::string_view) {
  return {Code::kUnsupported, std::string(name()) + ": both ends map the same memory; there is nothing to connect"};
}

Result<std::size_t> RingTransport::channel_bytes(const ChannelSpec& spec) const { return ring_channel_bytes(spec); }

Result<std::shared_ptr<Mapping>> RingTransport::map_channel(const ChannelSpec& spec,
                                                            const std::shared_ptr<Segment>& segment) {
  const Result<std::size_t> bytes = channel_bytes(spec);
  if (!bytes.ok()) return bytes.status();
  if (segment->bytes() != *bytes)
    return {Code::kInvalid, std::string(name()) + ": a channel of " + std::to_string(*bytes) +
                                " bytes in a segment of " + std::to_string(segment->bytes()) +
                                "; allocate channel_bytes() of the same spec"};
  Result<std::unique_ptr<Mapping>> mapping = map(segment, Access::kReadWrite);
  if (!mapping.ok()) return mapping.status();
  return std::shared_ptr<Mapping>(std::move(*mapping));
}

Result<std::unique_ptr<Sender>> RingTransport::open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                           ChannelEnd end) {
  Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  return std::unique_ptr<Sender>(std::make_unique<RingSender>(spec, std::move(*mapping), end.other));
}

Result<std::unique_ptr<Receiver>> RingTransport::open_receiver(const ChannelSpec& spec,
                                                               std::shared_ptr<Segment> segment, ChannelEnd end) {
  Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  return std::unique_ptr<Receiver>(std::make_unique<RingReceiver>(spec, std::move(*mapping), end.other));
}

Status RingTransport::close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) {
  const Result<std::shared_ptr<Mapping>> mapping = map_channel(spec, segment);
  if (!mapping.ok()) return mapping.status();
  const ChannelView channel(spec, (*mapping)->bytes());
  channel.words->producer_cut.store(1, std::memory_order_release);
  channel.words->consumer_cut.store(1, std::memory_order_release);
  return {};
}

}  // namespace woa
