// The consumer end of a channel in coherent memory; loopback and shm share it. Contract: Receiver in channel.h.
#pragma once

#include <memory>

#include "runtime/transport/doorbell.h"
#include "runtime/transport/ring_layout.h"

namespace woa {

// In lines of its own: another thread may have the other end.
class alignas(128) RingReceiver final : public Receiver {
 public:
  // As RingSender.
  RingReceiver(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell producer,
               std::uint32_t first_sequence = 1);
  ~RingReceiver() override;
  RingReceiver(const RingReceiver&) = delete;
  RingReceiver& operator=(const RingReceiver&) = delete;

  std::size_t poll(PacketSink& sink, std::size_t max_packets) noexcept override;
  Status status() const override;
  bool closed() const noexcept override;
  void give_back(const BlockReturn& block) noexcept override;
  void wake() noexcept override { producer_.ring_for_room(); }
  [[nodiscard]] bool room_wanted() const noexcept override {
    return channel_.words->room_wanted.load(std::memory_order_acquire) != 0;
  }

 private:
  enum class Loss : std::uint8_t { kNone, kSequence, kEnd, kRejected };

  // An empty poll in that many asks whether packets were lost: it takes two more cache lines, which the producer
  // writes.
  static constexpr std::uint32_t kLookAheadEvery = 16;
  static_assert(kLookAheadEvery <= kPollsUntilLossShows);

  // Who waits for a place in a full ring hears of some at a time: each time takes the producer a cache line.
  static constexpr std::size_t kTellConsumedEvery = 16;

  [[gnu::noinline]] std::size_t deliver(PacketSink& sink, std::size_t max_packets) noexcept;
  void nothing_new(std::uint32_t sequence) noexcept;
  void tell_consumed() noexcept;
  [[nodiscard]] std::uint32_t sequence_in(std::uint32_t slot) const noexcept;
  void look_ahead() noexcept;
  [[nodiscard]] std::span<const std::byte> inline_payload(const ActivationPacket& packet) const noexcept;

  std::shared_ptr<Mapping> mapping_;
  ChannelView channel_;
  Doorbell producer_;
  ChannelSpec spec_;
  Loss loss_ = Loss::kNone;
  std::uint32_t found_ = 0;  // the sequence in place of the one expected
  ActivationPacket rejected_;
  std::uint32_t empty_polls_ = 0;  // since the last packet
  RingCursor cursor_;
  RingCursor returns_;
};

}  // namespace woa
