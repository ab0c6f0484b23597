// The memory of a run: doorbells, channels and regions. Where controllers share memory they are parts of one segment,
// in an order that every process computes from the layout: the host makes it, and each controller maps the parts that
// it uses, though it has the descriptor of all: the processes of a run trust each other's intent. Where they do not
// (Transport::header_room() is not 0), every controller has replicas of the channels and regions that it uses, and a
// doorbell of its own.
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
  std::shared_ptr<Segment> whole;                  // what the others are parts of; null for replicas
  std::shared_ptr<Segment> doorbells;              // one line per controller
  std::vector<std::shared_ptr<Segment>> regions;   // by region; null where this process has no part
  std::vector<std::shared_ptr<Segment>> channels;  // by channel of the layout; likewise. They go before what they carry
};

// Bytes of everything that a run needs, in the order in which it lies in the shared segment. kInvalid as
// Transport::channel_bytes().
Result<std::vector<std::uint64_t>> sizes_of_segments(const Layout& layout, std::size_t controllers,
                                                     const Transport& transport);

// All of a run's segments, or `controller`'s replicas. kExhausted with the system's reason.
Result<Segments> allocate_segments(const Layout& layout, std::size_t controllers, Transport& transport);
// `controller`'s segments, by the descriptor of the whole that the host allocated; takes the descriptor over. kInvalid:
// it is none, or of another size than this layout takes.
Result<Segments> open_segments(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                               Transport& transport, int descriptor);
Result<Segments> allocate_replicas(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                                   Transport& transport);

// Does `controller` send, receive, write or read here?
bool uses_channel(const ChannelLayout& channel, std::uint32_t controller);
bool uses_region(const RegionLayout& region, std::uint32_t controller);
bool writes_region(const RegionLayout& region, std::uint32_t controller);

// Which replicas two controllers connect to each other: those of their channels, and of the regions that packets there
// may name.
struct Shared {
  std::vector<std::size_t> channels, regions;  // in the layout
};
Shared shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other);

// One controller's ends, mappings and doorbell. The doorbell lives in the wiring's mappings.
struct ControllerWiring {
  Wiring wiring;
  Doorbell doorbell;
};
Result<ControllerWiring> wire(const Layout& layout, std::size_t controllers, std::uint32_t controller,
                              const Segments& segments, Transport& transport);

}  // namespace woa
