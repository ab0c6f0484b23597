// The memory of a run. A site's is one segment: doorbells, the channels between its controllers, and the regions whose
// payloads they hand to each other, in an order that every process computes from the layout. One process makes it, and
// each controller maps the parts that it uses, though it has the descriptor of all: the processes of a run trust each
// other's intent. Channels between sites have a replica at either end, which a transport connects to the other. So have
// the regions that packets there name: the replica of a controller that shares the region with others of its site is
// the site's, registered with that transport too; that of any other is its own.
#pragma once

#include <memory>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/outputs.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/transport.h"

namespace woa {

// What carries a run's packets.
struct Transports {
  Transport* shared = nullptr;   // within a site: its ends map the same memory
  Transport* between = nullptr;  // between sites; null where there is only one
};

struct Segments {
  std::shared_ptr<Segment> whole;                    // what the next two, and the site's own channels, are parts of
  std::shared_ptr<Segment> doorbells;                // one line per controller
  std::vector<std::shared_ptr<Segment>> regions;     // by region, in the site's memory; null where it has no part here
  std::vector<std::shared_ptr<Segment>> registered;  // by region: replicas that are sent from or into; likewise
  std::vector<std::shared_ptr<Segment>> channels;    // by channel of the layout. They go before what they carry
};

// Bytes of everything that a site needs, in the order in which it lies in its segment; 0 for what is another's.
// kInvalid as Transport::channel_bytes().
Result<std::vector<std::uint64_t>> sizes_of_segments(const Layout& layout, std::uint32_t site,
                                                     const Transport& transport);

// All of a site's memory; or `controller`'s parts, by the descriptor of the whole that another process of the site
// allocated, which this takes over. kExhausted with the system's reason. kInvalid: it is no descriptor, or of memory of
// another size than this layout takes.
Result<Segments> allocate_segments(const Layout& layout, std::uint32_t site, Transport& transport);
Result<Segments> open_segments(const Layout& layout, std::uint32_t controller, Transport& transport, int descriptor);
// Adds what `controller` needs towards other sites: its ends of channels, and the registered regions.
Status add_replicas(const Layout& layout, std::uint32_t controller, const Transports& transports, Segments& segments);

// Does `controller` send, receive, write or read here?
bool uses_channel(const ChannelLayout& channel, std::uint32_t controller);
bool uses_region(const RegionLayout& region, std::uint32_t controller);
bool writes_region(const RegionLayout& region, std::uint32_t controller);

// Which replicas two controllers connect to each other: those of their channels between sites, and of the regions that
// packets there may name.
struct Shared {
  std::vector<std::size_t> channels, regions;  // in the layout
};
Shared shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other);

// One controller's ends, mappings and doorbell. The doorbell lives in the wiring's mappings.
struct ControllerWiring {
  Wiring wiring;
  Doorbell doorbell;
};
Result<ControllerWiring> wire(const Layout& layout, std::uint32_t controller, const Segments& segments,
                              const Transports& transports);

}  // namespace woa
