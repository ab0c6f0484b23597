#include "runtime/controller/room_requests.h"

#include <algorithm>

namespace woa {
namespace {

// True if the edge's reader writes over the payload and passes the block on.
bool passes_on(const Plan& plan, const Layout& layout, std::uint32_t e) {
  const EdgePlan& edge = plan.edges[e];
  return std::ranges::find(layout.passed_input[edge.to_stage], static_cast<std::int32_t>(edge.to_port)) !=
         layout.passed_input[edge.to_stage].end();
}

}  // namespace

RoomRequests::RoomRequests(const Plan& plan, const Layout& layout, std::uint32_t controller, const Wiring& wiring) {
  std::vector<bool> passing(layout.channels.size(), false);
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    if (layout.edges[e].crosses() && passes_on(plan, layout, e)) passing[layout.edges[e].channel] = true;
  }
  for (std::uint32_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (passing[c] && channel.to == controller) producers_.push_back(wiring.receivers[c].get());
    if (passing[c] && channel.from == controller && !channel.wire) consumers_.push_back(wiring.senders[c].get());
    if (channel.wire && channel.from == controller && !channel.control)
      consumers_by_wire_.push_back(wiring.senders[c].get());
    if (channel.wire && channel.to == controller && channel.control) host_by_wire_ = wiring.receivers[c].get();
  }
}

bool RoomRequests::any() const noexcept {
  return std::ranges::any_of(producers_, [](const Receiver* producer) { return producer->room_wanted(); });
}

void RoomRequests::tell(bool waits) noexcept {
  for (Sender* const consumer : consumers_by_wire_) consumer->want_room(waits);
  if (host_by_wire_ != nullptr) host_by_wire_->want_room(waits);
  if (waits == told_) return;
  told_ = waits;
  for (Sender* const consumer : consumers_) {
    consumer->want_room(waits);
    if (waits) consumer->wake();
  }
}

}  // namespace woa
