// The producer end of a rendezvous. Contract: RendezvousSender in rendezvous.h.
#pragma once

#include "runtime/transport/ofi/channel_endpoint.h"
#include "runtime/transport/ofi/grant_line.h"
#include "runtime/transport/ofi/registration_cache.h"

namespace woa::ofi {

class OfiRendezvousSender final : public RendezvousSender {
 public:
  OfiRendezvousSender(std::shared_ptr<OfiSegment> segment, const RegistrationLimits& limits, Doorbell own);

  [[nodiscard]] bool offer(std::span<const std::byte> from) noexcept override;
  [[nodiscard]] Transfer write() noexcept override;
  [[nodiscard]] Status status() const override;

 private:
  // Chunks that are handed to the provider at once: keep-alives and packets to the same peer wait behind them.
  static constexpr std::uint32_t kChunksAtOnce = 4;
  enum class Broken : std::uint8_t { kNo, kPlace, kLine, kNumber, kBytes, kState, kLost, kWrite };

  void hear() noexcept;
  [[nodiscard]] Broken take(const GrantLine& line) noexcept;
  [[nodiscard]] Post post_chunks() noexcept;
  [[nodiscard]] Post post_chunk(std::uint32_t chunk) noexcept;
  void note_what_left() noexcept;
  Transfer finish(Transfer outcome) noexcept;
  [[nodiscard]] Operation& operation(std::uint32_t chunk) noexcept { return operations_[chunk % kChunksAtOnce]; }

  RegistrationCache registrations_;  // destroyed after end_, whose destructor waits for writes under way
  ChannelEndpoint end_;
  Operation* operations_;
  std::span<const std::byte> from_;             // offered
  const Registration* registration_ = nullptr;  // of that
  GrantLine grant_;
  bool granted_ = false;
  std::uint32_t posted_ = 0, left_ = 0;  // chunks of this transfer
  std::uint32_t number_ = 1;             // of this transfer
  std::uint32_t announced_ = 1;          // chunks that left since this end was opened, and one
  Broken broken_ = Broken::kNo;
  std::uint64_t found_ = 0;
};

}  // namespace woa::ofi
