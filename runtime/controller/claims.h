// Claims: what a firing must have before it starts (rules 2 and 8). For each token that it may write, a block of its
// output's region; for each edge that takes the token, a credit and a place in the ring of the edge's channel.
//
// One thread; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "runtime/controller/stage_program.h"

namespace woa {

// One token's claim. One edge of a reader with replicas takes the token. A port that scatters has a claim for each
// element that it may write. A port that is written in place has no region: its block is that of the firing's token,
// which the controller sets.
struct PortClaim {
  std::byte* block = nullptr;
  std::uint32_t offset = 0;  // units of 64 bytes
  std::uint16_t region = 0;
};

class Claims {
 public:
  // `oldest` outlives it: the instance that this controller knows to be the oldest in flight.
  explicit Claims(const std::uint64_t& oldest) : oldest_(oldest) {}

  // All claims of a firing or none: every output port, unwritten ports of one_of groups included, in order. kPlain:
  // StageProgram::plain.
  template <bool kPlain>
  [[nodiscard]] bool claim(std::span<OutPort> ports, const Activation& of, std::span<PortClaim> claims) noexcept;
  // Gives all claims of some ports back unused, those of a whole firing or the first ones.
  void abort(std::span<OutPort> ports, const Activation& of, std::span<const PortClaim> claims) noexcept;
  // Gives the claim of a port that does not scatter back unused, and those of its signals.
  [[gnu::always_inline]] void abort_one(OutPort& port, const Activation& of, const PortClaim& claim) noexcept {
    untake(port.counts, of, 0);
    abort_element(port, 0, of, claim);
  }
  // Gives the claim of an element back unused.
  [[gnu::always_inline]] void abort_element(OutPort& port, std::uint32_t element, const Activation& of,
                                            const PortClaim& claim) noexcept {
    untake(port.edges, of, port.index_of(element));
    if (port.pool != nullptr) port.pool->hold(claim.offset, 0);
  }
  // Gives the claims of a started firing back where its packets are not prepared.
  void withdraw(std::span<OutPort> ports, const Activation& of, std::span<const PortClaim> claims) noexcept;

  // Claims what a relay needs for `elements` tokens and their count; more than one only if it gathers. A relay passes
  // others' blocks on and needs none.
  [[nodiscard]] bool claim_relay(OutPort& port, std::uint32_t elements, const Activation& of) noexcept;
  static void abort_relay(OutPort& port, std::uint32_t elements, const Activation& of) noexcept;
  // Claims like claim_relay(), for one token that a relay passes on, with the token's own tag.
  [[nodiscard]] bool claim_passed(OutPort& port, const Activation& of) noexcept;
  static void abort_passed(OutPort& port, const Activation& of) noexcept;

  // True if since the last call a claim failed because a ring had no place. Nobody tells when it has one again: the
  // claim must be tried at the next occasion.
  [[nodiscard]] bool take_ring_was_full() noexcept { return std::exchange(ring_was_full_, false); }

 private:
  [[nodiscard]] bool take(OutEdge& edge, std::uint64_t instance) noexcept;
  template <bool kPlain>
  [[nodiscard]] bool take(std::span<OutEdge> edges, const Activation& of, std::uint64_t index) noexcept;
  [[gnu::always_inline]] static void untake(std::span<OutEdge> edges, const Activation& of,
                                            std::uint64_t index) noexcept {
    for (OutEdge& edge : edges) {
      if (edge.takes(of, index)) edge.untake(of.instance);
    }
  }
  template <bool kPlain>
  [[nodiscard]] bool claim_token(OutPort& port, std::uint32_t element, const Activation& of, PortClaim& claim) noexcept;
  template <bool kPlain>
  [[nodiscard]] bool claim_port(OutPort& port, const Activation& of, PortClaim* claims) noexcept;
  void abort_port(OutPort& port, std::uint32_t elements, const Activation& of, const PortClaim* claims) noexcept;

  const std::uint64_t& oldest_;
  bool ring_was_full_ = false;
};

// Every firing runs through these.

// A credit and a place for one token. False: it has none, or its channel is closed; nothing is taken.
[[gnu::always_inline]] inline bool Claims::take(OutEdge& edge, std::uint64_t instance) noexcept {
  if (!edge.credits.take(instance, oldest_)) return false;
  const Push place = edge.reserve();
  if (place == Push::kOk) return true;
  // Blocks alone would always leave a place in the ring, but poison takes places without a block.
  if (place == Push::kBackPressured) ring_was_full_ = true;
  (void)edge.credits.give(instance);
  return false;
}

// Takes a credit and a place on every edge that takes the token, or none.
template <bool kPlain>
[[gnu::always_inline]] inline bool Claims::take(std::span<OutEdge> edges, const Activation& of,
                                                std::uint64_t index) noexcept {
  for (OutEdge& edge : edges) {
    if ((!kPlain && !edge.takes(of, index)) || take(edge, of.instance)) continue;
    untake({edges.data(), &edge}, of, index);
    return false;
  }
  return true;
}

// False: an edge has no credit or no place, or no block is free; nothing is taken.
template <bool kPlain>
[[gnu::always_inline]] inline bool Claims::claim_token(OutPort& port, std::uint32_t element, const Activation& of,
                                                       PortClaim& claim) noexcept {
  if (!take<kPlain>(port.edges, of, port.index_of(element))) return false;
  if (port.pool == nullptr) return true;
  if (!port.pool->claim(claim.offset)) {
    // Every block out there occupies a credit, so a free credit on each edge that takes it means a free block; unless a
    // port's edges are taken by few of its readers.
    untake(port.edges, of, port.index_of(element));
    return false;
  }
  claim.region = port.region;
  claim.block = port.block(claim.offset);
  return true;
}

// A port's tokens and signals. `claims`: from its first token's on.
template <bool kPlain>
[[gnu::always_inline]] inline bool Claims::claim_port(OutPort& port, const Activation& of, PortClaim* claims) noexcept {
  if (kPlain) return claim_token<true>(port, 0, of, *claims);
  if (!take<false>(port.counts, of, 0)) return false;
  for (std::uint32_t e = 0; e < port.elements; ++e) {
    if (claim_token<false>(port, e, of, claims[e])) continue;
    abort_port(port, e, of, claims);
    return false;
  }
  return true;
}

template <bool kPlain>
[[gnu::always_inline]] inline bool Claims::claim(std::span<OutPort> ports, const Activation& of,
                                                 std::span<PortClaim> claims) noexcept {
  PortClaim* next = claims.data();
  for (OutPort& port : ports) {
    if (!claim_port<kPlain>(port, of, next)) {
      abort({ports.data(), &port}, of, claims);
      return false;
    }
    next += kPlain ? 1 : port.elements;
  }
  return true;
}

}  // namespace woa
