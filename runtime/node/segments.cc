#include "runtime/node/segments.h"

#include <algorithm>
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

// The parts of a site's memory that `controller` uses, or all of them.
Result<Segments> take(const Layout& layout, const std::vector<std::uint64_t>& sizes,
                      std::optional<std::uint32_t> controller, std::shared_ptr<Segment> whole, Transport& transport) {
  auto size = sizes.begin();
  std::size_t offset = 0;
  const auto next = [&](bool wanted) -> Result<std::shared_ptr<Segment>> {
    const std::size_t at = offset, bytes = *size++;
    offset += whole_pages(bytes);
    if (!wanted || bytes == 0) return std::shared_ptr<Segment>();
    return transport.part(whole, at, bytes);
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

// The regions that a channel's packets may name, as its ends take them.
std::vector<ChannelRegion> regions_of(const Layout& layout, const ChannelLayout& channel, const Segments& segments) {
  const auto& memory = channel.between_sites ? segments.registered : segments.regions;
  std::vector<ChannelRegion> regions;
  for (const std::uint16_t r : channel.regions)
    regions.push_back({r, layout.regions[r].blocks, layout.regions[r].block_bytes, memory[r]});
  return regions;
}

bool is_of(const Layout& layout, const ChannelLayout& channel, std::uint32_t site) {
  return !channel.between_sites && layout.sites.site(channel.from) == site;
}

// Whether a region that `controller` uses is for it in the site's memory. One that it shares with other sites only is
// not: header and payload of a packet land in the room of its block, for one controller at a time.
bool is_in_site_memory(const Layout& layout, std::size_t region, std::uint32_t controller) {
  bool crosses = false;
  for (const ChannelLayout& channel : layout.channels) {
    if (!uses_channel(channel, controller)) continue;
    if (!std::binary_search(channel.regions.begin(), channel.regions.end(), region)) continue;
    if (!channel.between_sites) return true;
    crosses = true;
  }
  return !crosses;
}

bool is_used_at(const Layout& layout, std::size_t r, std::uint32_t site) {
  const RegionLayout& region = layout.regions[r];
  const auto there = [&](std::uint32_t controller) {
    return layout.sites.site(controller) == site && is_in_site_memory(layout, r, controller);
  };
  return there(region.producer) || std::any_of(region.consumers.begin(), region.consumers.end(), there);
}

}  // namespace

Result<std::vector<std::uint64_t>> sizes_of_segments(const Layout& layout, std::uint32_t site,
                                                     const Transport& transport) {
  std::vector<std::uint64_t> sizes{layout.control_of.size() * sizeof(DoorbellLine)};
  for (const ChannelLayout& channel : layout.channels) {
    auto bytes = transport.channel_bytes(channel.spec);
    if (!bytes.ok()) return bytes.status();
    sizes.push_back(is_of(layout, channel, site) ? *bytes : 0);
  }
  for (std::size_t r = 0; r < layout.regions.size(); ++r)
    sizes.push_back(is_used_at(layout, r, site) ? layout.regions[r].bytes() : 0);
  return sizes;
}

Result<Segments> allocate_segments(const Layout& layout, std::uint32_t site, Transport& transport) {
  const auto sizes = sizes_of_segments(layout, site, transport);
  if (!sizes.ok()) return sizes.status();
  auto whole = transport.allocate("run", total(*sizes));
  if (!whole.ok()) return whole.status();
  return take(layout, *sizes, std::nullopt, std::move(*whole), transport);
}

Result<Segments> open_segments(const Layout& layout, std::uint32_t controller, Transport& transport, int descriptor) {
  const auto sizes = sizes_of_segments(layout, layout.sites.site(controller), transport);
  if (!sizes.ok()) return sizes.status();
  auto whole = transport.open(descriptor, total(*sizes));
  if (!whole.ok()) return whole.status();
  return take(layout, *sizes, controller, std::move(*whole), transport);
}

namespace {

// One channel at a time writes into a block that lands here: the room in front of it holds one header.
Status check_landing(const Layout& layout, std::uint32_t controller) {
  std::set<std::pair<std::uint16_t, std::uint32_t>> taken;  // region; a receiver of its own, or none for the site's
  const std::uint32_t site = layout.sites.site(controller);
  for (const ChannelLayout& channel : layout.channels) {
    if (!channel.between_sites || layout.sites.site(channel.to) != site) continue;
    for (const std::uint16_t r : channel.regions) {
      const std::uint32_t place = is_in_site_memory(layout, r, channel.to) ? kHostController : channel.to + 1;
      if (!taken.emplace(r, place).second)
        return {Code::kUnsupported,
                "payloads of output " + std::to_string(layout.regions[r].port) + " of stage " +
                    std::to_string(layout.regions[r].stage) +
                    " would come to one place by two channels from other sites; give its edges to one controller "
                    "the same lane, or run it over shm"};
    }
  }
  return {};
}

Result<std::shared_ptr<Segment>> register_region(const Layout& layout, std::uint16_t region, std::uint32_t controller,
                                                 const Transports& transports, const Segments& segments) {
  if (!is_in_site_memory(layout, region, controller))
    return transports.between->allocate("region", layout.regions[region].bytes());
  auto memory = transports.shared->map(segments.regions[region], Access::kReadWrite);
  if (!memory.ok()) return memory.status();
  return transports.between->adopt(std::move(*memory));
}

}  // namespace

Status add_replicas(const Layout& layout, std::uint32_t controller, const Transports& transports, Segments& segments) {
  WOA_RETURN_IF_ERROR(check_landing(layout, controller));
  segments.registered.resize(layout.regions.size());
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!channel.between_sites || !uses_channel(channel, controller)) continue;
    auto bytes = transports.between->channel_bytes(channel.spec);
    if (!bytes.ok()) return bytes.status();
    auto replica = transports.between->allocate("channel", *bytes);
    if (!replica.ok()) return replica.status();
    segments.channels[c] = std::move(*replica);
    for (const std::uint16_t r : channel.regions) {
      if (segments.registered[r] != nullptr) continue;
      auto registered = register_region(layout, r, controller, transports, segments);
      if (!registered.ok()) return registered.status();
      segments.registered[r] = std::move(*registered);
    }
  }
  return {};
}

Shared shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other) {
  Shared shared;
  std::set<std::size_t> regions;
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!channel.between_sites || !uses_channel(channel, one) || !uses_channel(channel, other)) continue;
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

Result<ControllerWiring> wire(const Layout& layout, std::uint32_t controller, const Segments& segments,
                              const Transports& transports) {
  ControllerWiring out;
  auto bells = transports.shared->map(segments.doorbells, Access::kReadWrite);
  if (!bells.ok()) return bells.status();
  auto* lines = reinterpret_cast<DoorbellLine*>((*bells)->bytes().data());
  out.doorbell = Doorbell(lines + controller);
  out.wiring.mappings.push_back(std::move(*bells));
  out.wiring.senders.resize(layout.channels.size());
  out.wiring.receivers.resize(layout.channels.size());
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (!uses_channel(channel, controller)) continue;
    Transport& transport = channel.between_sites ? *transports.between : *transports.shared;
    ChannelEnd end;
    end.own = out.doorbell;
    end.regions = regions_of(layout, channel, segments);
    if (channel.from == controller) {
      end.other = Doorbell(lines + channel.to);
      auto sender = transport.open_sender(channel.spec, segments.channels[c], end);
      if (!sender.ok()) return sender.status();
      out.wiring.senders[c] = std::move(*sender);
    }
    if (channel.to == controller) {
      end.other = Doorbell(lines + channel.from);
      auto receiver = transport.open_receiver(channel.spec, segments.channels[c], end);
      if (!receiver.ok()) return receiver.status();
      out.wiring.receivers[c] = std::move(*receiver);
    }
  }
  out.wiring.regions.resize(layout.regions.size());
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    const RegionLayout& region = layout.regions[r];
    if (!uses_region(region, controller)) continue;
    const Access access = writes_region(region, controller) ? Access::kReadWrite : Access::kRead;
    auto mapping = is_in_site_memory(layout, r, controller) ? transports.shared->map(segments.regions[r], access)
                                                            : transports.between->map(segments.registered[r], access);
    if (!mapping.ok()) return mapping.status();
    out.wiring.regions[r] = (*mapping)->bytes();
    out.wiring.mappings.push_back(std::move(*mapping));
  }
  return out;
}

}  // namespace woa
