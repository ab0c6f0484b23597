// Packets that a device publishes (docs/adr/0046-prepared-publications.md): the host writes all of them but the store
// that makes them visible.
//
// One thread; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/controller/bells.h"
#include "runtime/controller/claims.h"
#include "runtime/controller/sending.h"
#include "runtime/controller/stage_program.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

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

class Publications {
 public:
  explicit Publications(Bells& bells) : bells_(bells) {}  // which outlive it

  // Prepares the packets of a token that a device will publish, by every edge of the port that is prepared, and appends
  // them. Its payload is not there yet.
  void prepare(OutPort& port, const PortClaim& claim, const Outgoing& token, Prepared& out) noexcept;
  // The device stores no more of what was prepared. Publishes the host's share of it, and whatever waited for its turn.
  void complete(const Prepared& prepared) noexcept;
  // The same, for a firing that failed: poison, complete but for the edges' part, takes the place of each packet that
  // is not out, whose blocks are free again. False: some packet is out.
  [[nodiscard]] bool complete_as_poison(const Prepared& prepared, const ActivationPacket& poison,
                                        std::span<const std::byte> text) noexcept;

 private:
  Bells& bells_;
};

}  // namespace woa
