// The memory of a run. A site's is one segment: doorbells, the channels between its controllers, and the regions whose
// payloads they hand to each other, in an order that every process computes from the layout. One process makes it, and
// each controller maps the parts that it uses, though it has the descriptor of all: the processes of a run trust each
// other's intent. Channels that take a wire have a replica at either end, which the wire connects to the other. So have
// the regions that packets there name: the replica of a controller that shares the region with others of its site is
// the site's, that of any other is its own; either is registered with each wire that brings or takes its payloads.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/outputs.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/transport.h"
#include "runtime/transport/transports.h"

namespace woa {

// One memory, as each wire that is sent from or into it knows it; by the wires' numbers.
using Registered = std::map<std::uint32_t, std::shared_ptr<Segment>>;

struct Segments {
  std::shared_ptr<Segment> whole;                  // what the next two, and the site's own channels, are parts of
  std::shared_ptr<Segment> doorbells;              // one line per controller
  std::vector<std::shared_ptr<Segment>> regions;   // by region, in the site's memory; null where it has no part here
  std::vector<Registered> registered;              // by region: empty where no wire brings or takes its payloads here
  std::vector<std::shared_ptr<Segment>> channels;  // by channel of the layout. They go before what they carry
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
// Adds what `controller` needs for the wires: its ends of channels, and the registered regions. kUnsupported: payloads
// of an output would come to one place by two ways. Otherwise as the wires' Transport::allocate() and adopt().
Status add_replicas(const Layout& layout, std::uint32_t controller, const Transports& transports, Segments& segments);

// Replicas that two controllers connect to each other: those of their channels that take a wire, and of the regions
// that packets there may name.
struct SharedReplicas {
  std::set<std::size_t> channels;                           // in the layout
  std::set<std::pair<std::size_t, std::uint32_t>> regions;  // in the layout, and the wire; in ascending order
};
SharedReplicas shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other);

// One controller's ends, mappings and doorbell. The doorbell lives in the wiring's mappings.
struct ControllerWiring {
  Wiring wiring;
  Doorbell doorbell;
};
Result<ControllerWiring> open_wiring(const Layout& layout, std::uint32_t controller, const Segments& segments,
                                     const Transports& transports);

}  // namespace woa
