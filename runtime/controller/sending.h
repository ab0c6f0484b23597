// Packets that leave a firing, a relay or poison (rules 2 and 8), once their places are claimed. Every header that the
// host writes is assembled here, but for those that a device publishes (publications.h).
//
// One thread; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/controller/bells.h"
#include "runtime/controller/claims.h"
#include "runtime/controller/local_queue.h"
#include "runtime/controller/run_failure.h"
#include "runtime/controller/stage_program.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

// A token to send, as far as its writer knows it.
struct Outgoing : Activation {
  std::uint64_t payload_bytes = 0;
  bool absent = false;
};

class Sending {
 public:
  // Everything outlives it. `oldest`: the instance that this controller knows to be the oldest in flight.
  Sending(StagePrograms& programs, const Layout& layout, Wiring& wiring, LocalQueue& local, Bells& bells,
          ControllerStats& stats, RunFailure& failure, const std::uint64_t& oldest)
      : programs_(programs),
        layout_(layout),
        wiring_(wiring),
        local_(local),
        bells_(bells),
        stats_(stats),
        failure_(failure),
        oldest_(oldest),
        wires_(wires_of(layout) > 0) {}

  // Sends what was written to every edge that takes it and is not prepared. `element`: its number, 0 if the port does
  // not scatter.
  template <bool kPlain>
  void commit(OutPort& port, std::uint32_t element, const PortClaim& claim, const Outgoing& token) noexcept;
  // Tells those who gather a port's elements how many there are, once they are committed; of a port that scatters
  // nothing, the relays that wait for what it writes: 0.
  void commit_count(OutPort& port, std::uint32_t elements, const Activation& of) noexcept {
    if (!port.counts.empty()) send_count(port, elements, of);
  }
  // A packet whose header a device wrote and sealed. kDataLoss: its sequence is not the channel's next.
  Status commit_sealed(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept;
  // Poison, with its message behind it; `header` is complete but for the edge's part. Its place is claimed.
  void send_poison(OutEdge& edge, ActivationPacket header, std::span<const std::byte> text) noexcept;

  // A relay sends the token that it was given to every edge of a port that takes it: same payload block, same tag.
  // `payload` is what the block holds.
  void commit_relay(OutPort& port, const ActivationPacket& token, std::span<const std::byte> payload) noexcept;

 private:
  void send_count(OutPort& port, std::uint32_t elements, const Activation& of) noexcept;
  void put_crc(std::uint16_t region, std::span<const std::byte> payload) noexcept;
  void send(const OutEdge& edge, SentPacket& packet, std::span<const std::byte> payload) noexcept;
  [[nodiscard]] bool make_room() noexcept;
  void cross(const OutEdge& edge, SentPacket& packet, std::span<const std::byte> payload) noexcept;
  void cross(const OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept;

  StagePrograms& programs_;
  const Layout& layout_;
  Wiring& wiring_;
  LocalQueue& local_;
  Bells& bells_;
  ControllerStats& stats_;
  RunFailure& failure_;
  const std::uint64_t& oldest_;
  const bool wires_;  // some payload may take one
};

// Every firing runs through these.

// A token, whose payload is `payload` and lies in the block that `packet` names; or a count, which has none.
[[gnu::always_inline]] inline void Sending::send(const OutEdge& edge, SentPacket& packet,
                                                 std::span<const std::byte> payload) noexcept {
  if (payload.empty()) packet.device = 0;
  if (edge.sender != nullptr) return cross(edge, packet, payload);
  if (!local_.full() || make_room()) edge.write_header(local_.push(edge.edge), packet);
}

template <bool kPlain>
[[gnu::always_inline]] inline void Sending::commit(OutPort& port, std::uint32_t element, const PortClaim& claim,
                                                   const Outgoing& token) noexcept {
  const std::uint64_t index = kPlain ? 0 : port.index_of(element);
  const std::span<const std::byte> payload(claim.block, token.payload_bytes);
  const auto takers = kPlain ? static_cast<std::uint32_t>(port.edges.size()) : port.takers(token, index);
  if (port.commit_pool != nullptr) port.commit_pool->hold(claim.offset, takers);
  if (wires_) put_crc(claim.region, payload);
  for (OutEdge& edge : port.sent) {
    if (!kPlain && !edge.takes(token, index)) continue;
    SentPacket packet{edge.sent(token, index), token.payload_bytes, claim.offset, claim.region, edge.memory};
    if (token.absent) packet.flags = kAbsent;
    send(edge, packet, payload);
  }
}

}  // namespace woa
