// A producer's end whose returned blocks come over a wire, and whose process may die at any step.
#pragma once

#include <memory>

#include "runtime/transport/fault/kill_switch.h"
#include "runtime/transport/fault/lossy_path.h"
#include "runtime/transport/ring_sender.h"
#include "runtime/transport/shared_memory.h"

namespace woa {

// Packets go straight into the channel of the wrapped transport: their wire is at the consumer's end. What comes back
// is taken from the wrapped sender, carried over the wire into a ring of this end's own, and checked by the same code
// as every ring's.
template <class End>  // Sender or PreparingSender
class FaultSender : public End {
 public:
  struct Setup {
    ChannelSpec spec;
    std::unique_ptr<End> inner;
    std::shared_ptr<Mapping> ring;  // zeroed, of `spec`
    FaultSchedule returns, reservations;
    Landing landing = Landing::kByNumber;
    KillSwitch kill;
  };
  explicit FaultSender(Setup setup);
  ~FaultSender() override;
  FaultSender(const FaultSender&) = delete;
  FaultSender& operator=(const FaultSender&) = delete;

  [[nodiscard]] Push reserve() noexcept override;
  void cancel() noexcept override { inner_->cancel(); }
  void commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  Status commit_sealed(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept override;
  std::size_t poll_returns(std::span<BlockReturn> out) noexcept override;
  Status status() const override;
  void wake() noexcept override;
  void want_room(bool wanted) noexcept override { inner_->want_room(wanted); }
  [[nodiscard]] bool room_wanted() const noexcept override { return inner_->room_wanted(); }

 protected:
  std::unique_ptr<End> inner_;
  KillSwitch kill_;
  std::uint32_t committed_ = 0;  // packets

 private:
  struct ReturnItem {
    static constexpr std::uint64_t kBits = 128;
    ReturnWords words;
    void flip(std::uint64_t bit) noexcept;
  };
  void carry() noexcept;
  void hear_keep_alive(std::size_t arrived) noexcept;

  std::shared_ptr<Mapping> ring_;
  ChannelView view_;
  RingSender checked_;  // reads what the wire brought; sends nothing
  LossyPath<ReturnItem> path_;
  FaultSchedule reservations_;
  std::uint32_t refusals_ = 0;             // that are left of a full ring
  std::uint64_t sent_ = 0, received_ = 0;  // returns: by the consumer, by the producer
  std::uint32_t missing_polls_ = 0;        // in which the keep-alive said that more was sent than came
  bool lost_ = false;
};

// The same for packets that a device publishes.
class FaultPreparingSender final : public FaultSender<PreparingSender> {
 public:
  using FaultSender::FaultSender;

  [[nodiscard]] Publication prepare(const ActivationPacket& header,
                                    std::span<const std::byte> inline_payload) noexcept override;
  void publish(const Publication& prepared) noexcept override;
  bool rewrite(const Publication& prepared, const ActivationPacket& header,
               std::span<const std::byte> inline_payload) noexcept override;
  std::size_t flush() noexcept override { return inner_->flush(); }
  [[nodiscard]] std::span<std::byte> memory() const noexcept override { return inner_->memory(); }
};

}  // namespace woa
