// The consumer end of a channel between hosts. Contract: Receiver in channel.h.
//
// An immediate says where a packet has landed. Its header is copied out and judged there; packets are delivered in the
// order of their sequences, whatever the order in which the wire brought them.
#pragma once

#include <vector>

#include "runtime/transport/ofi/channel_endpoint.h"

namespace woa::ofi {

class OfiReceiver final : public Receiver {
 public:
  OfiReceiver(const ChannelSpec& spec, const ChannelMap& map, RegionMap regions, std::shared_ptr<OfiSegment> segment,
              Doorbell own);
  ~OfiReceiver() override;
  OfiReceiver(const OfiReceiver&) = delete;
  OfiReceiver& operator=(const OfiReceiver&) = delete;

  std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept override;
  Status status() const override;
  bool closed() const noexcept override;
  void give_back(const BlockReturn& block) noexcept override;
  // Writes what was consumed and given back to a producer that needs it, whom that rings.
  void wake() noexcept override {
    if (room_wanted() || returns_in_ - returns_out_ > spec_.kept_returns) write_credits();
  }
  [[nodiscard]] bool room_wanted() const noexcept override { return end_.mailbox().peer_wants_room(); }
  void want_room(bool wanted) noexcept override { end_.want_room(wanted); }

 private:
  enum class Loss : std::uint8_t { kNone, kSequence, kOverdue, kRejected, kPlace, kMismatch, kOverflow, kState };
  // A packet that has landed and was not delivered yet, by its slot.
  struct Landed {
    bool there = false;
    ActivationPacket header;
  };

  [[nodiscard]] bool quiet() const noexcept;
  void land(const Immediate& immediate) noexcept;
  [[nodiscard]] const std::byte* header_at(const Immediate& immediate, const RegionPlaces*& region,
                                           std::uint32_t& block) noexcept;
  [[nodiscard]] std::span<const std::byte> inline_payload(const ActivationPacket& packet) const noexcept;
  void found_nothing() noexcept;
  void write_credits() noexcept;
  [[nodiscard]] Post write_line() noexcept;
  [[nodiscard]] std::uint32_t slot(std::uint32_t sequence) const noexcept {
    return (sequence - 1) & (map_.slots() - 1);
  }
  void lose(Loss loss, std::uint64_t found) noexcept { loss_ = loss, found_ = found; }

  const ChannelMap map_;
  const ChannelSpec spec_;
  const RegionMap regions_;
  ChannelEndpoint end_;
  std::vector<Landed> landed_;        // by slot
  Operation* operations_;             // by credit line
  std::vector<BlockReturn> returns_;  // a ring; given back and not written yet
  std::uint32_t returns_in_ = 0, returns_out_ = 0;
  Loss loss_ = Loss::kNone;
  std::uint64_t found_ = 0;        // what stood in place of what was expected
  std::uint32_t next_ = 1;         // sequence of the next delivery
  std::uint32_t next_line_ = 1;    // of the next credit line
  std::uint32_t told_ = 0;         // packets consumed, as the last credit line said
  std::uint32_t empty_polls_ = 0;  // in a row
};

}  // namespace woa::ofi
