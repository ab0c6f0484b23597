// The sending half of a controller: claims before a firing, packets after it (rules 2 and 8). Every header that the
// host writes is assembled here.
//
// One thread; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/bells.h"
#include "runtime/controller/local_queue.h"
#include "runtime/controller/run_failure.h"
#include "runtime/controller/stage_program.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

// One token's reservation: a block of its output's region, and for each edge that takes it (of a reader with replicas
// one does) a credit and a place in the channel's ring. A port that scatters has one for each element that it may
// write. A port that is written in place has no region: its block is that of the firing's token, which the controller
// sets.
struct PortClaim {
  std::byte* block = nullptr;
  std::uint32_t offset = 0;  // units of 64 bytes
  std::uint16_t region = 0;
};

// A token to send, as far as its writer knows it.
struct Outgoing {
  FiringKey key;
  std::uint64_t deadline = 0;
  std::uint64_t payload_bytes = 0;
  bool absent = false;
};

// The packets that a device publishes for one firing.
struct Prepared {
  struct Place {
    OutEdge* edge;
    std::uint32_t offset;  // of the payload's block
  };
  std::vector<Publication> publications;
  std::vector<Place> places;  // of each publication

  void reserve(std::size_t packets) {
    publications.reserve(packets);
    places.reserve(packets);
  }
  void clear() noexcept {
    publications.clear();
    places.clear();
  }
  [[nodiscard]] bool empty() const noexcept { return publications.empty(); }
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

  // All claims of a firing or none: every output port, unwritten ports of one_of groups included, in order. kPlain:
  // StageProgram::plain.
  template <bool kPlain>
  [[nodiscard]] bool claim(std::span<OutPort> ports, const FiringKey& key, std::span<PortClaim> claims) noexcept;
  // Gives all claims of some ports back unused, those of a whole firing or the first ones.
  void abort(std::span<OutPort> ports, const FiringKey& key, std::span<const PortClaim> claims) noexcept;
  // Gives one claim back unused: a port's that does not scatter, with its signals; an element's.
  [[gnu::always_inline]] void abort_one(OutPort& port, const FiringKey& key, const PortClaim& claim) noexcept {
    untake(port.counts, key, 0);
    abort_element(port, 0, key, claim);
  }
  [[gnu::always_inline]] void abort_element(OutPort& port, std::uint32_t element, const FiringKey& key,
                                            const PortClaim& claim) noexcept {
    untake(port.edges, key, port.index_of(element));
    if (port.pool != nullptr) port.pool->hold(claim.offset, 0);
  }
  // Sends what was written to every edge that takes it and is not prepared. `element`: its number, 0 if the port does
  // not scatter.
  template <bool kPlain>
  void commit(OutPort& port, std::uint32_t element, const PortClaim& claim, const Outgoing& token) noexcept;
  // Tells those who gather a port's elements how many there are, once they are committed; of a port that scatters
  // nothing, the relays that wait for what it writes: 0.
  void commit_count(OutPort& port, std::uint32_t elements, const FiringKey& key, std::uint64_t deadline) noexcept {
    if (!port.counts.empty()) send_count(port, elements, key, deadline);
  }
  // Prepares the packets of a token that a device will publish, by every edge of the port that is prepared, and appends
  // them. Its payload is not there yet.
  void prepare(OutPort& port, const PortClaim& claim, const Outgoing& token, Prepared& out) noexcept;
  // Gives the claims of started firings back where their packets are not prepared.
  void withdraw(std::span<OutPort> ports, const FiringKey& key, std::span<const PortClaim> claims) noexcept;
  // The device stores no more of what was prepared. Publishes the host's share of it, and whatever waited for its turn.
  void settle(const Prepared& prepared) noexcept;
  // The same, for a firing that failed: poison, complete but for the edges' part, takes the place of each packet that
  // is not out, whose blocks are free again. False: some packet is out.
  [[nodiscard]] bool settle_as_poison(const Prepared& prepared, const ActivationPacket& poison,
                                      std::span<const std::byte> text) noexcept;
  // A packet whose header a device wrote and sealed. kDataLoss: its sequence is not the channel's next.
  Status commit_sealed(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept;
  // Poison, with its message behind it; `header` is complete but for the edge's part. Its place is claimed.
  void send_poison(OutEdge& edge, ActivationPacket header, std::span<const std::byte> text) noexcept;

  // A relay sends the token that it was given to every edge of a port: same payload block, same tag. `payload` is what
  // the block holds. One that gathers sends `elements` tokens and then their number.
  [[nodiscard]] bool claim_relay(OutPort& port, std::uint32_t elements, const FiringKey& key) noexcept;
  static void abort_relay(OutPort& port, std::uint32_t elements, const FiringKey& key) noexcept;
  void commit_relay(OutPort& port, const ActivationPacket& token, std::span<const std::byte> payload) noexcept;

  // True if since the last call a claim failed because a ring had no place. Nobody tells when it has one again: the
  // claim must be tried at the next occasion.
  [[nodiscard]] bool take_ring_was_full() noexcept { return std::exchange(ring_was_full_, false); }

 private:
  [[nodiscard]] bool take(OutEdge& edge, std::uint64_t instance) noexcept;
  template <bool kPlain>
  [[nodiscard]] bool take(std::span<OutEdge> edges, const FiringKey& key, std::uint64_t index) noexcept;
  [[gnu::always_inline]] static void untake(std::span<OutEdge> edges, const FiringKey& key,
                                            std::uint64_t index) noexcept {
    for (OutEdge& edge : edges) {
      if (edge.takes(key, index)) edge.untake(key.instance);
    }
  }
  template <bool kPlain>
  [[nodiscard]] bool claim_token(OutPort& port, std::uint32_t element, const FiringKey& key, PortClaim& claim) noexcept;
  template <bool kPlain>
  [[nodiscard]] bool claim_port(OutPort& port, const FiringKey& key, PortClaim* claims) noexcept;
  void abort_port(OutPort& port, std::uint32_t elements, const FiringKey& key, const PortClaim* claims) noexcept;
  void send_count(OutPort& port, std::uint32_t elements, const FiringKey& key, std::uint64_t deadline) noexcept;
  void put_crc(std::uint16_t region, std::span<const std::byte> payload) noexcept;
  void send(const OutEdge& edge, SentPacket& packet, std::span<const std::byte> payload) noexcept;
  [[nodiscard]] bool make_room() noexcept;
  void cross(const OutEdge& edge, SentPacket& packet, std::span<const std::byte> payload) noexcept;
  [[nodiscard]] static ActivationPacket addressed(const OutEdge& edge, ActivationPacket poison) noexcept;
  void cross(const OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept;
  void count(const OutEdge& edge, const ActivationPacket& header) noexcept;

  StagePrograms& programs_;
  const Layout& layout_;
  Wiring& wiring_;
  LocalQueue& local_;
  Bells& bells_;
  ControllerStats& stats_;
  RunFailure& failure_;
  const std::uint64_t& oldest_;
  const bool wires_;  // some payload may take one
  bool ring_was_full_ = false;
};

// What every firing runs through.

// A credit and a place for one token. False: it has none, or its channel is closed; nothing is taken.
[[gnu::always_inline]] inline bool Sending::take(OutEdge& edge, std::uint64_t instance) noexcept {
  if (!edge.credits.take(instance, oldest_)) return false;
  const Push place = edge.reserve();
  if (place == Push::kOk) return true;
  // Blocks alone would always leave a place in the ring, but poison takes places without a block.
  if (place == Push::kBackPressured) ring_was_full_ = true;
  (void)edge.credits.give(instance);
  return false;
}

// The same on every edge that takes the token.
template <bool kPlain>
[[gnu::always_inline]] inline bool Sending::take(std::span<OutEdge> edges, const FiringKey& key,
                                                 std::uint64_t index) noexcept {
  for (OutEdge& edge : edges) {
    if ((!kPlain && !edge.takes(key, index)) || take(edge, key.instance)) continue;
    untake({edges.data(), &edge}, key, index);
    return false;
  }
  return true;
}

// False: as take().
template <bool kPlain>
[[gnu::always_inline]] inline bool Sending::claim_token(OutPort& port, std::uint32_t element, const FiringKey& key,
                                                        PortClaim& claim) noexcept {
  if (!take<kPlain>(port.edges, key, port.index_of(element))) return false;
  if (port.pool == nullptr) return true;
  if (!port.pool->claim(claim.offset)) {
    // Every block out there occupies a credit, so a free credit on each edge that takes it means a free block; unless a
    // port's edges are taken by few of its readers.
    untake(port.edges, key, port.index_of(element));
    return false;
  }
  claim.region = port.region;
  claim.block = port.block(claim.offset);
  return true;
}

// A port's tokens and signals. `claims`: from its first token's on.
template <bool kPlain>
[[gnu::always_inline]] inline bool Sending::claim_port(OutPort& port, const FiringKey& key,
                                                       PortClaim* claims) noexcept {
  if (kPlain) return claim_token<true>(port, 0, key, *claims);
  if (!take<false>(port.counts, key, 0)) return false;
  for (std::uint32_t e = 0; e < port.elements; ++e) {
    if (claim_token<false>(port, e, key, claims[e])) continue;
    abort_port(port, e, key, claims);
    return false;
  }
  return true;
}

template <bool kPlain>
[[gnu::always_inline]] inline bool Sending::claim(std::span<OutPort> ports, const FiringKey& key,
                                                  std::span<PortClaim> claims) noexcept {
  PortClaim* next = claims.data();
  for (OutPort& port : ports) {
    if (!claim_port<kPlain>(port, key, next)) {
      abort({ports.data(), &port}, key, claims);
      return false;
    }
    next += kPlain ? 1 : port.elements;
  }
  return true;
}

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
  const auto takers = kPlain ? static_cast<std::uint32_t>(port.edges.size()) : port.takers(token.key, index);
  if (port.commit_pool != nullptr) port.commit_pool->hold(claim.offset, takers);
  if (wires_) put_crc(claim.region, payload);
  for (OutEdge& edge : port.sent) {
    if (!kPlain && !edge.takes(token.key, index)) continue;
    SentPacket packet{token.key.instance, edge.sent_tag(token.key.tag, index),
                      token.deadline,     token.payload_bytes,
                      claim.offset,       claim.region,
                      edge.memory};
    if (token.absent) packet.flags = kAbsent;
    send(edge, packet, payload);
  }
}

}  // namespace woa
