#include "runtime/transport/prepared_ring.h"

#include <cassert>

namespace woa {
namespace {

bool is_out(const Publication& publication) noexcept {
  return publication.word->load(std::memory_order_acquire) == publication.value;
}

}  // namespace

PreparedRing::PreparedRing(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
                           std::uint32_t first_sequence)
    : ring_(spec, std::move(mapping), consumer, first_sequence),
      ring_slots_(spec.ring_slots),
      slots_(std::make_unique<Slot[]>(spec.ring_slots)) {}

// A place may be free again, for all that the consumer says, whose packet is not out: then the consumer is broken. The
// books would have two packets in one slot, and the device's store would come after the host took the slot back.
Push PreparedRing::reserve() noexcept {
  if (fault_ != Fault::kNone) return Push::kClosed;
  const Push push = ring_.reserve();
  if (push != Push::kOk) return push;
  if (count_ + ring_.open() <= ring_slots_ || flush() + ring_.open() <= ring_slots_) return Push::kOk;
  fault_ = Fault::kReader;
  cancel();
  return Push::kClosed;
}

void PreparedRing::commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  publish(prepare(header, inline_payload));
}

Status PreparedRing::commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  WOA_RETURN_IF_ERROR(ring_.slots().check_next(header));
  flush();
  publish(note(ring_.slots().place_sealed(header, inline_payload)));
  return {};
}

Status PreparedRing::status() const {
  switch (fault_) {
    case Fault::kNone: break;
    case Fault::kReader:
      return {Code::kDataLoss, "channel: the reader says that it has read packets that are not published: " +
                                   std::to_string(count_) + " are not, among the last " + std::to_string(ring_slots_)};
    case Fault::kDevice:
      return {Code::kDataLoss,
              "channel: the device published a packet before the one in front of it; it must hold back what it started "
              "after a firing that failed, until that has completed"};
  }
  return ring_.status();
}

Publication PreparedRing::prepare(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  flush();
  return note(ring_.slots().place(header, inline_payload));
}

void PreparedRing::publish(const Publication& prepared) noexcept {
  const std::uint32_t number = find(prepared);
  assert(number < count_);
  publish_at(number, at(number).publication);
}

bool PreparedRing::rewrite(const Publication& prepared, const ActivationPacket& header,
                           std::span<const std::byte> inline_payload) noexcept {
  flush();
  const std::uint32_t number = find(prepared);
  if (number >= count_ || is_out(at(number).publication)) return false;
  if (overtaken(number)) fault_ = Fault::kDevice;
  const std::uint32_t slot = (oldest_ + number) & (ring_slots_ - 1);
  publish_at(number, ring_.slots().rewrite(prepared, slot, header, inline_payload));
  return true;
}

std::size_t PreparedRing::flush() noexcept {
  for (; count_ > 0; --count_, oldest_ = (oldest_ + 1) & (ring_slots_ - 1)) {
    const auto& [publication, publisher] = at(0);
    if (publisher == Publisher::kDevice && !is_out(publication)) break;
    if (publisher == Publisher::kHost) break;
    if (publisher == Publisher::kHostInTurn) publication.store(), --by_host_;
  }
  return count_;
}

// Enters a packet that has its place into the books.
Publication PreparedRing::note(const Publication& placed) noexcept {
  at(count_++) = {placed, by_host_ == 0 ? Publisher::kDevice : Publisher::kHost};
  if (by_host_ == 0) return placed;
  ++by_host_;
  return {nullptr, placed.value};
}

// How many packets before it are not known to be out; at least count_ if it is out itself.
std::uint32_t PreparedRing::find(const Publication& prepared) noexcept {
  return static_cast<std::uint32_t>(prepared.value - at(0).publication.value);
}

// The device published one behind it.
bool PreparedRing::overtaken(std::uint32_t number) noexcept {
  for (std::uint32_t behind = number + 1; behind < count_; ++behind)
    if (at(behind).publisher == Publisher::kDevice && is_out(at(behind).publication)) return true;
  return false;
}

void PreparedRing::publish_at(std::uint32_t number, const Publication& publication) noexcept {
  if (at(number).publisher == Publisher::kDevice) ++by_host_;
  at(number) = {publication, Publisher::kHostInTurn};
  flush();
}

}  // namespace woa
