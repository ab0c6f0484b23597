// The memory of a run: doorbells, channels and regions, made by the host and mapped by whoever needs a part.
#pragma once

#include <memory>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/outputs.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/transport.h"

namespace woa {

struct Segments {
  std::shared_ptr<Segment> doorbells;              // one line per controller
  std::vector<std::shared_ptr<Segment>> channels;  // by channel of the layout; null where this process has no part
  std::vector<std::shared_ptr<Segment>> regions;   // by region; likewise
};

// Bytes of the doorbells' segment for `controllers` controllers.
std::size_t doorbell_bytes(std::size_t controllers);

// All of a run's segments. kExhausted with the system's reason.
Result<Segments> allocate_segments(const Layout& layout, std::size_t controllers, Transport& transport);

// Does `controller` send, receive, write or read here?
bool uses_channel(const ChannelLayout& channel, std::uint32_t controller);
bool uses_region(const RegionLayout& region, std::uint32_t controller);
bool writes_region(const RegionLayout& region, std::uint32_t controller);

// One controller's ends, mappings and doorbell. The doorbell lives in the wiring's mappings.
struct ControllerWiring {
  Wiring wiring;
  Doorbell doorbell;
};
Result<ControllerWiring> wire(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                              const Segments& segments, Transport& transport);

}  // namespace woa
