#include "runtime/transport/ofi/ofi_transport.h"

#include <time.h>

#include <map>
#include <string>
#include <system_error>

#include "runtime/base/clock.h"
#include "runtime/base/status.h"
#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/interface_policy.h"
#include "runtime/transport/ofi/port.h"
#include "runtime/transport/ofi/receiver.h"
#include "runtime/transport/ofi/rendezvous_receiver.h"
#include "runtime/transport/ofi/rendezvous_sender.h"
#include "runtime/transport/ofi/segment.h"
#include "runtime/transport/ofi/sender.h"
#include "runtime/transport/ofi/served_fabric.h"
#include "runtime/transport/ofi/shm_leftovers.h"
#include "runtime/transport/ofi/sleeper.h"
#include "runtime/transport/ofi/waits.h"

namespace woa {
namespace {

using namespace ofi;  // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kAnswerNs = 10'000'000'000;

// A channel's replica that an end may be opened on.
struct OpenChannel {
  std::shared_ptr<OfiSegment> segment;
  ChannelMap map;
  RegionMap regions;
};

class Ofi final : public OfiTransport, public Rendezvous {
 public:
  Ofi(std::shared_ptr<ServedFabric> served, const RegistrationLimits& limits) noexcept
      : served_(std::move(served)), limits_(limits) {}

  std::string_view name() const noexcept override { return "ofi"; }
  OfiCounters counters() const override;
  std::uint64_t packets() const noexcept override;
  Result<std::shared_ptr<Replica>> allocate(std::string_view label, std::size_t bytes) override;
  Result<std::shared_ptr<Replica>> adopt(std::unique_ptr<Mapping> memory) override;
  Status connect(const std::shared_ptr<Replica>& replica, std::string_view description,
                 const std::function<bool()>& given_up) override;
  void all_connected() noexcept override { close_to_newcomers(served_->fabric.objects().address); }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const override;
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                              Doorbell own, std::span<const ChannelRegion> regions) override;
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                  Doorbell own, std::span<const ChannelRegion> regions) override;
  Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica) override;
  std::unique_ptr<Sleeper> make_sleeper(Doorbell own) override { return OfiSleeper::make(served_, own); }
  Rendezvous* rendezvous() noexcept override { return this; }
  std::size_t rendezvous_segment_bytes() const noexcept override { return kRendezvousSegmentBytes; }
  Result<std::unique_ptr<RendezvousSender>> open_rendezvous_sender(std::shared_ptr<Replica> replica,
                                                                   Doorbell own_bell) override;
  Result<std::unique_ptr<RendezvousReceiver>> open_rendezvous_receiver(std::shared_ptr<Replica> replica,
                                                                       Doorbell own_bell) override;

 private:
  Result<std::shared_ptr<OfiSegment>> own(const std::shared_ptr<Replica>& replica) const;
  Result<fi_addr_t> reach(const SegmentDescription& there, std::uint32_t segment,
                          const std::function<bool()>& given_up);
  Result<std::shared_ptr<OfiSegment>> of_size(std::size_t bytes, const std::shared_ptr<Replica>& replica) const;
  Result<std::shared_ptr<OfiSegment>> joined(std::size_t bytes, const std::shared_ptr<Replica>& replica) const;
  Result<OpenChannel> prepare(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                              std::span<const ChannelRegion> named);

  std::shared_ptr<ServedFabric> served_;
  const RegistrationLimits limits_;
  std::map<std::string, fi_addr_t> peers_;  // that have answered, by address
};

OfiCounters Ofi::counters() const {
  const FabricCounters counters = served_->fabric.counters();
  const ServiceCounters service = served_->service.counters();
  return {counters.writes, counters.gathered, counters.injected, counters.refused, counters.arrived,
          counters.strays, counters.messages, counters.errors,   service.naps,     service.ended};
}

std::uint64_t Ofi::packets() const noexcept {
  const FabricCounters counters = served_->fabric.counters();
  return counters.writes + counters.gathered;
}

Result<std::shared_ptr<Replica>> Ofi::allocate(std::string_view label, std::size_t bytes) {
  const std::string what = "ofi: segment '" + std::string(label) + "' of " + std::to_string(bytes) + " bytes";
  if (bytes == 0) return {Code::kInvalid, what + "; it needs at least 1"};
  auto memory = map_pages(-1, bytes, Access::kReadWrite);
  if (!memory.ok()) return memory.status().with_context(what);
  auto segment = OfiSegment::make(served_, std::move(*memory), false);
  if (!segment.ok()) return segment.status().with_context(what);
  return std::shared_ptr<Replica>(std::move(*segment));
}

Result<std::shared_ptr<Replica>> Ofi::adopt(std::unique_ptr<Mapping> memory) {
  auto segment = OfiSegment::make(served_, std::move(memory), true);
  if (!segment.ok()) return segment.status();
  return std::shared_ptr<Replica>(std::move(*segment));
}

Result<std::shared_ptr<OfiSegment>> Ofi::own(const std::shared_ptr<Replica>& replica) const {
  auto found = std::dynamic_pointer_cast<OfiSegment>(replica);
  if (found == nullptr || found->served() != served_)
    return {Code::kInvalid, "ofi: a segment of another transport; allocate it here"};
  return found;
}

// The peer's number in the address table, once it has answered. `segment` is ours, which is being connected.
Result<fi_addr_t> Ofi::reach(const SegmentDescription& there, std::uint32_t segment,
                             const std::function<bool()>& given_up) {
  if (const auto known = peers_.find(there.address); known != peers_.end()) return known->second;
  const auto peer = served_->fabric.insert(there.address);
  if (!peer.ok()) return peer;
  // Connecting takes milliseconds: now, not with the first packet.
  Operation* operation = served_->fabric.make_operations(segment, 1);
  const Target hello{*peer, there.base, there.key, {kHelloPlace, there.segment, 0}};
  const std::uint64_t begin = now_ns();
  Post post = Post::kBusy;
  while ((post = served_->fabric.write(Piece{}, hello, *operation)) == Post::kBusy && now_ns() - begin < kAnswerNs) {
    if (given_up && given_up()) return {Code::kPeerLost, "ofi: the run ended while it waited for the peer to answer"};
    served_->fabric.progress(false);
    nanosleep(&kNap, nullptr);
  }
  if (post != Post::kPosted)
    return {Code::kPeerLost,
            "ofi: the peer does not answer at its address; is its process there, and may this host "
            "reach its network?"};
  peers_.emplace(there.address, *peer);
  return peer;
}

Status Ofi::connect(const std::shared_ptr<Replica>& replica, std::string_view description,
                    const std::function<bool()>& given_up) {
  const auto mine = own(replica);
  if (!mine.ok()) return mine.status();
  const auto there = SegmentDescription::decode(description);
  if (!there.ok()) return there.status();
  const std::size_t carried = served_->fabric.objects().info->domain_attr->cq_data_size;
  if (there->provider != served_->provider || there->immediate_bytes != carried)
    return {Code::kInvalid, "ofi: the peer uses provider '" + there->provider + "' with immediates of " +
                                std::to_string(there->immediate_bytes) + " bytes, this process '" + served_->provider +
                                "' with " + std::to_string(carried) + "; name the same one on both"};
  if (there->bytes != (*mine)->bytes())
    return {Code::kInvalid, "ofi: the peer's replica has " + std::to_string(there->bytes) + " bytes, this one " +
                                std::to_string((*mine)->bytes()) + "; both processes must run the same plan"};
  const auto peer = reach(*there, (*mine)->number(), given_up);
  if (!peer.ok()) return peer.status();
  if ((*mine)->find(*peer) != nullptr) return {Code::kInvalid, "ofi: connected to this peer's replica already"};
  (*mine)->add({*peer, there->segment, there->base, there->key});
  return {};
}

Result<std::size_t> Ofi::channel_bytes(const ChannelSpec& spec) const {
  const auto map = ChannelMap::make(spec);
  if (!map.ok()) return map.status();
  return map->bytes();
}

Result<std::shared_ptr<OfiSegment>> Ofi::of_size(std::size_t bytes, const std::shared_ptr<Replica>& replica) const {
  auto mine = own(replica);
  if (mine.ok() && (*mine)->bytes() != bytes)
    return {Code::kInvalid, "ofi: a channel of " + std::to_string(bytes) + " bytes in a segment of " +
                                std::to_string((*mine)->bytes()) + "; allocate channel_bytes() of the same spec"};
  return mine;
}

// The same, connected to one peer.
Result<std::shared_ptr<OfiSegment>> Ofi::joined(std::size_t bytes, const std::shared_ptr<Replica>& replica) const {
  auto mine = of_size(bytes, replica);
  if (mine.ok() && (*mine)->replicas().size() != 1)
    return {Code::kInvalid, "ofi: a channel joins two replicas, this one is connected to " +
                                std::to_string((*mine)->replicas().size()) + "; connect it once"};
  return mine;
}

Result<OpenChannel> Ofi::prepare(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                 std::span<const ChannelRegion> named) {
  const auto map = ChannelMap::make(spec);
  if (!map.ok()) return map.status();
  auto mine = joined(map->bytes(), replica);
  if (!mine.ok()) return mine.status();
  auto regions = RegionMap::make(*map, named);
  if (!regions.ok()) return regions.status();
  for (const RegionPlaces& region : regions->all()) {
    if (region.segment->find((*mine)->replicas().front().peer) == nullptr)
      return {Code::kInvalid, "ofi: region " + std::to_string(region.number) +
                                  " is not connected to the channel's peer; connect it before the channel is opened"};
  }
  for (const RegionPlaces& region : regions->all()) (*mine)->carry(region.segment);
  return OpenChannel{std::move(*mine), *map, std::move(*regions)};
}

Result<std::unique_ptr<Sender>> Ofi::open_sender(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                 Doorbell own, std::span<const ChannelRegion> regions) {
  auto channel = prepare(spec, replica, regions);
  if (!channel.ok()) return channel.status();
  return std::unique_ptr<Sender>(
      std::make_unique<OfiSender>(spec, channel->map, std::move(channel->regions), std::move(channel->segment), own));
}

Result<std::unique_ptr<Receiver>> Ofi::open_receiver(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                     Doorbell own, std::span<const ChannelRegion> regions) {
  auto channel = prepare(spec, replica, regions);
  if (!channel.ok()) return channel.status();
  return std::unique_ptr<Receiver>(
      std::make_unique<OfiReceiver>(spec, channel->map, std::move(channel->regions), std::move(channel->segment), own));
}

Status Ofi::close_channel(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica) {
  const auto map = ChannelMap::make(spec);
  if (!map.ok()) return map.status();
  const auto mine = of_size(map->bytes(), replica);
  if (!mine.ok()) return mine.status();
  (*mine)->mailbox().cut();
  return {};
}

Result<std::unique_ptr<RendezvousSender>> Ofi::open_rendezvous_sender(std::shared_ptr<Replica> replica,
                                                                      Doorbell own_bell) {
  auto mine = joined(rendezvous_segment_bytes(), replica);
  if (!mine.ok()) return mine.status();
  return std::unique_ptr<RendezvousSender>(std::make_unique<OfiRendezvousSender>(std::move(*mine), limits_, own_bell));
}

Result<std::unique_ptr<RendezvousReceiver>> Ofi::open_rendezvous_receiver(std::shared_ptr<Replica> replica,
                                                                          Doorbell own_bell) {
  auto mine = joined(rendezvous_segment_bytes(), replica);
  if (!mine.ok()) return mine.status();
  return std::unique_ptr<RendezvousReceiver>(
      std::make_unique<OfiRendezvousReceiver>(std::move(*mine), limits_, own_bell));
}

// shm has no network addresses; every other provider listens on one.
Result<std::string> address_for(const OfiOptions& options) {
  if (options.provider == "shm") {
    if (options.interface.empty()) return std::string();
    return {Code::kInvalid,
            "ofi: provider 'shm' stays on this host; leave the interface '" + options.interface + "' out"};
  }
  const auto interfaces = list_interfaces();
  if (!interfaces.ok()) return interfaces.status();
  return choose_address(options.interface, *interfaces);
}

}  // namespace

Result<std::unique_ptr<OfiTransport>> make_ofi_transport(const OfiOptions& options) {
  if (options.provider == "sockets")
    return {Code::kUnsupported,
            "ofi: provider 'sockets' loses writes, and its makers have given it up; use 'tcp;ofi_rxm'"};
  const auto address = address_for(options);
  if (!address.ok()) return address.status();
  if (options.provider == "shm") remove_shm_leftovers();
  auto objects = open_fabric(options.provider, *address);
  if (!objects.ok()) return objects.status();
  hold_back_silent_connections(objects->address);
  KeepAlive keep_alive;
  keep_alive.every_ns = options.keep_alive_ns;
  keep_alive.silence_ns = options.silence_ns;
  keep_alive.start_ns = options.start_ns;
  try {
    auto served = std::make_shared<ServedFabric>(options.provider, std::move(*objects), keep_alive);
    WOA_RETURN_IF_ERROR(served->fabric.discard_messages());
    return std::unique_ptr<OfiTransport>(
        std::make_unique<Ofi>(std::move(served), RegistrationLimits{options.registrations, options.registered_bytes}));
  } catch (const std::system_error& error) {
    return limit_reached("ofi: the thread that serves the wire", error.code().value());
  }
}

}  // namespace woa
