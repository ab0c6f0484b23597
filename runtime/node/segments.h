// The memory of a run. A site's memory is one segment: doorbells, the channels between its controllers, and the regions
// whose payloads they hand to each other, in an order that every process computes from the layout. One process makes
// it, and each controller maps the parts that it uses, though it has the descriptor of all: the processes of a run
// trust each other's intent. A region that nobody but its producer sees is not in it: the first write to a page costs
// half as much in memory of a process's own. A channel that takes a wire has a replica at either end, which the wire
// connects to the other. So has a region that its packets name: a controller that shares the region within its site
// uses the site's memory as its replica, any other has its own; either is registered with each wire that carries its
// payloads.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/wiring.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/transports.h"

namespace woa {

// One memory, as each wire that sends from or into it knows it; by wire number.
using Registered = std::map<std::uint32_t, std::shared_ptr<Replica>>;

struct Segments {
  std::shared_ptr<SharedSegment> whole;                  // contains doorbells, regions and the site's own channels
  std::shared_ptr<SharedSegment> doorbells;              // one line per controller
  std::vector<std::shared_ptr<SharedSegment>> regions;   // by region, in the site's memory; null if it has no part here
  std::vector<std::shared_ptr<SharedSegment>> channels;  // by channel of the layout; null if it takes a wire
  std::vector<Registered> registered;                    // by region: empty if no wire carries its payloads here
  std::vector<std::shared_ptr<Replica>> replicas;        // by channel that takes a wire; gone before what they carry
};

// Bytes of all parts of a site's segment, in their order; 0 for parts of other sites. kInvalid: as for
// ring_channel_bytes().
Result<std::vector<std::uint64_t>> sizes_of_segments(const Layout& layout, std::uint32_t site);

// All of a site's memory; or `controller`'s parts, by the descriptor of the whole that another process of the site
// allocated, which this takes over. kExhausted with the system's reason. kInvalid: no descriptor, or one of memory of
// another size than this layout needs.
Result<Segments> allocate_segments(const Layout& layout, std::uint32_t site, SharedMemory& memory);
Result<Segments> open_segments(const Layout& layout, std::uint32_t controller, int descriptor);
// kUnsupported: payloads of an output would reach one memory by two ways, by wires, at once; or by a wire, where they
// lie already. Returns of nested calls come one after the other. The message names the output, the ways and what to do.
// Ask before add_replicas().
Status check_landings(const Plan& plan, const Layout& layout);
// Adds `controller`'s memory for the wires: its ends of channels, and the registered regions. Errors as
// Wire::allocate() and adopt().
Status add_replicas(const Layout& layout, std::uint32_t controller, const Transports& transports, Segments& segments);

// Replicas that two controllers connect to each other: those of their channels that take a wire, and of the regions
// that these channels' packets may name.
struct SharedReplicas {
  std::set<std::size_t> channels;                           // in the layout
  std::set<std::pair<std::size_t, std::uint32_t>> regions;  // in the layout, and the wire; in ascending order
};
SharedReplicas shared_replicas(const Layout& layout, std::uint32_t one, std::uint32_t other);

// One controller's ends, mappings and doorbell. The doorbell lives in the wiring's mappings.
struct ControllerWiring {
  Wiring wiring;
  Doorbell doorbell;
  std::vector<Doorbell> of_others;  // of the site, as far as it is known here
};
Result<ControllerWiring> open_wiring(const Layout& layout, std::uint32_t controller, const Segments& segments,
                                     const Transports& transports);
// Mappings for the controller's back-end (Backend::map()): rings, then regions, by number. `wiring`: as opened.
std::vector<BackendMapping> backend_mappings(const Plan& plan, const Layout& layout, std::uint32_t controller,
                                             const Segments& segments, const Wiring& wiring);

}  // namespace woa
