// The producer end of a channel between hosts. Contract: Sender in channel.h.
//
// Every packet is one write. It goes out at commit(); where the wire has no room for it, with the next call of any
// kind.
#pragma once

#include <vector>

#include "runtime/transport/ofi/channel_endpoint.h"
#include "runtime/transport/ring_layout.h"

namespace woa::ofi {

class OfiSender final : public Sender {
 public:
  OfiSender(const ChannelSpec& spec, const ChannelMap& map, RegionMap regions, std::shared_ptr<OfiSegment> segment,
            Doorbell own);
  // Writes what is still to go out, for a second at most. What the process dies holding is cut off: the consumer reads
  // what was committed, then hears that the peer is lost.
  ~OfiSender() override;
  OfiSender(const OfiSender&) = delete;
  OfiSender& operator=(const OfiSender&) = delete;

  [[nodiscard]] Push reserve() noexcept override;
  void cancel() noexcept override;
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override;
  Status status() const override;
  // What was committed rings the consumer when it arrives; this only tries again what found no room.
  void wake() noexcept override { write_out(); }
  void want_room(bool wanted) noexcept override { end_.want_room(wanted); }
  [[nodiscard]] bool room_wanted() const noexcept override { return end_.mailbox().peer_wants_room(); }

 private:
  enum class Broken : std::uint8_t { kNo, kPlace, kSequence, kLine, kCount, kReturns, kLost, kState, kWrite };

  // What of a block a packet brings.
  struct Region {
    RegionPlaces places;
    PeerReplica remote;
    std::vector<std::uint32_t> held;  // by block: packets that the consumer has and has not given back
  };
  // A committed packet, by its slot in the ring.
  struct Outgoing {
    Region* region = nullptr;  // null: it goes into the ring
    std::uint32_t block = 0;
    std::size_t bytes = 0;  // behind the header
  };

  [[nodiscard]] bool closed() const noexcept { return broken_ != Broken::kNo || end_.closed(); }
  [[nodiscard]] bool full() const noexcept { return (next_ - 1) - consumed_ + open_ >= map_.slots(); }
  void publish(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept;
  [[nodiscard]] Region* region_of(const ActivationPacket& header, std::uint32_t& block) noexcept;
  void write_out() noexcept;
  [[nodiscard]] Post write(std::uint32_t sequence) noexcept;
  void absorb() noexcept;
  void arrived(const Immediate& immediate) noexcept;
  void read_lines() noexcept;
  [[nodiscard]] Broken take(const CreditLine& line) noexcept;
  void given_back(const BlockReturn& block) noexcept;
  [[nodiscard]] std::uint32_t slot(std::uint32_t sequence) const noexcept {
    return (sequence - 1) & (map_.slots() - 1);
  }

  const ChannelMap map_;
  const bool header_crc_;
  std::vector<Region> regions_;  // destroyed after end_, whose destructor waits for writes under way
  ChannelEndpoint end_;
  std::vector<Outgoing> outgoing_;     // by slot
  Operation* operations_;              // by slot
  std::vector<std::uint8_t> lines_;    // by line: arrived and not read
  std::vector<BlockReturn> returned_;  // a ring; what poll_returns() has not handed out
  std::uint32_t returns_in_ = 0, returns_out_ = 0;
  Broken broken_ = Broken::kNo;
  std::uint32_t open_ = 0;       // reservations
  std::uint32_t next_ = 1;       // sequence of the next commit
  std::uint32_t next_out_ = 1;   // of the next write
  std::uint32_t next_line_ = 1;  // of the next credit line
  std::uint32_t consumed_ = 0;
};

}  // namespace woa::ofi
