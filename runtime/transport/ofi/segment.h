// This process's replica of a segment: registered memory, what arrives for it, and where the others' replicas are.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/transport/ofi/served_fabric.h"
#include "runtime/transport/wire.h"

namespace woa::ofi {

// Another process's replica.
struct PeerReplica {
  fi_addr_t peer = FI_ADDR_UNSPEC;
  std::uint32_t segment = 0;  // its number there
  std::uint64_t base = 0, key = 0;
};

class OfiSegment final : public Replica, public std::enable_shared_from_this<OfiSegment> {
 public:
  // `shared`: other processes have the memory, too. kExhausted: no registration, or too many segments.
  static Result<std::shared_ptr<OfiSegment>> make(std::shared_ptr<ServedFabric> served, std::unique_ptr<Mapping> memory,
                                                  bool shared);
  // Waits until the peer of a channel has closed its end too, a second at most: what is on the way is not cut off. If
  // it has not (it was lost, or never came so far), the provider may still be writing what had come: the memory stays
  // until the endpoint is closed.
  ~OfiSegment() override;
  OfiSegment(const OfiSegment&) = delete;
  OfiSegment& operator=(const OfiSegment&) = delete;

  std::size_t bytes() const noexcept override { return memory_->bytes().size(); }
  Result<std::unique_ptr<Mapping>> map(Access access) override;
  std::string description() const override;

  [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_->bytes(); }
  [[nodiscard]] Piece piece(std::size_t at, std::size_t bytes) const noexcept {
    return {memory().data() + at, bytes, registration_->descriptor()};
  }
  [[nodiscard]] const std::shared_ptr<ServedFabric>& served() const noexcept { return served_; }
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] Mailbox& mailbox() noexcept { return mailbox_; }

  // At start, one thread.
  void add(const PeerReplica& replica) { replicas_.push_back(replica); }
  [[nodiscard]] std::span<const PeerReplica> replicas() const noexcept { return replicas_; }
  // The replica of one peer; null if not connected.
  [[nodiscard]] const PeerReplica* find(fi_addr_t peer) const noexcept;

  // A channel's: its regions, into which and from which the provider may write as long as it waits for the peer.
  void carry(std::shared_ptr<OfiSegment> region);

  // How many channels of this process write blocks of this region out.
  std::atomic<std::uint32_t> writers{0};
  // May another channel, here or in another process, write the same block out at the same time?
  [[nodiscard]] bool has_several_writers() const noexcept {
    return shared_ || writers.load(std::memory_order_relaxed) > 1;
  }

 private:
  OfiSegment(std::shared_ptr<ServedFabric> served, std::unique_ptr<Mapping> memory, bool shared) noexcept
      : served_(std::move(served)), memory_(std::move(memory)), shared_(shared) {}

  std::shared_ptr<ServedFabric> served_;
  std::unique_ptr<Mapping> memory_;
  const bool shared_;
  std::optional<Registration> registration_;
  Mailbox mailbox_;
  bool numbered_ = false;
  std::uint32_t number_ = 0;
  std::vector<PeerReplica> replicas_;
  std::vector<std::shared_ptr<OfiSegment>> carried_;
  bool is_carried_ = false;      // a region's: its channels know when nothing more comes
  bool may_be_written_ = false;  // a region's: a channel went before its peer had closed
};

}  // namespace woa::ofi
