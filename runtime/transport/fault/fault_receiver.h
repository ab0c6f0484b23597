// A consumer's end whose packets come over a wire, and whose process may die at any step.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/transport/fault/kill_switch.h"
#include "runtime/transport/fault/lossy_path.h"
#include "runtime/transport/ring_receiver.h"

namespace woa {

// Packets are taken from the wrapped receiver with the sequence that their sender gave them, carried over the wire into
// a ring of this end's own, and checked by the same code as every ring's. Blocks go straight back: their wire is at the
// producer's end.
class FaultReceiver final : public Receiver {
 public:
  struct Setup {
    ChannelSpec spec;
    std::unique_ptr<Receiver> inner;
    std::shared_ptr<Mapping> ring;  // zeroed, of `spec`
    FaultSchedule packets;
    Landing landing = Landing::kByNumber;
    KillSwitch kill;
    std::map<std::uint16_t, std::unique_ptr<Mapping>> replicas = {};  // of the regions that packets may name, by number
  };
  explicit FaultReceiver(Setup setup);
  ~FaultReceiver() override;
  FaultReceiver(const FaultReceiver&) = delete;
  FaultReceiver& operator=(const FaultReceiver&) = delete;

  std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept override;
  Status status() const override;
  bool closed() const noexcept override;
  void give_back(const BlockReturn& block) noexcept override;
  void wake() noexcept override;
  [[nodiscard]] bool room_wanted() const noexcept override { return inner_->room_wanted(); }
  void want_room(bool wanted) noexcept override { inner_->want_room(wanted); }

 private:
  class Delivery;
  class Arrival;
  struct PacketItem {
    static constexpr std::uint64_t kBits = 8 * kPacketBytes;  // any bit is one of the header
    HeaderWords words{};
    std::vector<std::byte> inline_payload;
    std::span<std::byte> block;  // the payload in a replica's
    void flip(std::uint64_t bit) noexcept;
  };
  void land(std::uint64_t position, const PacketItem& item) noexcept;
  [[nodiscard]] bool carry(const ActivationPacket& packet, std::span<const std::byte> inline_payload,
                           Delivery& delivery) noexcept;
  [[nodiscard]] std::span<std::byte> block_of(const ActivationPacket& packet) const noexcept;
  void deliver(Delivery& delivery) noexcept;
  void hear_keep_alive(const Delivery& delivery) noexcept;

  std::unique_ptr<Receiver> inner_;
  std::shared_ptr<Mapping> ring_;
  std::map<std::uint16_t, std::unique_ptr<Mapping>> replicas_;
  ChannelView view_;
  RingReceiver checked_;  // reads what the wire brought; gives nothing back
  LossyPath<PacketItem> path_;
  KillSwitch kill_;
  PacketItem passing_;                     // scratch of carry()
  std::uint64_t sent_ = 0, received_ = 0;  // packets: by the producer, by the consumer
  std::uint32_t returns_ = 0;
  std::uint32_t missing_polls_ = 0;  // in which the keep-alive said that more was sent than came
  bool lost_ = false;
};

}  // namespace woa
