#include "bench/micro/one_thread_hop.h"

#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/measure/plans.h"
#include "runtime/node/hosted_controller.h"

namespace woa::bench {

using namespace measure;
namespace {

constexpr std::uint32_t kControllers = 3;

// Sees the token that comes out at the end.
class Arrival final : public PacketSink {
 public:
  bool on_packet(const ActivationPacket&, std::span<const std::byte>) noexcept override { return there = true; }
  bool there = false;
};

Result<std::unique_ptr<HostedController>> make_node(const RunOptions& options, const Plan& plan, const Layout& layout,
                                                    const Segments& segments, std::uint32_t id) {
  HostedControllerSetup setup;
  setup.plan = &plan;
  setup.layout = &layout;
  setup.id = id;
  setup.backends = options.backends;
  setup.transports = {options.transport, {}};
  setup.segments = &segments;
  setup.kernel_path = options.kernel_path;
  setup.read_declaration = options.read_declaration;
  return HostedController::make(std::move(setup));
}

// Plays the source.
void send_token(const Layout& layout, Wiring& host, std::uint64_t bytes, std::uint64_t counter) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.stage = kSinkStage + 1;
  packet.origin = kSourceStage;
  packet.device = 1;
  packet.region = layout.edges.front().regions.front();
  packet.payload_bytes = bytes;
  std::memcpy(host.regions[packet.region].data(), &counter, sizeof counter);
  Sender& sender = *host.senders[layout.edges.front().channel];
  if (sender.reserve() == Push::kOk) sender.commit(packet);
}

}  // namespace

Result<double> one_thread_hop_ns(const RunOptions& options, std::uint64_t bytes, std::uint64_t hops) {
  const Plan plan = ping_pong(1, bytes, static_cast<std::uint32_t>(bytes));
  const Layout layout = make_layout(plan);
  WOA_ASSIGN_OR_RETURN(const auto segments, allocate_segments(layout, 0, *options.transport));
  WOA_ASSIGN_OR_RETURN(auto host, open_wiring(layout, kHostController, segments, {options.transport, {}}));
  WOA_ASSIGN_OR_RETURN(const auto ping, make_node(options, plan, layout, segments, 1));
  WOA_ASSIGN_OR_RETURN(const auto pong, make_node(options, plan, layout, segments, 2));
  send_token(layout, host.wiring, bytes, hops);
  Arrival arrival;
  const std::uint64_t start = now_ns();
  while (!arrival.there) {
    constexpr int kCyclesPerLook = 64;  // at the sink, which is not what is measured
    for (int k = 0; k < kCyclesPerLook; ++k) {
      ping->controller().do_work();
      pong->controller().do_work();
    }
    for (auto& receiver : host.wiring.receivers) {
      if (receiver != nullptr) receiver->poll(arrival, 1);
    }
    for (const auto* node : {&ping, &pong}) {
      if (const Status& status = (*node)->controller().status(); !status.ok()) return status;
    }
  }
  return static_cast<double>(now_ns() - start) / static_cast<double>(hops);
}

}  // namespace woa::bench
