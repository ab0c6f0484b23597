#include "runtime/messaging/packing/incoming.h"

namespace woa::packing {
namespace {

// Reads once: the value checked is the value used.
std::uint64_t read(const std::byte* word) noexcept {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(word), __ATOMIC_RELAXED);
}

bool is_message_packet(const ActivationPacket& packet) noexcept {
  return packet.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (packet.flags & ~kHeaderCrc) == 0 &&
         (packet.port == kMorePort || packet.port == kLastPort) && packet.region == 0 &&
         (packet.payload_bytes == 0 || packet.device == static_cast<std::uint8_t>(MemoryKind::kCpu));
}

}  // namespace

Result<std::unique_ptr<Incoming>> Incoming::open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                 ChannelEnd end) {
  auto checked = check_link(transport, spec, link);
  if (!checked.ok()) return checked.status();
  auto memory = link.blocks->map(Access::kRead);
  if (!memory.ok()) return memory.status();
  auto receiver = transport.open_receiver(checked->channel, link.channel, end, checked->regions);
  if (!receiver.ok()) return receiver.status();
  std::unique_ptr<RendezvousReceiver> direct;
  if (link.rendezvous != nullptr) {
    auto opened = transport.wire()->rendezvous()->open_rendezvous_receiver(link.rendezvous, end.own);
    if (!opened.ok()) return opened.status();
    direct = std::move(*opened);
  }
  return std::unique_ptr<Incoming>(
      new Incoming(std::move(*receiver), std::move(*memory), checked->blocks, std::move(direct)));
}

Incoming::Incoming(std::unique_ptr<Receiver> receiver, std::unique_ptr<Mapping> memory, const BlockLayout& blocks,
                   std::unique_ptr<RendezvousReceiver> direct)
    : receiver_(std::move(receiver)),
      direct_(std::move(direct)),
      memory_(std::move(memory)),
      blocks_(blocks),
      busy_(blocks.blocks(), false) {
  kept_.reserve(blocks.blocks());
}

Outcome Incoming::next() noexcept {
  if (receiver_ == nullptr) return Outcome::kClosed;
  settle();
  if (!current_.there) {
    const Outcome outcome = poll();
    if (outcome != Outcome::kOk) return outcome;
  }
  if (read_all() || current_.bytes.size() - current_.at >= kDescriptorBytes) return Outcome::kOk;
  fail(Code::kDataLoss, "a packet ends within a descriptor");
  return Outcome::kClosed;
}

// Makes the next packet the current one.
Outcome Incoming::poll() noexcept {
  const std::size_t packets = receiver_->poll(*this, 1);
  if (!problem_.ok()) {
    receiver_.reset();
    return Outcome::kClosed;
  }
  if (packets == 1) return Outcome::kOk;
  problem_ = receiver_->status().with_context("packing");
  if (!problem_.ok()) receiver_.reset();
  return !problem_.ok() || receiver_->closed() ? Outcome::kClosed : Outcome::kBackPressured;
}

bool Incoming::on_packet(const ActivationPacket& packet, std::span<const std::byte> /*inline_payload*/) noexcept {
  if (const std::string problem = problem_with(packet); !problem.empty()) {
    problem_ = {Code::kDataLoss, "packing: packet " + std::to_string(packets_ + 1) + " refused: " + problem +
                                     "; the link is closed, its sender is at fault"};
    return false;
  }
  ++packets_;
  current_ = {{}, 0, 0, true, packet.port == kLastPort, false};
  if (packet.payload_bytes == 0) return true;
  const std::uint64_t begin = std::uint64_t{packet.offset} * kOffsetUnitBytes;
  current_.bytes = memory_->bytes().subspan(begin, packet.payload_bytes);
  current_.offset = packet.offset;
  set_busy(packet.offset, true);
  return true;
}

// The rule that a packet breaks; empty if none.
std::string Incoming::problem_with(const ActivationPacket& packet) const {
  if (!is_message_packet(packet)) return "no part of a message: " + to_string(packet);
  if (packet.instance != message_)
    return "it is of message " + std::to_string(packet.instance) + ", expected " + std::to_string(message_);
  if (packet.payload_bytes == 0) {
    if (packet.port != kLastPort) return "it is empty, and not the message's last";
    return packet.offset == 0 ? "" : "it is empty, and names a block";
  }
  std::uint32_t block = 0;
  if (!blocks_.find(packet.offset, block) || packet.payload_bytes > blocks_.block_bytes())
    return std::to_string(packet.payload_bytes) + " bytes at " +
           std::to_string(std::uint64_t{packet.offset} * kOffsetUnitBytes) + " are no block; there are " +
           std::to_string(blocks_.blocks()) + " of " + std::to_string(blocks_.block_bytes()) + " bytes";
  if (busy_[block]) return "block " + std::to_string(block) + " was not given back";
  return {};
}

// `offset` must be a block's.
void Incoming::set_busy(std::uint32_t offset, bool busy) noexcept {
  std::uint32_t block = 0;
  if (blocks_.find(offset, block)) busy_[block] = busy;
}

void Incoming::give_back(std::uint32_t offset) noexcept {
  set_busy(offset, false);
  receiver_->give_back({0, offset, 0, 0});
}

Descriptor Incoming::peek() const noexcept {
  const std::byte* at = current_.bytes.data() + current_.at;
  return {read(at), read(at + sizeof(std::uint64_t))};
}

std::span<const std::byte> Incoming::take(std::uint64_t bytes) noexcept {
  const std::span taken = current_.bytes.subspan(current_.at + kDescriptorBytes, static_cast<std::size_t>(bytes));
  current_.at = aligned(current_.at + kDescriptorBytes + taken.size());
  return taken;
}

Outcome Incoming::land(std::span<std::byte> to) noexcept {
  if (receiver_ == nullptr) return Outcome::kClosed;
  switch (direct_->land(to)) {
    case Transfer::kOk: return Outcome::kOk;
    case Transfer::kBackPressured: return Outcome::kBackPressured;
    case Transfer::kRefused: return Outcome::kRefused;
    case Transfer::kClosed: break;
  }
  problem_ = direct_->status().with_context("packing: message " + std::to_string(message_));
  receiver_.reset();
  return Outcome::kClosed;
}

void Incoming::settle() noexcept {
  if (current_.there && read_all() && !current_.last) retire();
}

// True if another block may be kept. Behind a message's last packet nothing needs a block before release().
bool Incoming::one_more_may_be_kept() const noexcept {
  return current_.last || kept_.size() + (current_.kept ? 1 : 0) + promised_ + 1 < blocks_.blocks();
}

bool Incoming::keep() noexcept {
  if (!current_.kept && !one_more_may_be_kept()) return false;
  current_.kept = true;
  return true;
}

bool Incoming::promise() noexcept {
  if (!one_more_may_be_kept()) return false;
  ++promised_;
  return true;
}

void Incoming::keep_promised() noexcept {
  --promised_;
  current_.kept = true;
}

void Incoming::retire() noexcept {
  if (!current_.bytes.empty()) {
    if (current_.kept) {
      kept_.push_back(current_.offset);
    } else {
      give_back(current_.offset);
    }
  }
  current_ = {};
  receiver_->wake();
}

void Incoming::release() noexcept {
  if (receiver_ == nullptr || kept_.empty()) return;
  for (const std::uint32_t offset : kept_) give_back(offset);
  kept_.clear();
  receiver_->wake();
}

void Incoming::finish() noexcept {
  retire();
  promised_ = 0;
  ++message_;
}

void Incoming::fail(Code code, const std::string& what) noexcept {
  problem_ = {code, "packing: message " + std::to_string(message_) + ": " + what + "; the link is closed"};
  receiver_.reset();
}

}  // namespace woa::packing
