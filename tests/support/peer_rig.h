// One real controller of a plan, cpu:1; the test plays the host and cpu:0 by the other ends of its channels.
#pragma once

#include <memory>
#include <utility>

#include "runtime/node/hosted_controller.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/free_places.h"
#include "tests/support/need.h"

namespace woa::test {

inline constexpr std::uint32_t kPeer = 1, kUnderTest = 2;  // controllers of the plan

struct PeerRig {
  Plan plan;
  Layout layout;
  std::unique_ptr<SharedMemory> transport;
  BackendRegistry backends;
  Segments segments;
  ControllerWiring host, peer;
  std::unique_ptr<HostedController> hosted;

  PeerRig(Plan of, BackendFactory factory, std::unique_ptr<SharedMemory> memory = std::make_unique<LoopbackTransport>())
      : plan(std::move(of)), layout(make_layout(plan)), transport(std::move(memory)) {
    REQUIRE(backends.add(std::move(factory)).ok());
    segments = need(allocate_segments(layout, 0, *transport));
    host = need(open_wiring(layout, kHostController, segments, {transport.get()}));
    peer = need(open_wiring(layout, kPeer, segments, {transport.get()}));
    HostedControllerSetup setup;
    setup.plan = &plan;
    setup.layout = &layout;
    setup.id = kUnderTest;
    setup.backends = &backends;
    setup.transports = {transport.get()};
    setup.segments = &segments;
    hosted = need(HostedController::make(std::move(setup)));
  }

  // A token of three bytes, as the writer of `edge` would send it.
  ActivationPacket token(std::uint32_t edge, std::uint64_t instance, std::uint64_t tag = 0) const {
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    packet.instance = instance;
    packet.tag = tag;
    packet.stage = plan.edges[edge].to_stage;
    packet.port = static_cast<std::uint16_t>(plan.edges[edge].to_port);
    packet.origin = plan.edges[edge].from_stage;
    packet.region = layout.edges[edge].regions.front();
    packet.device = 1;
    packet.payload_bytes = 3;
    return packet;
  }
  static ActivationPacket control(PacketKind kind, std::uint64_t instance) {
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(kind);
    packet.instance = instance;
    packet.origin = kNoStage;
    return packet;
  }
  // The end at which cpu:0 sends the packets of `edge`.
  Sender& channel_of(std::uint32_t edge) const { return *peer.wiring.senders[layout.edges[edge].channel]; }
  Sender& control_channel() const { return *host.wiring.senders[layout.control_of[kUnderTest]]; }
  // Packets on these channels that the controller under test has not read.
  std::uint32_t unread(std::uint32_t edge) const { return unread_of(peer, layout.edges[edge].channel); }
  std::uint32_t unread_control() const { return unread_of(host, layout.control_of[kUnderTest]); }
  static void push(Sender& sender, const ActivationPacket& packet, std::span<const std::byte> inline_payload = {}) {
    REQUIRE(sender.reserve() == Push::kOk);
    sender.commit(packet, inline_payload);
  }
  // Sends a control packet as the host.
  void tell(PacketKind kind, std::uint64_t instance) const { push(control_channel(), control(kind, instance)); }
  // Works until nothing is left to do; returns the controller's status.
  const Status& settle() const {
    for (int quiet = 0; quiet < kPollsUntilLossShows; ++quiet) {
      if (hosted->controller().do_work() > 0) quiet = 0;
    }
    return hosted->controller().status();
  }

 private:
  std::uint32_t unread_of(const ControllerWiring& ends, std::uint32_t channel) const {
    const std::uint32_t slots = layout.channels[channel].spec.ring_slots;
    return slots - free_places(*ends.wiring.senders[channel], slots);
  }
};

}  // namespace woa::test
