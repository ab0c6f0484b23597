// The producer end of a channel in coherent memory that a device publishes packets of. Contract: PreparingSender in
// shared_memory.h.
#pragma once

#include <memory>

#include "runtime/transport/ring_sender.h"
#include "runtime/transport/shared_memory.h"

namespace woa {

// A RingSender, and books of the slots that are written but not known to be out.
class PreparedRing final : public PreparingSender {
 public:
  // As RingSender.
  PreparedRing(const ChannelSpec& spec, std::shared_ptr<Mapping> mapping, Doorbell consumer,
               std::uint32_t first_sequence = 1);
  ~PreparedRing() override { flush(); }
  PreparedRing(const PreparedRing&) = delete;
  PreparedRing& operator=(const PreparedRing&) = delete;

  [[nodiscard]] Push reserve() noexcept override;
  void cancel() noexcept override { ring_.cancel(); }
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override { return ring_.poll_returns(out); }
  Status status() const override;
  void wake() noexcept override { ring_.wake(); }
  void wake_for_room() noexcept override { ring_.wake_for_room(); }
  void want_room(bool wanted) noexcept override { ring_.want_room(wanted); }

  [[nodiscard]] Publication prepare(const ActivationPacket& header,
                                    std::span<const std::byte> inline_payload) noexcept override;
  void publish(const Publication& prepared) noexcept override;
  bool rewrite(const Publication& prepared, const ActivationPacket& header,
               std::span<const std::byte> inline_payload) noexcept override;
  std::size_t flush() noexcept override;
  [[nodiscard]] std::span<std::byte> memory() const noexcept override { return ring_.memory(); }

 private:
  // Who publishes a packet: a device at any time; the host later; the host when its turn comes.
  enum class Publisher : std::uint8_t { kDevice, kHost, kHostInTurn };
  // Whose fault it is that the channel is of no more use. kReader: it says that it has read what is not out. kDevice:
  // it left a gap, which the reader takes for a loss if it looks at that moment.
  enum class Fault : std::uint8_t { kNone, kReader, kDevice };
  struct Slot {
    Publication publication;
    Publisher publisher = Publisher::kDevice;
  };

  Publication note(const Publication& placed) noexcept;
  [[nodiscard]] Slot& at(std::uint32_t number) noexcept { return slots_[(oldest_ + number) & (ring_slots_ - 1)]; }
  [[nodiscard]] std::uint32_t find(const Publication& prepared) noexcept;
  [[nodiscard]] bool overtaken(std::uint32_t number) noexcept;
  void publish_at(std::uint32_t number, const Publication& publication) noexcept;

  RingSender ring_;
  std::uint32_t ring_slots_;
  std::unique_ptr<Slot[]> slots_;  // by slot of the ring
  std::uint32_t oldest_ = 0;       // the slot of the first packet not known to be out
  std::uint32_t count_ = 0;        // packets not known to be out
  std::uint32_t by_host_ = 0;      // those of them that the host publishes
  Fault fault_ = Fault::kNone;
};

}  // namespace woa
