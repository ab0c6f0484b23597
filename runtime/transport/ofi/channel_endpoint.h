// One end of a channel over libfabric: the peer's replica to write into, what arrives from there, and whether the peer
// still lives. It is not libfabric's endpoint (fid_ep), which all channels of a provider share (fabric.h). The end's
// own thread calls everything but what Served says.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/transport/ofi/channel_map.h"
#include "runtime/transport/ofi/segment.h"

namespace woa::ofi {

class ChannelEndpoint final : public Served {
 public:
  // `segment` has exactly one replica. `lines` is how many lines the peer may have on the way (a power of two). They
  // ring `own` for `brings`.
  ChannelEndpoint(std::shared_ptr<OfiSegment> segment, std::uint32_t lines, Doorbell own,
                  Doorbell::For brings = Doorbell::kWork);
  // Tells the peer that this end closed; waits until that, and so all that was written before it, has left this
  // process's memory, a second at most.
  ~ChannelEndpoint() override;
  ChannelEndpoint(const ChannelEndpoint&) = delete;
  ChannelEndpoint& operator=(const ChannelEndpoint&) = delete;

  [[nodiscard]] OfiSegment& segment() const noexcept { return *segment_; }
  [[nodiscard]] Mailbox& mailbox() noexcept { return segment_->mailbox(); }
  [[nodiscard]] const Mailbox& mailbox() const noexcept { return segment_->mailbox(); }
  [[nodiscard]] Fabric& fabric() noexcept { return segment_->served()->fabric; }
  [[nodiscard]] const PeerReplica& remote() const noexcept { return remote_; }
  // The place `at` bytes into the peer's replica of this channel.
  [[nodiscard]] Target target(std::size_t at, std::uint32_t place, std::uint32_t sequence) const noexcept;

  // Looks for arrivals. `always`, or only if nobody else did since the last time. The last look of an owner that has
  // announced its sleep leaves the rest to the service thread, and may make a system call; one that sleeps on the
  // fabric itself does not.
  void look(bool always) noexcept;
  // What was written so far: the next packet or credit line will have `next`.
  void announce(std::uint32_t next) noexcept { announced_.store(next, std::memory_order_release); }
  // There is no room on the wire: the service thread rings this end's controller until wait_for_room(false) or
  // closed().
  void wait_for_room(bool waiting) noexcept { waiting_.store(waiting, std::memory_order_relaxed); }
  // Tells the peer whether this end waits for room. That it waits no longer is told after some calls that say so. For a
  // word that finds no place on the wire the service thread rings this end's controller until the next call.
  void want_room(bool wanted) noexcept;
  // True once the peer has said for a second that it is past `expected`, and nothing came.
  [[nodiscard]] bool overdue(std::uint32_t expected) noexcept;

  [[nodiscard]] bool closed() const noexcept;
  // kPeerLost with the reason, or ok.
  [[nodiscard]] Status lost() const;

  void beat(std::uint64_t now_ns) noexcept override;
  bool retry() noexcept override;

 private:
  enum class Word : std::uint8_t { kBeat, kRoom, kLast };  // each has an operation of its own
  [[nodiscard]] Post post_state(Word word) noexcept;

  std::shared_ptr<OfiSegment> segment_;
  PeerReplica remote_;
  Doorbell own_;
  Operation* operations_;  // by Word
  const std::uint64_t opened_ns_;
  std::atomic<std::uint32_t> announced_{1};
  std::atomic<bool> waiting_{false};
  std::mutex state_mutex_;  // around the line that this side writes its state from
  std::atomic<bool> wants_room_{false}, untold_{false};
  std::uint32_t unwanted_ = 0;  // calls in a row
  std::uint64_t seen_looks_ = 0;
  std::uint64_t behind_since_ns_ = 0;  // 0: as far as the peer says
  std::uint32_t behind_at_ = 0;
};

}  // namespace woa::ofi
