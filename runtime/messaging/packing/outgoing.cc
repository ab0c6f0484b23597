#include "runtime/messaging/packing/outgoing.h"

#include <array>
#include <cstring>

namespace woa::packing {

Result<Outgoing> Outgoing::open(AnyTransport transport, const LinkSpec& spec, const Link& link, ChannelEnd end) {
  auto checked = check_link(transport, spec, link);
  if (!checked.ok()) return checked.status();
  auto blocks = link.blocks->map(Access::kReadWrite);
  if (!blocks.ok()) return blocks.status();
  auto sender = transport.open_sender(checked->channel, link.channel, end, checked->regions);
  if (!sender.ok()) return sender.status();
  std::unique_ptr<RendezvousSender> direct;
  if (link.rendezvous != nullptr) {
    auto opened = transport.wire()->rendezvous()->open_rendezvous_sender(link.rendezvous, end.own);
    if (!opened.ok()) return opened.status();
    direct = std::move(*opened);
  }
  return Outgoing(std::move(*sender), std::move(*blocks), BlockPool(checked->blocks), std::move(direct));
}

Outgoing::Outgoing(std::unique_ptr<Sender> sender, std::unique_ptr<Mapping> blocks, BlockPool pool,
                   std::unique_ptr<RendezvousSender> direct) noexcept
    : sender_(std::move(sender)), blocks_(std::move(blocks)), pool_(std::move(pool)), direct_(std::move(direct)) {}

Outcome Outgoing::open_block() noexcept {
  if (!take_back()) problem_ = {Code::kDataLoss, "packing: the receiver gave back a block that it did not have; rerun"};
  if (!problem_.ok()) return Outcome::kClosed;
  if (!pool_.claim(offset_)) return is_closed(*sender_) ? Outcome::kClosed : Outcome::kBackPressured;
  at_ = blocks_->bytes().data() + std::uint64_t{offset_} * kOffsetUnitBytes;
  used_ = 0;
  return Outcome::kOk;
}

// False: the consumer returned a block that is not under way.
bool Outgoing::take_back() noexcept {
  std::array<BlockReturn, 16> returns;
  for (std::size_t count = returns.size(); count == returns.size();) {
    count = sender_->poll_returns(returns);
    for (std::size_t k = 0; k < count; ++k)
      if (!pool_.release(returns[k].offset)) return false;
  }
  return true;
}

void Outgoing::append(const Descriptor& descriptor, std::span<const std::byte> bytes) noexcept {
  std::byte* const to = at_ + aligned(used_);
  std::memcpy(to, &descriptor, kDescriptorBytes);
  if (!bytes.empty()) std::memcpy(to + kDescriptorBytes, bytes.data(), bytes.size());
  used_ = aligned(used_) + kDescriptorBytes + bytes.size();
  copied_bytes_ += bytes.size();
}

Outcome Outgoing::commit(std::uint16_t port, std::uint64_t message) noexcept {
  if (!problem_.ok()) return Outcome::kClosed;
  if (const Push push = sender_->reserve(); push != Push::kOk)
    return push == Push::kClosed ? Outcome::kClosed : Outcome::kBackPressured;
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.port = port;
  packet.instance = message;
  if (has_block()) {
    packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
    packet.offset = offset_;
    packet.payload_bytes = used_;
    pool_.hold(offset_, 1);
    at_ = nullptr;
  }
  sender_->commit(packet);
  sender_->wake();
  ++packets_;
  return Outcome::kOk;
}

Outcome Outgoing::write_direct() noexcept {
  poll();  // the packet with the offer may not have found room yet
  if (!problem_.ok()) return Outcome::kClosed;
  switch (direct_->write()) {  // even if the receiver closed: an earlier grant may be at fault
    case Transfer::kOk: return Outcome::kOk;
    case Transfer::kBackPressured: return is_closed(*sender_) ? Outcome::kClosed : Outcome::kBackPressured;
    case Transfer::kRefused: return Outcome::kRefused;
    case Transfer::kClosed: break;
  }
  problem_ = direct_->status().with_context("packing");
  return Outcome::kClosed;
}

Status Outgoing::status() const {
  WOA_RETURN_IF_ERROR(problem_);
  WOA_RETURN_IF_ERROR(sender_->status().with_context("packing"));
  if (is_closed(*sender_))
    return {Code::kPeerLost, "packing: the receiver closed; this end had sent " + std::to_string(packets_) +
                                 " packets; read the receiver's log"};
  return {};
}

}  // namespace woa::packing
