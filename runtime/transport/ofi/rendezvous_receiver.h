// The consumer end of a rendezvous. Contract: RendezvousReceiver in rendezvous.h.
#pragma once

#include <bitset>
#include <optional>

#include "runtime/transport/ofi/channel_endpoint.h"
#include "runtime/transport/ofi/grant_line.h"
#include "runtime/transport/ofi/registration_cache.h"

namespace woa::ofi {

class OfiRendezvousReceiver final : public RendezvousReceiver {
 public:
  OfiRendezvousReceiver(std::shared_ptr<OfiSegment> segment, const RegistrationLimits& limits, Doorbell own);
  ~OfiRendezvousReceiver() override;
  OfiRendezvousReceiver(const OfiRendezvousReceiver&) = delete;
  OfiRendezvousReceiver& operator=(const OfiRendezvousReceiver&) = delete;

  [[nodiscard]] Transfer land(std::span<std::byte> to) noexcept override;
  void forget(std::span<const std::byte> memory) noexcept override { registrations_.forget(memory); }
  [[nodiscard]] std::uint64_t landed() const noexcept override;
  [[nodiscard]] Status status() const override;

 private:
  enum class Broken : std::uint8_t { kNo, kPlace, kState, kLost, kWrite };

  void grant(std::span<std::byte> to) noexcept;
  [[nodiscard]] bool tell() noexcept;
  void hear() noexcept;
  [[nodiscard]] bool gone() const noexcept;
  Transfer finish(Transfer outcome) noexcept;

  std::shared_ptr<OfiSegment> segment_;
  RegistrationCache registrations_;
  std::optional<ChannelEndpoint> end_;  // until the destructor
  Operation* operation_;
  std::span<std::byte> to_;  // granted
  const Registration* registration_ = nullptr;
  bool told_ = false;
  std::bitset<kMostChunks> chunks_;  // that have landed
  std::uint32_t first_missing_ = 0;
  std::uint32_t number_ = 1;    // of this transfer
  std::uint32_t expected_ = 1;  // chunks that landed since this end was opened, and one
  Broken broken_ = Broken::kNo;
  std::uint64_t found_ = 0;
};

}  // namespace woa::ofi
