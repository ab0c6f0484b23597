// A transport of either kind, for libraries that work over both (runtime/messaging).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/transport/shared_memory.h"
#include "runtime/transport/wire.h"

namespace woa {

// The doorbells of a channel's controllers, for either of its ends; they outlive it.
struct ChannelEnd {
  ChannelEnd() = default;
  ChannelEnd(Doorbell other_controller) : other(other_controller) {}  // NOLINT(google-explicit-constructor)

  Doorbell other;  // of the other end's controller: wake() rings it where memory is shared
  Doorbell own;    // of this end's controller: what arrives rings it where memory is not shared
};

// A value that borrows the transport. Functions are those of SharedMemory and Wire.
class AnyTransport {
 public:
  AnyTransport(SharedMemory& shared) noexcept : shared_(&shared) {}  // NOLINT(google-explicit-constructor)
  AnyTransport(Wire& wire) noexcept : wire_(&wire) {}                // NOLINT(google-explicit-constructor)

  // Null where memory is shared.
  [[nodiscard]] Wire* wire() const noexcept { return wire_; }
  [[nodiscard]] std::string_view name() const noexcept { return wire_ ? wire_->name() : shared_->name(); }
  // In front of each block of a region: kHeaderRoom, or 0 where memory is shared.
  [[nodiscard]] std::uint32_t header_room() const noexcept { return wire_ ? kHeaderRoom : 0; }
  [[nodiscard]] Result<std::size_t> channel_bytes(const ChannelSpec& spec) const;
  [[nodiscard]] Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) const;
  // kInvalid: `segment` is of the other kind. Regions count only on wires.
  [[nodiscard]] Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec,
                                                            const std::shared_ptr<Segment>& segment,
                                                            const ChannelEnd& end,
                                                            std::span<const ChannelRegion> regions = {}) const;
  [[nodiscard]] Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec,
                                                                const std::shared_ptr<Segment>& segment,
                                                                const ChannelEnd& end,
                                                                std::span<const ChannelRegion> regions = {}) const;

 private:
  SharedMemory* shared_ = nullptr;
  Wire* wire_ = nullptr;  // one of both
};

}  // namespace woa
