#include "runtime/transport/fault/fault_transport.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "runtime/memory/pages.h"
#include "runtime/transport/fault/fault_receiver.h"
#include "runtime/transport/fault/fault_sender.h"

namespace woa {
namespace {

bool concerns(const FaultPlan& plan, std::uint32_t channel) noexcept {
  return plan.channel == kEveryChannel || plan.channel == channel;
}

bool is_of_wire(const FaultPlan& plan, FaultTarget target) noexcept {
  return plan.kind != FaultKind::kFillUp && plan.kind != FaultKind::kKill && plan.target == target;
}

template <class Choose>
FaultSchedule schedule(const std::vector<FaultPlan>& plans, std::uint32_t channel, Choose&& choose) {
  std::vector<FaultPlan> chosen;
  for (const FaultPlan& plan : plans)
    if (concerns(plan, channel) && choose(plan)) chosen.push_back(plan);
  return {std::move(chosen), channel};
}

// The ring in which an end finds what its wire brought.
Result<std::shared_ptr<Mapping>> make_ring(const ChannelSpec& spec) {
  const Result<std::size_t> bytes = ring_channel_bytes(spec);
  if (!bytes.ok()) return bytes.status();
  Result<std::unique_ptr<Mapping>> ring = map_pages(-1, *bytes, Access::kReadWrite);
  if (!ring.ok()) return ring.status();
  return std::shared_ptr<Mapping>(std::move(*ring));
}

// The first plan to kill this end, if any. `steps` are those that the end goes through.
Result<KillSwitch> make_kill_switch(const std::vector<FaultPlan>& plans, std::uint32_t channel,
                                    std::span<const ProtocolStep> steps, const ChannelSpec& spec, Transport& inner,
                                    const std::shared_ptr<Segment>& segment) {
  const auto plan = std::find_if(plans.begin(), plans.end(), [&](const FaultPlan& candidate) {
    return candidate.kind == FaultKind::kKill && concerns(candidate, channel) &&
           std::find(steps.begin(), steps.end(), candidate.step) != steps.end();
  });
  if (plan == plans.end()) return KillSwitch();
  const Result<std::size_t> ring_bytes = ring_channel_bytes(spec);
  if (!ring_bytes.ok() || segment->bytes() != *ring_bytes) return KillSwitch(*plan, spec, nullptr);
  auto shared = inner.map(segment, Access::kReadWrite);
  if (!shared.ok()) return shared.status();
  return KillSwitch(*plan, spec, std::move(*shared));
}

}  // namespace

FaultTransport::FaultTransport(std::unique_ptr<Transport> inner, std::vector<FaultPlan> plans, WireOptions wire)
    : inner_(std::move(inner)), plans_(std::move(plans)), wire_(wire), name_("fault:" + std::string(inner_->name())) {}

Result<std::shared_ptr<Segment>> FaultTransport::allocate(std::string_view label, std::size_t bytes) {
  return inner_->allocate(label, bytes);
}

Result<std::shared_ptr<Segment>> FaultTransport::open(int descriptor, std::size_t bytes) {
  return inner_->open(descriptor, bytes);
}

Result<std::shared_ptr<Segment>> FaultTransport::part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                                      std::size_t bytes) {
  return inner_->part(segment, offset, bytes);
}

Result<std::shared_ptr<Segment>> FaultTransport::adopt(std::unique_ptr<Mapping> memory) {
  return inner_->adopt(std::move(memory));
}

Status FaultTransport::connect(const std::shared_ptr<Segment>& segment, std::string_view description) {
  const auto kills = [](const FaultPlan& plan) {
    return plan.kind == FaultKind::kKill && plan.step == ProtocolStep::kConnects;
  };
  if (std::ranges::any_of(plans_, kills)) ::kill(::getpid(), SIGKILL);
  return inner_->connect(segment, description);
}

Result<std::unique_ptr<Mapping>> FaultTransport::map(const std::shared_ptr<Segment>& segment, Access access) {
  return inner_->map(segment, access);
}

Result<std::size_t> FaultTransport::channel_bytes(const ChannelSpec& spec) const {
  return inner_->channel_bytes(wired(spec));
}

Status FaultTransport::close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) {
  return inner_->close_channel(wired(spec), segment);
}

ChannelSpec FaultTransport::wired(ChannelSpec spec) const noexcept {
  spec.header_crc = spec.header_crc || wire_.header_crc;
  return spec;
}

Result<std::unique_ptr<Sender>> FaultTransport::open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                            ChannelEnd end) {
  const auto is_return = [](const FaultPlan& plan) { return is_of_wire(plan, FaultTarget::kReturns); };
  const auto is_full = [](const FaultPlan& plan) { return plan.kind == FaultKind::kFillUp; };
  FaultSender::Setup setup;
  setup.spec = wired(spec);
  setup.landing = wire_.landing;
  setup.returns = schedule(plans_, senders_, is_return);
  setup.reservations = schedule(plans_, senders_, is_full);
  auto inner = inner_->open_sender(setup.spec, segment, std::move(end));
  if (!inner.ok()) return inner.status();
  setup.inner = std::move(*inner);
  auto ring = make_ring(setup.spec);
  if (!ring.ok()) return ring.status();
  setup.ring = std::move(*ring);
  auto kill = make_kill_switch(plans_, senders_, kProducerSteps, setup.spec, *inner_, segment);
  if (!kill.ok()) return kill.status();
  setup.kill = std::move(*kill);
  ++senders_;
  return std::unique_ptr<Sender>(std::make_unique<FaultSender>(std::move(setup)));
}

Result<std::unique_ptr<Receiver>> FaultTransport::open_receiver(const ChannelSpec& spec,
                                                                std::shared_ptr<Segment> segment, ChannelEnd end) {
  const auto is_packet = [](const FaultPlan& plan) { return is_of_wire(plan, FaultTarget::kPackets); };
  FaultReceiver::Setup setup;
  setup.spec = wired(spec);
  setup.landing = wire_.landing;
  setup.packets = schedule(plans_, receivers_, is_packet);
  for (const ChannelRegion& region : end.regions) {
    if (shares_memory(*inner_)) break;
    auto replica = inner_->map(region.segment, Access::kReadWrite);
    if (!replica.ok()) return replica.status();
    setup.replicas[region.number] = std::move(*replica);
  }
  auto inner = inner_->open_receiver(setup.spec, segment, std::move(end));
  if (!inner.ok()) return inner.status();
  setup.inner = std::move(*inner);
  auto ring = make_ring(setup.spec);
  if (!ring.ok()) return ring.status();
  setup.ring = std::move(*ring);
  auto kill = make_kill_switch(plans_, receivers_, kConsumerSteps, setup.spec, *inner_, segment);
  if (!kill.ok()) return kill.status();
  setup.kill = std::move(*kill);
  ++receivers_;
  return std::unique_ptr<Receiver>(std::make_unique<FaultReceiver>(std::move(setup)));
}

}  // namespace woa
