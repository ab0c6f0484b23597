#include "runtime/node/segments.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "runtime/transport/pages.h"

namespace woa {

namespace {

std::size_t total(const std::vector<std::uint64_t>& sizes) {
  std::size_t bytes = 0;
  for (const std::uint64_t size : sizes) bytes += whole_pages(size);
  return bytes;
}

// Where memory comes from, piece by piece in the order of the layout. `wanted` false: goes past it, and gives null.
using Source = std::function<Result<std::shared_ptr<Segment>>(const char* label, std::size_t bytes, bool wanted)>;

Source parts_of(std::shared_ptr<Segment> whole, Transport& transport) {
  return [whole = std::move(whole), &transport, next = std::size_t{0}](
             const char*, std::size_t bytes, bool wanted) mutable -> Result<std::shared_ptr<Segment>> {
    const std::size_t offset = next;
    next += whole_pages(bytes);
    if (!wanted) return std::shared_ptr<Segment>();
    return transport.part(whole, offset, bytes);
  };
}

// `controller`'s, or everybody's.
Result<Segments> take(const Layout& layout, const std::vector<std::uint64_t>& sizes,
                      std::optional<std::uint32_t> controller, const Source& source) {
  Segments segments;
  auto size = sizes.begin();
  auto doorbells = source("doorbells", *size++, true);
  if (!doorbells.ok()) return doorbells.status();
  segments.doorbells = *doorbells;
  for (const ChannelLayout& channel : layout.channels) {
    auto segment = source("channel", *size++, !controller || uses_channel(channel, *controller));
    if (!segment.ok()) return segment.status();
    segments.channels.push_back(std::move(*segment));
  }
  for (const RegionLayout& region : layout.regions) {
    auto segment = source("region", *size++, !controller || uses_region(region, *controller));
    if (!segment.ok()) return segment.status();
    segments.regions.push_back(std::move(*segment));
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

Result<std::vector<std::uint64_t>> sizes_of_segments(const Layout& layout, std::size_t controllers,
                                                     const Transport& transport) {
  std::vector<std::uint64_t> sizes{controllers * sizeof(DoorbellLine)};
  for (const ChannelLayout& channel : layout.channels) {
    auto bytes = transport.channel_bytes(channel.spec);
    if (!bytes.ok()) return bytes.status();
    sizes.push_back(*bytes);
  }
  for (const RegionLayout& region : layout.regions) sizes.push_back(region.bytes());
  return sizes;
}

Result<Segments> allocate_segments(const Layout& layout, std::size_t controllers, Transport& transport) {
  const auto sizes = sizes_of_segments(layout, controllers, transport);
  if (!sizes.ok()) return sizes.status();
  auto whole = transport.allocate("run", total(*sizes));
  if (!whole.ok()) return whole.status();
  auto segments = take(layout, *sizes, std::nullopt, parts_of(*whole, transport));
  if (segments.ok()) segments->whole = std::move(*whole);
  return segments;
}

Result<Segments> open_segments(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                               Transport& transport, int descriptor) {
  const auto sizes = sizes_of_segments(layout, controllers, transport);
  if (!sizes.ok()) return sizes.status();
  auto whole = transport.open(descriptor, total(*sizes));
  if (!whole.ok()) return whole.status();
  auto segments = take(layout, *sizes, controller, parts_of(*whole, transport));
  if (segments.ok()) segments->whole = std::move(*whole);
  return segments;
}

Result<Segments> allocate_replicas(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                                   Transport& transport) {
  const auto sizes = sizes_of_segments(layout, controllers, transport);
  if (!sizes.ok()) return sizes.status();
  return take(layout, *sizes, controller,
              [&transport](const char* label, std::size_t bytes, bool wanted) -> Result<std::shared_ptr<Segment>> {
                if (!wanted) return std::shared_ptr<Segment>();
                return transport.allocate(label, bytes);
              });
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
