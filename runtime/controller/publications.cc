#include "runtime/controller/publications.h"

namespace woa {

// A reader may give the block back before the firing has completed, so the block gets all its readers now.
void Publications::prepare(OutPort& port, const PortClaim& claim, const Outgoing& token, Prepared& out) noexcept {
  port.pool->hold(claim.offset, port.takers(token, 0));
  for (OutEdge& edge : port.prepared) {
    if (!edge.takes(token, 0)) continue;
    ActivationPacket header;
    edge.write_header(header, {edge.sent(token, 0), token.payload_bytes, claim.offset, claim.region, edge.memory});
    edge.count_packet(header);
    out.publications.push_back(edge.prepares->prepare(header));
    out.places.push_back({&edge, claim.offset});
  }
}

void Publications::complete(const Prepared& prepared) noexcept {
  for (std::size_t k = 0; k < prepared.places.size(); ++k) {
    OutEdge& edge = *prepared.places[k].edge;
    if (prepared.publications[k].word == nullptr) edge.prepares->publish(prepared.publications[k]);
    edge.prepares->flush();
    bells_.ring_later(edge.channel);
  }
}

bool Publications::complete_as_poison(const Prepared& prepared, const ActivationPacket& poison,
                                      std::span<const std::byte> text) noexcept {
  bool none_out = true;
  for (std::size_t k = 0; k < prepared.places.size(); ++k) {
    OutEdge& edge = *prepared.places[k].edge;
    bells_.ring_later(edge.channel);
    if (!edge.prepares->rewrite(prepared.publications[k], edge.addressed(poison), text)) {
      none_out = false;
      continue;
    }
    (void)edge.credits.give(poison.instance);
    (void)edge.pool->release(prepared.places[k].offset);
  }
  return none_out;
}

}  // namespace woa
