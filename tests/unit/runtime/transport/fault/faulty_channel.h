// A channel of the fault transport with both ends open, and what its tests need.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/transport/fault/fault_transport.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/cts/transport/channel.h"
#include "tests/support/says.h"

namespace woa::test {

using cts::Inbox;
using cts::kAll;
using cts::poll_for_long;
using cts::send;
using cts::token;

enum class Inner { kLoopback, kShm };
inline constexpr std::array kInners{Inner::kLoopback, Inner::kShm};
inline constexpr std::array kLandings{Landing::kByNumber, Landing::kByArrival};

inline std::unique_ptr<SharedMemory> make_inner(Inner inner) {
  if (inner == Inner::kLoopback) return std::make_unique<LoopbackTransport>();
  return std::make_unique<ShmTransport>();
}

struct FaultyChannel {
  FaultyChannel(Inner inner, std::vector<FaultPlan> plans, PathOptions wire = {}, ChannelSpec of = {16, 16, 64, false})
      : spec(of), transport(make_inner(inner), std::move(plans), wire) {
    segment = need(transport.allocate("channel", need(ring_channel_bytes(spec))));
    sender = need(transport.open_sender(spec, *segment, {}));
    receiver = need(transport.open_receiver(spec, *segment, {}));
  }
  // Packets number 1 to `last`, told apart by `instance`.
  void send_until(std::uint64_t last) {
    for (std::uint64_t n = sent + 1; n <= last; ++n) REQUIRE(send(*sender, token(n)));
    sent = last;
  }
  // Nothing but packets 1, 2, 3 ... came; returns the last.
  std::uint64_t received_in_order() const {
    for (std::uint64_t n = 0; n < inbox.packets.size(); ++n) REQUIRE(inbox.packets[n].instance == n + 1);
    return inbox.packets.size();
  }

  ChannelSpec spec;
  FaultTransport transport;
  std::shared_ptr<SharedSegment> segment;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
  Inbox inbox;
  std::uint64_t sent = 0;
};

// A plan for a fault that packet number `first` meets.
inline FaultPlan fault(FaultKind kind, std::uint64_t first, std::uint32_t amount = 1) {
  FaultPlan plan;
  plan.kind = kind;
  plan.first = first;
  plan.amount = amount;
  return plan;
}
// A plan for a fault that return number `first` meets.
inline FaultPlan return_fault(FaultKind kind, std::uint64_t first, std::uint32_t amount = 1) {
  FaultPlan plan = fault(kind, first, amount);
  plan.target = FaultTarget::kReturns;
  return plan;
}

// Over every wrapped transport and every way to land: one run of `body` for each.
template <class Body>
void for_every_wire(Body&& body) {
  for (const Inner inner : kInners) {
    for (const Landing landing : kLandings) {
      INFO((inner == Inner::kShm ? "shm" : "loopback")
           << (landing == Landing::kByNumber ? ", by number" : ", by arrival"));
      body(inner, PathOptions{landing, false});
    }
  }
}

}  // namespace woa::test
