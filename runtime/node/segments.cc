#include "runtime/node/segments.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/memory/pages.h"
#include "runtime/plan/call_models.h"

namespace woa {
namespace {

std::size_t total(const std::vector<std::uint64_t>& sizes) {
  std::size_t bytes = 0;
  for (const std::uint64_t size : sizes) bytes += whole_pages(size);
  return bytes;
}

// The parts of a site's memory that `controller` uses, or all of them.
Result<Segments> take(const Layout& layout, const std::vector<std::uint64_t>& sizes,
                      std::optional<std::uint32_t> controller, std::shared_ptr<SharedSegment> whole) {
  auto size = sizes.begin();
  std::size_t offset = 0;
  const auto next = [&](bool wanted) -> Result<std::shared_ptr<SharedSegment>> {
    const std::size_t at = offset, bytes = *size++;
    offset += whole_pages(bytes);
    if (!wanted || bytes == 0) return std::shared_ptr<SharedSegment>();
    return whole->part(at, bytes);
  };
  Segments segments;
  auto doorbells = next(true);
  if (!doorbells.ok()) return doorbells.status();
  segments.doorbells = *doorbells;
  for (const ChannelLayout& channel : layout.channels) {
    auto segment = next(!controller || uses_channel(channel, *controller));
    if (!segment.ok()) return segment.status();
    segments.channels.push_back(std::move(*segment));
  }
  for (const RegionLayout& region : layout.regions) {
    auto segment = next(!controller || uses_region(region, *controller));
    if (!segment.ok()) return segment.status();
    segments.regions.push_back(std::move(*segment));
  }
  segments.whole = std::move(whole);
  return segments;
}

// The regions that the packets of a wire's channel may name, in the form for its ends.
std::vector<ChannelRegion> regions_of(const Layout& layout, const ChannelLayout& channel, const Segments& segments) {
  std::vector<ChannelRegion> regions;
  for (const std::uint16_t r : channel.regions)
    regions.push_back(
        {r, layout.regions[r].blocks, layout.regions[r].carried_bytes(), segments.registered[r].at(*channel.wire)});
  return regions;
}

bool is_of(const Layout& layout, const ChannelLayout& channel, std::uint32_t site) {
  return !channel.wire && layout.sites.site(channel.from) == site;
}

bool is_used_at(const Layout& layout, const RegionLayout& region, std::uint32_t site) {
  const auto there = [&](std::uint32_t controller) {
    return layout.sites.site(controller) == site && region.is_in_site_memory(controller);
  };
  return there(region.producer) || std::any_of(region.consumers.begin(), region.consumers.end(), there);
}

// The controller's kernel stages that read or write the region's payloads.
std::vector<std::uint32_t> stages_of(const Plan& plan, const Layout& layout, std::uint16_t region,
                                     std::uint32_t controller) {
  std::vector<std::uint32_t> stages;
  const RegionLayout& of = layout.regions[region];
  if (of.producer == controller) stages.push_back(of.stage);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const std::uint32_t reader = plan.edges[e].to_stage;
    const auto& regions = layout.edges[e].regions;
    const bool reads = layout.edges[e].to == controller && plan.stages[reader].role == StageRole::kKernel &&
                       std::ranges::find(regions, region) != regions.end();
    if (reads && std::ranges::find(stages, reader) == stages.end()) stages.push_back(reader);
  }
  return stages;
}

}  // namespace

Result<std::vector<std::uint64_t>> sizes_of_segments(const Layout& layout, std::uint32_t site) {
  std::vector<std::uint64_t> sizes{layout.control_of.size() * sizeof(DoorbellLine)};
  for (const ChannelLayout& channel : layout.channels) {
    auto bytes = ring_channel_bytes(channel.spec);
    if (!bytes.ok()) return bytes.status();
    sizes.push_back(is_of(layout, channel, site) ? *bytes : 0);
  }
  for (const RegionLayout& region : layout.regions)
    sizes.push_back(is_used_at(layout, region, site) && !region.is_of_producer_alone() ? region.bytes() : 0);
  return sizes;
}

Result<Segments> allocate_segments(const Layout& layout, std::uint32_t site, SharedMemory& memory) {
  const auto sizes = sizes_of_segments(layout, site);
  if (!sizes.ok()) return sizes.status();
  // Worker processes map regions by descriptor, though the run itself may be one process.
  const bool of_processes = std::ranges::any_of(layout.regions, &RegionLayout::of_processes);
  auto whole = of_processes ? SharedSegment::make("run", total(*sizes)) : memory.allocate("run", total(*sizes));
  if (!whole.ok()) return whole.status();
  return take(layout, *sizes, std::nullopt, std::move(*whole));
}

Result<Segments> open_segments(const Layout& layout, std::uint32_t controller, int descriptor) {
  const auto sizes = sizes_of_segments(layout, layout.sites.site(controller));
  if (!sizes.ok()) return sizes.status();
  auto whole = SharedSegment::open(descriptor, total(*sizes));
  if (!whole.ok()) return whole.status();
  return take(layout, *sizes, controller, std::move(*whole));
}

namespace {

// `other`: the channel that brings it, too; null where it lies there already.
Status lands_twice(const Plan& plan, const RegionLayout& region, const ChannelLayout& channel,
                   const ChannelLayout* other) {
  const auto name = [&](std::uint32_t controller) { return "'" + plan.controllers[controller].name + "'"; };
  const StagePlan& stage = plan.stages[region.stage];
  const std::string ways = other == nullptr
                               ? "in memory that they share and over libfabric, both from " + name(channel.from)
                               : "from " + name(other->from) + " and from " + name(channel.from);
  return {Code::kUnsupported, "output '" + stage.outputs[region.port].name + "' of stage '" + stage.name +
                                  "' would come to " + name(channel.to) + " by two ways, " + ways +
                                  ", which would write to one memory at once; give its edges to one controller the "
                                  "same lane, or run it over shm (--transport shm)"};
}

// A return comes when whoever had the payload at its end has taken it, and brings what lies there.
bool is_return(const Plan& plan, const ChannelLayout& channel) {
  return call_model(plan.model).nested && channel.lane == kReturnLane;
}

template <class Uses>
SharedReplicas replicas_of(const Layout& layout, const Uses& uses) {
  SharedReplicas out;
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!channel.wire || !uses(channel)) continue;
    out.channels.insert(c);
    for (const std::uint16_t r : channel.regions) out.regions.emplace(r, *channel.wire);
  }
  return out;
}

Result<std::unique_ptr<Mapping>> map_region(const Layout& layout, std::size_t region, std::uint32_t controller,
                                            Access access, const Segments& segments) {
  if (layout.regions[region].is_of_producer_alone()) return map_pages(-1, layout.regions[region].bytes(), access);
  if (layout.regions[region].is_in_site_memory(controller)) return segments.regions[region]->map(access);
  return segments.registered[region].begin()->second->map(access);
}

// Memory of a controller's own is allocated by the first wire; later wires adopt it.
Result<std::shared_ptr<Replica>> register_region(const Layout& layout, std::size_t region, Wire& wire,
                                                 std::uint32_t controller, Segments& segments) {
  const RegionLayout& of = layout.regions[region];
  if (!of.is_in_site_memory(controller) && segments.registered[region].empty()) {
    if (!of.of_processes) return wire.allocate("region", of.bytes());
    WOA_ASSIGN_OR_RETURN(segments.regions[region], SharedSegment::make("region", of.bytes()));
    WOA_ASSIGN_OR_RETURN(auto memory, segments.regions[region]->map(Access::kReadWrite));
    return wire.adopt(std::move(memory));
  }
  auto memory = map_region(layout, region, controller, Access::kReadWrite, segments);
  if (!memory.ok()) return memory.status();
  return wire.adopt(std::move(*memory));
}

}  // namespace

// The room in front of a block holds one header, so two ways must take turns. No memory may be sent into itself.
Status check_landings(const Plan& plan, const Layout& layout) {
  using Place = std::pair<bool, std::uint32_t>;  // the memory of a site, or of a controller
  std::map<std::pair<std::uint16_t, Place>, const ChannelLayout*> taken;
  for (const ChannelLayout& channel : layout.channels) {
    if (!channel.wire) continue;
    const std::uint32_t site = layout.sites.site(channel.to);
    for (const std::uint16_t r : channel.regions) {
      const RegionLayout& region = layout.regions[r];
      const bool in_site_memory = region.is_in_site_memory(channel.to);
      const bool lies_there =
          in_site_memory && layout.sites.site(channel.from) == site && region.is_in_site_memory(channel.from);
      if (lies_there) return lands_twice(plan, region, channel, nullptr);
      if (is_return(plan, channel)) continue;
      const auto [first, added] =
          taken.emplace(std::pair(r, Place(in_site_memory, in_site_memory ? site : channel.to)), &channel);
      if (!added) return lands_twice(plan, region, channel, first->second);
    }
  }
  return {};
}

Status add_replicas(const Layout& layout, std::uint32_t controller, const Transports& transports, Segments& segments) {
  segments.registered.resize(layout.regions.size());
  segments.replicas.resize(layout.channels.size());
  const SharedReplicas own =
      replicas_of(layout, [&](const ChannelLayout& channel) { return uses_channel(channel, controller); });
  for (const std::size_t c : own.channels) {
    Wire& wire = *transports.wires[*layout.channels[c].wire];
    auto bytes = wire.channel_bytes(layout.channels[c].spec);
    if (!bytes.ok()) return bytes.status();
    auto replica = wire.allocate("channel", *bytes);
    if (!replica.ok()) return replica.status();
    segments.replicas[c] = std::move(*replica);
  }
  for (const auto& [region, wire] : own.regions) {
    auto registered = register_region(layout, region, *transports.wires[wire], controller, segments);
    if (!registered.ok()) return registered.status();
    segments.registered[region].emplace(wire, std::move(*registered));
  }
  return {};
}

SharedReplicas shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other) {
  return replicas_of(
      layout, [&](const ChannelLayout& channel) { return uses_channel(channel, one) && uses_channel(channel, other); });
}

namespace {

// The ends of channel `c`. `lines`: the doorbells, by controller.
Result<std::unique_ptr<Sender>> open_sender(const Layout& layout, std::size_t c, DoorbellLine* lines,
                                            const Segments& segments, const Transports& transports) {
  const ChannelLayout& channel = layout.channels[c];
  const Doorbell consumer(lines + channel.to);
  if (channel.publishes != Publisher::kHost) {
    auto sender = transports.shared->open_preparing_sender(channel.spec, *segments.channels[c], consumer);
    if (!sender.ok()) return sender.status();
    return std::unique_ptr<Sender>(std::move(*sender));
  }
  if (!channel.wire) return transports.shared->open_sender(channel.spec, *segments.channels[c], consumer);
  return transports.wires[*channel.wire]->open_sender(
      channel.spec, segments.replicas[c], Doorbell(lines + channel.from), regions_of(layout, channel, segments));
}

Result<std::unique_ptr<Receiver>> open_receiver(const Layout& layout, std::size_t c, DoorbellLine* lines,
                                                const Segments& segments, const Transports& transports) {
  const ChannelLayout& channel = layout.channels[c];
  if (!channel.wire)
    return transports.shared->open_receiver(channel.spec, *segments.channels[c], Doorbell(lines + channel.from));
  return transports.wires[*channel.wire]->open_receiver(
      channel.spec, segments.replicas[c], Doorbell(lines + channel.to), regions_of(layout, channel, segments));
}

// A controller all of whose channels take one wire shares memory with nobody.
std::unique_ptr<Sleeper> make_sleeper(const Layout& layout, std::uint32_t controller, Doorbell own,
                                      const Transports& transports) {
  std::set<std::optional<std::uint32_t>> wires;
  for (const ChannelLayout& channel : layout.channels)
    if (uses_channel(channel, controller)) wires.insert(channel.wire);
  if (wires.size() != 1 || !wires.begin()->has_value()) return nullptr;
  return transports.wires[**wires.begin()]->make_sleeper(own);
}

}  // namespace

Result<ControllerWiring> open_wiring(const Layout& layout, std::uint32_t controller, const Segments& segments,
                                     const Transports& transports) {
  ControllerWiring out;
  auto bells = segments.doorbells->map(Access::kReadWrite);
  if (!bells.ok()) return bells.status();
  auto* lines = reinterpret_cast<DoorbellLine*>((*bells)->bytes().data());
  out.doorbell = Doorbell(lines + controller);
  for (std::uint32_t c = 0; c < layout.control_of.size(); ++c)
    if (c != controller && layout.sites.together(c, controller)) out.of_others.emplace_back(lines + c);
  out.wiring.mappings.push_back(std::move(*bells));
  out.wiring.senders.resize(layout.channels.size());
  out.wiring.receivers.resize(layout.channels.size());
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!uses_channel(channel, controller)) continue;
    if (channel.from == controller) {
      auto sender = open_sender(layout, c, lines, segments, transports);
      if (!sender.ok()) return sender.status();
      out.wiring.senders[c] = std::move(*sender);
    }
    if (channel.to == controller) {
      auto receiver = open_receiver(layout, c, lines, segments, transports);
      if (!receiver.ok()) return receiver.status();
      out.wiring.receivers[c] = std::move(*receiver);
    }
  }
  out.wiring.sleeper = make_sleeper(layout, controller, out.doorbell, transports);
  out.wiring.regions.resize(layout.regions.size());
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    const RegionLayout& region = layout.regions[r];
    if (!uses_region(region, controller)) continue;
    const bool writable = writes_region(region, controller) || registers_region(region, controller);
    const Access access = writable ? Access::kReadWrite : Access::kRead;
    auto mapping = map_region(layout, r, controller, access, segments);
    if (!mapping.ok()) return mapping.status();
    out.wiring.regions[r] = (*mapping)->bytes();
    out.wiring.mappings.push_back(std::move(*mapping));
  }
  return out;
}

std::vector<BackendMapping> backend_mappings(const Plan& plan, const Layout& layout, std::uint32_t controller,
                                             const Segments& segments, const Wiring& wiring) {
  std::vector<BackendMapping> mappings;
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (channel.from != controller || channel.publishes == Publisher::kHost) continue;
    const auto& ring = dynamic_cast<const PreparingSender&>(*wiring.senders[c]);
    mappings.push_back({ring.memory(), Access::kReadWrite, true, std::nullopt,
                        "packets for controller '" + plan.controllers[channel.to].name + "'"});
  }
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    const RegionLayout& region = layout.regions[r];
    if (!touches_region(region, controller)) continue;
    const StagePlan& writer = plan.stages[region.stage];
    mappings.push_back({wiring.regions[r], writes_region(region, controller) ? Access::kReadWrite : Access::kRead,
                        registers_region(region, controller), static_cast<std::uint16_t>(r),
                        "payloads of output '" + writer.outputs[region.port].name + "' of stage '" + writer.name + "'",
                        stages_of(plan, layout, static_cast<std::uint16_t>(r), controller), region.header_room,
                        region.header_room + region.carried_bytes(), region.block_bytes});
    if (!region.of_processes) continue;
    mappings.back().descriptor = segments.regions[r]->descriptor();
    mappings.back().offset = segments.regions[r]->offset();
    mappings.back().has_guards = region.guard_room != 0;
  }
  return mappings;
}

}  // namespace woa
