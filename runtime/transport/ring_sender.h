// The producer end of a channel in coherent memory; loopback and shm share it. Contract: Sender in channel.h.
#pragma once

#include <memory>

#include "runtime/transport/doorbell.h"
#include "runtime/transport/ring_layout.h"
#include "runtime/transport/shared_memory.h"
#include "runtime/transport/slot_writer.h"

namespace woa {

// In lines of its own: another thread may have the other end.
class alignas(128) RingSender final : public Sender {
 public:
  // `mapping` holds a zeroed channel of `spec`. Both ends number packets and returns from `first_sequence`: 1, but for
  // tests of the wrap at 2^32 (see RingCursor).
  RingSender(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
             std::uint32_t first_sequence = 1);
  ~RingSender() override;
  RingSender(const RingSender&) = delete;
  RingSender& operator=(const RingSender&) = delete;

  [[nodiscard]] Push reserve() noexcept override;
  void cancel() noexcept override;
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override;
  Status status() const override;
  void wake() noexcept override { consumer_.ring(); }
  void wake_for_room() noexcept override { consumer_.ring_for_room(); }
  void want_room(bool wanted) noexcept override {
    channel_.words->room_wanted.store(wanted ? 1 : 0, std::memory_order_release);
  }
  // Whether reserve() answers kClosed.
  [[nodiscard]] bool closed() const noexcept;

  // Reservations that are neither used up nor cancelled.
  [[nodiscard]] std::uint32_t open() const noexcept {
    return static_cast<std::uint32_t>(channel_.slots.size()) - places_ - (committed() - consumed_);
  }
  // For PreparedRing, whose commits a device ends.
  [[nodiscard]] SlotWriter& slots() noexcept { return slots_; }
  [[nodiscard]] std::span<std::byte> memory() const noexcept { return mapping_->bytes(); }

 private:
  // What the consumer wrote that cannot be: nothing it says is believed any more.
  enum class Broken : std::uint8_t { kNot, kReturn, kConsumed };

  [[nodiscard]] std::uint32_t committed() const noexcept { return slots_.count(); }
  [[nodiscard]] bool plausible(std::uint32_t consumed) const noexcept;
  void refresh_consumed() noexcept;

  std::shared_ptr<Mapping> mapping_;
  ChannelView channel_;
  Doorbell consumer_;
  Broken broken_ = Broken::kNot;
  std::uint32_t found_ = 0;     // what stood in place of what was expected
  std::uint32_t places_;        // free as far as known, and not reserved
  std::uint32_t consumed_ = 0;  // as last read: the shared word is looked at only when no place is left
  SlotWriter slots_;
  RingCursor returns_;
};

}  // namespace woa
