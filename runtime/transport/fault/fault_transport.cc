#include "runtime/transport/fault/fault_transport.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "runtime/memory/pages.h"
#include "runtime/transport/fault/fault_receiver.h"
#include "runtime/transport/fault/fault_sender.h"
#include "runtime/transport/ring_layout.h"

namespace woa {
namespace {

bool concerns(const FaultPlan& plan, std::uint32_t channel) noexcept {
  return plan.channel == kEveryChannel || plan.channel == channel;
}

bool is_of_path(const FaultPlan& plan, FaultTarget target) noexcept {
  return plan.kind != FaultKind::kFillUp && plan.kind != FaultKind::kKill && plan.target == target;
}

template <class Choose>
FaultSchedule schedule(const std::vector<FaultPlan>& plans, std::uint32_t channel, Choose&& choose) {
  std::vector<FaultPlan> chosen;
  for (const FaultPlan& plan : plans)
    if (concerns(plan, channel) && choose(plan)) chosen.push_back(plan);
  return {std::move(chosen), channel};
}

// The ring in which an end finds what its path brought.
Result<std::shared_ptr<Mapping>> make_ring(const ChannelSpec& spec) {
  const Result<std::size_t> bytes = ring_channel_bytes(spec);
  if (!bytes.ok()) return bytes.status();
  Result<std::unique_ptr<Mapping>> ring = map_pages(-1, *bytes, Access::kReadWrite);
  if (!ring.ok()) return ring.status();
  return std::shared_ptr<Mapping>(std::move(*ring));
}

// The first plan to kill this end, if any. `steps` are those that the end goes through.
Result<KillSwitch> make_kill_switch(const std::vector<FaultPlan>& plans, std::uint32_t channel,
                                    std::span<const ProtocolStep> steps, const ChannelSpec& spec, SharedSegment* ring) {
  const auto plan = std::find_if(plans.begin(), plans.end(), [&](const FaultPlan& candidate) {
    return candidate.kind == FaultKind::kKill && concerns(candidate, channel) &&
           std::find(steps.begin(), steps.end(), candidate.step) != steps.end();
  });
  if (plan == plans.end()) return KillSwitch();
  if (ring == nullptr) return KillSwitch(*plan, spec, nullptr);
  auto shared = ring->map(Access::kReadWrite);
  if (!shared.ok()) return shared.status();
  return KillSwitch(*plan, spec, std::move(*shared));
}

}  // namespace

ChannelSpec FaultyEnds::wired(ChannelSpec spec) const noexcept {
  spec.header_crc = spec.header_crc || path_.header_crc;
  return spec;
}

void FaultyEnds::connecting() const noexcept {
  const auto kills = [](const FaultPlan& plan) {
    return plan.kind == FaultKind::kKill && plan.step == ProtocolStep::kConnects;
  };
  if (std::ranges::any_of(plans_, kills)) ::kill(::getpid(), SIGKILL);
}

template <class Faulty, class End>
Result<std::unique_ptr<End>> FaultyEnds::wrap_sender(const ChannelSpec& spec, Result<std::unique_ptr<End>> inner,
                                                     SharedSegment* ring) {
  const auto is_return = [](const FaultPlan& plan) { return is_of_path(plan, FaultTarget::kReturns); };
  const auto is_full = [](const FaultPlan& plan) { return plan.kind == FaultKind::kFillUp; };
  if (!inner.ok()) return inner.status();
  auto own_ring = make_ring(spec);
  if (!own_ring.ok()) return own_ring.status();
  auto kill = make_kill_switch(plans_, senders_, kPreparingSteps, spec, ring);
  if (!kill.ok()) return kill.status();
  typename Faulty::Setup setup;
  setup.spec = spec;
  setup.inner = std::move(*inner);
  setup.ring = std::move(*own_ring);
  setup.returns = schedule(plans_, senders_, is_return);
  setup.reservations = schedule(plans_, senders_, is_full);
  setup.landing = path_.landing;
  setup.kill = std::move(*kill);
  ++senders_;
  return std::unique_ptr<End>(std::make_unique<Faulty>(std::move(setup)));
}

Result<std::unique_ptr<Sender>> FaultyEnds::wrap(const ChannelSpec& spec, Result<std::unique_ptr<Sender>> inner,
                                                 SharedSegment* ring) {
  return wrap_sender<FaultSender<Sender>>(spec, std::move(inner), ring);
}

Result<std::unique_ptr<PreparingSender>> FaultyEnds::wrap(const ChannelSpec& spec,
                                                          Result<std::unique_ptr<PreparingSender>> inner,
                                                          SharedSegment& ring) {
  return wrap_sender<FaultPreparingSender>(spec, std::move(inner), &ring);
}

Result<std::unique_ptr<Receiver>> FaultyEnds::wrap(const ChannelSpec& spec, Result<std::unique_ptr<Receiver>> inner,
                                                   SharedSegment* ring, std::span<const ChannelRegion> regions) {
  const auto is_packet = [](const FaultPlan& plan) { return is_of_path(plan, FaultTarget::kPackets); };
  if (!inner.ok()) return inner.status();
  FaultReceiver::Setup setup;
  for (const ChannelRegion& region : regions) {
    auto replica = region.replica->map(Access::kReadWrite);
    if (!replica.ok()) return replica.status();
    setup.replicas[region.number] = std::move(*replica);
  }
  auto own_ring = make_ring(spec);
  if (!own_ring.ok()) return own_ring.status();
  auto kill = make_kill_switch(plans_, receivers_, kConsumerSteps, spec, ring);
  if (!kill.ok()) return kill.status();
  setup.spec = spec;
  setup.inner = std::move(*inner);
  setup.ring = std::move(*own_ring);
  setup.packets = schedule(plans_, receivers_, is_packet);
  setup.landing = path_.landing;
  setup.kill = std::move(*kill);
  ++receivers_;
  return std::unique_ptr<Receiver>(std::make_unique<FaultReceiver>(std::move(setup)));
}

FaultTransport::FaultTransport(std::unique_ptr<SharedMemory> inner, std::vector<FaultPlan> plans, PathOptions path)
    : inner_(std::move(inner)), ends_(std::move(plans), path), name_("fault:" + std::string(inner_->name())) {}

Result<std::unique_ptr<Sender>> FaultTransport::open_sender(const ChannelSpec& spec, SharedSegment& segment,
                                                            Doorbell consumer) {
  const ChannelSpec wired = ends_.wired(spec);
  return ends_.wrap(wired, inner_->open_sender(wired, segment, consumer), &segment);
}

Result<std::unique_ptr<PreparingSender>> FaultTransport::open_preparing_sender(const ChannelSpec& spec,
                                                                               SharedSegment& segment,
                                                                               Doorbell consumer) {
  const ChannelSpec wired = ends_.wired(spec);
  return ends_.wrap(wired, inner_->open_preparing_sender(wired, segment, consumer), segment);
}

Result<std::unique_ptr<Receiver>> FaultTransport::open_receiver(const ChannelSpec& spec, SharedSegment& segment,
                                                                Doorbell producer) {
  const ChannelSpec wired = ends_.wired(spec);
  return ends_.wrap(wired, inner_->open_receiver(wired, segment, producer), &segment);
}

FaultWire::FaultWire(std::unique_ptr<Wire> inner, std::vector<FaultPlan> plans, PathOptions path)
    : inner_(std::move(inner)), ends_(std::move(plans), path), name_("fault:" + std::string(inner_->name())) {}

Result<std::unique_ptr<Sender>> FaultWire::open_sender(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                       Doorbell own, std::span<const ChannelRegion> regions) {
  const ChannelSpec wired = ends_.wired(spec);
  return ends_.wrap(wired, inner_->open_sender(wired, replica, own, regions), nullptr);
}

Result<std::unique_ptr<Receiver>> FaultWire::open_receiver(const ChannelSpec& spec,
                                                           const std::shared_ptr<Replica>& replica, Doorbell own,
                                                           std::span<const ChannelRegion> regions) {
  const ChannelSpec wired = ends_.wired(spec);
  return ends_.wrap(wired, inner_->open_receiver(wired, replica, own, regions), nullptr, regions);
}

}  // namespace woa
