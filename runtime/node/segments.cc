#include "runtime/node/segments.h"

#include <algorithm>

namespace woa {

std::size_t doorbell_bytes(std::size_t controllers) { return controllers * sizeof(DoorbellLine); }

Result<Segments> allocate_segments(const Layout& layout, std::size_t controllers, Transport& transport) {
  Segments segments;
  auto doorbells = transport.allocate("doorbells", doorbell_bytes(controllers));
  if (!doorbells.ok()) return doorbells.status();
  segments.doorbells = *doorbells;
  for (const ChannelLayout& channel : layout.channels) {
    auto bytes = transport.channel_bytes(channel.spec);
    if (!bytes.ok()) return bytes.status();
    auto segment = transport.allocate("channel", *bytes);
    if (!segment.ok()) return segment.status();
    segments.channels.push_back(*segment);
  }
  for (const RegionLayout& region : layout.regions) {
    auto segment = transport.allocate("region", region.bytes());
    if (!segment.ok()) return segment.status();
    segments.regions.push_back(*segment);
  }
  return segments;
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
  out.wiring.senders.resize(controllers);
  out.wiring.receivers.resize(controllers);
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    if (channel.from == controller) {
      auto sender = transport.open_sender(channel.spec, segments.channels[c], Doorbell(lines + channel.to));
      if (!sender.ok()) return sender.status();
      out.wiring.senders[channel.to] = std::move(*sender);
    }
    if (channel.to == controller) {
      auto receiver = transport.open_receiver(channel.spec, segments.channels[c], Doorbell(lines + channel.from));
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
