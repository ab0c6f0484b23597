#include "runtime/controller/claims.h"

namespace woa {

void Claims::abort_port(OutPort& port, std::uint32_t elements, const Activation& of, const PortClaim* claims) noexcept {
  untake(port.counts, of, 0);
  for (std::uint32_t e = 0; e < elements; ++e) abort_element(port, e, of, claims[e]);
}

void Claims::abort(std::span<OutPort> ports, const Activation& of, std::span<const PortClaim> claims) noexcept {
  const PortClaim* next = claims.data();
  for (OutPort& port : ports) {
    abort_port(port, port.elements, of, next);
    next += port.elements;
  }
}

void Claims::withdraw(std::span<OutPort> ports, const Activation& of, std::span<const PortClaim> claims) noexcept {
  const PortClaim* next = claims.data();
  for (OutPort& port : ports) {
    const PortClaim* const claim = std::exchange(next, next + port.elements);
    if (port.prepared.empty()) {
      abort_port(port, port.elements, of, claim);
      continue;
    }
    untake(port.counts, of, 0);
    for (OutEdge& edge : port.sent) {
      if (!edge.takes(of, 0)) continue;
      edge.untake(of.instance);
      (void)port.pool->release(claim->offset);
    }
  }
}

bool Claims::claim_relay(OutPort& port, std::uint32_t elements, const Activation& of) noexcept {
  if (!take<false>(port.counts, of, 0)) return false;
  for (std::uint32_t e = 0; e < elements; ++e) {
    if (take<false>(port.edges, of, 0)) continue;
    abort_relay(port, e, of);
    return false;
  }
  return true;
}

void Claims::abort_relay(OutPort& port, std::uint32_t elements, const Activation& of) noexcept {
  untake(port.counts, of, 0);
  for (std::uint32_t e = 0; e < elements; ++e) untake(port.edges, of, 0);
}

bool Claims::claim_passed(OutPort& port, const Activation& of) noexcept { return take<false>(port.edges, of, 0); }

void Claims::abort_passed(OutPort& port, const Activation& of) noexcept { untake(port.edges, of, 0); }

}  // namespace woa
