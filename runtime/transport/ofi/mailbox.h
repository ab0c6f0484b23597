// What arrives for one segment of this process: the immediates for the end that is open on it, and what its peer's
// keep-alives say. Written by whoever makes the fabric progress, under its lock; read by the end's thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/transport/doorbell.h"
#include "runtime/transport/ofi/immediate.h"

namespace woa::ofi {

// Stands at the beginning of a channel's segment (place kStatePlace); written by the peer with each keep-alive, when it
// begins or ends to wait for room, and when it closes. One line, so that it is one small write.
struct StateLine {
  static constexpr std::uint32_t kMagic = 0x53414f57;  // "WOAS"
  std::uint32_t magic = kMagic;
  std::uint32_t next_sequence = 0;  // that its next packet or credit line will have
  std::uint32_t closed = 0;         // 1: there will be none
  std::uint32_t wants_room = 0;     // 1: it waits for room (Sender::want_room)
  std::uint32_t reserved[12]{};
};
static_assert(sizeof(StateLine) == 64);

// Why a peer is lost.
enum class Lost : std::uint32_t { kNo, kSilent, kNeverHeard, kWire };

class Mailbox {
 public:
  // ---- under the fabric's lock
  // `state` is where the peer writes its StateLine. Holds at most `capacity` immediates at once (a power of two); those
  // that came before are there too. Who came too early for any end is kept until then. They ring `own` for `brings`.
  void open(const std::byte* state, std::size_t capacity, Doorbell own, Doorbell::For brings);
  void close(std::uint64_t now_ns) noexcept;
  void arrive(const Immediate& immediate, std::uint64_t now_ns);
  void lose(Lost why, int error) noexcept;

  // ---- the end's thread
  [[nodiscard]] bool pop(Immediate& out) noexcept;
  [[nodiscard]] bool empty() const noexcept {
    return popped_.load(std::memory_order_relaxed) == pushed_.load(std::memory_order_acquire);
  }
  // More immediates came than a peer that keeps to the protocol sends.
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_.load(std::memory_order_relaxed); }

  // ---- any thread
  // As the peer's last keep-alive said; 0 before the first. Read `peer_closed` first.
  [[nodiscard]] bool peer_closed() const noexcept { return peer_closed_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint32_t peer_next() const noexcept { return peer_next_.load(std::memory_order_acquire); }
  [[nodiscard]] bool peer_wants_room() const noexcept { return peer_wants_room_.load(std::memory_order_relaxed); }
  // Has the peer's end been heard of at all?
  [[nodiscard]] bool beating() const noexcept { return beating_.load(std::memory_order_relaxed); }
  // Did this end close while the peer's, which may live though it has not been heard of yet, has not?
  [[nodiscard]] bool awaits_peer() const noexcept {
    return closed_ns() != 0 && !peer_closed() && !is_cut() && lost() == Lost::kNo;
  }
  [[nodiscard]] std::uint64_t closed_ns() const noexcept { return closed_ns_.load(); }  // 0: it is open, or never was
  [[nodiscard]] bool nonsense() const noexcept { return nonsense_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t heard_ns() const noexcept { return heard_ns_.load(std::memory_order_relaxed); }
  [[nodiscard]] Lost lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  [[nodiscard]] int wire_error() const noexcept { return wire_error_.load(std::memory_order_relaxed); }
  void cut() noexcept { cut_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_cut() const noexcept { return cut_.load(std::memory_order_acquire); }

 private:
  void push(const Immediate& immediate) noexcept;
  void read_state() noexcept;

  const std::byte* state_ = nullptr;  // null: no end has been opened yet
  Doorbell own_;
  Doorbell::For brings_ = Doorbell::kWork;
  std::vector<Immediate> early_;
  std::vector<Immediate> ring_;
  alignas(64) std::atomic<std::size_t> pushed_{0};
  alignas(64) std::atomic<std::size_t> popped_{0};
  alignas(64) std::atomic<std::uint64_t> heard_ns_{0};
  std::atomic<std::uint32_t> peer_next_{0};
  std::atomic<Lost> lost_{Lost::kNo};
  std::atomic<int> wire_error_{0};
  std::atomic<bool> peer_closed_{false}, beating_{false}, peer_wants_room_{false};
  std::atomic<std::uint64_t> closed_ns_{0};
  std::atomic<bool> nonsense_{false}, overflowed_{false}, cut_{false};
};

}  // namespace woa::ofi
