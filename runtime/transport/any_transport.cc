#include "runtime/transport/any_transport.h"

namespace woa {
namespace {

template <class Kind>
Result<std::shared_ptr<Segment>> as_segment(Result<std::shared_ptr<Kind>> made) {
  if (!made.ok()) return made.status();
  return std::shared_ptr<Segment>(std::move(*made));
}

Status other_kind() { return {Code::kInvalid, "a segment of another transport; allocate it by this one"}; }

}  // namespace

Result<std::size_t> AnyTransport::channel_bytes(const ChannelSpec& spec) const {
  return wire_ ? wire_->channel_bytes(spec) : ring_channel_bytes(spec);
}

Result<std::shared_ptr<Segment>> AnyTransport::allocate(std::string_view label, std::size_t bytes) const {
  return wire_ ? as_segment(wire_->allocate(label, bytes)) : as_segment(shared_->allocate(label, bytes));
}

Result<std::unique_ptr<Sender>> AnyTransport::open_sender(const ChannelSpec& spec,
                                                          const std::shared_ptr<Segment>& segment,
                                                          const ChannelEnd& end,
                                                          std::span<const ChannelRegion> regions) const {
  if (wire_) return wire_->open_sender(spec, std::dynamic_pointer_cast<Replica>(segment), end.own, regions);
  auto* const own = dynamic_cast<SharedSegment*>(segment.get());
  return own ? shared_->open_sender(spec, *own, end.other) : other_kind();
}

Result<std::unique_ptr<Receiver>> AnyTransport::open_receiver(const ChannelSpec& spec,
                                                              const std::shared_ptr<Segment>& segment,
                                                              const ChannelEnd& end,
                                                              std::span<const ChannelRegion> regions) const {
  if (wire_) return wire_->open_receiver(spec, std::dynamic_pointer_cast<Replica>(segment), end.own, regions);
  auto* const own = dynamic_cast<SharedSegment*>(segment.get());
  return own ? shared_->open_receiver(spec, *own, end.other) : other_kind();
}

}  // namespace woa
