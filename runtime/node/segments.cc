#include "runtime/node/segments.h"

#include <algorithm>
#include <functional>
#include <set>

namespace woa {

std::size_t doorbell_bytes(std::size_t controllers) { return controllers * sizeof(DoorbellLine); }

namespace {

// Those of the layout's channels and regions that are wanted.
Result<Segments> allocate(const Layout& layout, std::size_t controllers, Transport& transport,
                          const std::function<bool(const ChannelLayout&)>& wants_channel,
                          const std::function<bool(const RegionLayout&)>& wants_region) {
  Segments segments;
  auto doorbells = transport.allocate("doorbells", doorbell_bytes(controllers));
  if (!doorbells.ok()) return doorbells.status();
  segments.doorbells = *doorbells;
  segments.channels.resize(layout.channels.size());
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    if (!wants_channel(layout.channels[c])) continue;
    auto bytes = transport.channel_bytes(layout.channels[c].spec);
    if (!bytes.ok()) return bytes.status();
    auto segment = transport.allocate("channel", *bytes);
    if (!segment.ok()) return segment.status();
    segments.channels[c] = *segment;
  }
  segments.regions.resize(layout.regions.size());
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    if (!wants_region(layout.regions[r])) continue;
    auto segment = transport.allocate("region", layout.regions[r].bytes());
    if (!segment.ok()) return segment.status();
    segments.regions[r] = *segment;
  }
  return segments;
}

// The regions that a channel's packets may name, as its ends take them.
std::vector<ChannelRegion> regions_of(const Layout& layout, const ChannelLayout& channel, const Segments& segments) {
  std::vector<ChannelRegion> regions;
  for (const std::uint16_t r : channel.regions)
    regions.push_back({r, layout.regions[r].blocks, layout.regions[r].block_bytes, segments.regions[r]});
  return regions;
}

}  // namespace

Result<Segments> allocate_segments(const Layout& layout, std::size_t controllers, Transport& transport) {
  const auto all = [](const auto&) { return true; };
  return allocate(layout, controllers, transport, all, all);
}

Result<Segments> allocate_replicas(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                                   Transport& transport) {
  return allocate(
      layout, controllers, transport, [=](const ChannelLayout& channel) { return uses_channel(channel, controller); },
      [=](const RegionLayout& region) { return uses_region(region, controller); });
}

Shared shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other) {
  Shared shared;
  std::set<std::size_t> regions;
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!uses_channel(channel, one) || !uses_channel(channel, other)) continue;
    shared.channels.push_back(c);
    regions.insert(channel.regions.begin(), channel.regions.end());
  }
  shared.regions.assign(regions.begin(), regions.end());
  return shared;
}

bool uses_channel(const ChannelLayout& channel, std::uint32_t controller) {
  return channel.from == controller || channel.to == controller;
}

bool uses_region(const RegionLayout& region, std::uint32_t controller) {
  return region.producer == controller ||
         std::find(region.consumers.begin(), region.consumers.end(), controller) != region.consumers.end();
}

bool writes_region(const RegionLayout& region, std::uint32_t controller) {
  return region.producer == controller ||
         std::find(region.modifiers.begin(), region.modifiers.end(), controller) != region.modifiers.end();
}

Result<ControllerWiring> wire(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                              const Segments& segments, Transport& transport) {
  ControllerWiring out;
  auto bells = transport.map(segments.doorbells, Access::kReadWrite);
  if (!bells.ok()) return bells.status();
  auto* lines = reinterpret_cast<DoorbellLine*>((*bells)->bytes().data());
  out.doorbell = Doorbell(lines + controller);
  out.wiring.mappings.push_back(std::move(*bells));
  out.wiring.replicas = !shares_memory(transport);
  out.wiring.senders.resize(controllers);
  out.wiring.receivers.resize(controllers);
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!uses_channel(channel, controller)) continue;
    ChannelEnd end;
    end.own = out.doorbell;
    end.regions = regions_of(layout, channel, segments);
    if (channel.from == controller) {
      end.other = Doorbell(lines + channel.to);
      auto sender = transport.open_sender(channel.spec, segments.channels[c], end);
      if (!sender.ok()) return sender.status();
      out.wiring.senders[channel.to] = std::move(*sender);
    }
    if (channel.to == controller) {
      end.other = Doorbell(lines + channel.from);
      auto receiver = transport.open_receiver(channel.spec, segments.channels[c], end);
      if (!receiver.ok()) return receiver.status();
      out.wiring.receivers[channel.from] = std::move(*receiver);
    }
  }
  out.wiring.regions.resize(layout.regions.size());
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    const RegionLayout& region = layout.regions[r];
    if (!uses_region(region, controller)) continue;
    auto mapping =
        transport.map(segments.regions[r], writes_region(region, controller) ? Access::kReadWrite : Access::kRead);
    if (!mapping.ok()) return mapping.status();
    out.wiring.regions[r] = (*mapping)->bytes();
    out.wiring.mappings.push_back(std::move(*mapping));
  }
  return out;
}

}  // namespace woa
