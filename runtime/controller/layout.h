// What a plan needs in memory: the regions (one per output port) and the channels (one per direction and lane
// between two controllers and per way in which their stages forward, each resident stage by itself, and one for what
// the host tells each controller about instances). Derived from the plan and the run's sites alone, so that every
// process of a run computes the same numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/plan/index.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/sites.h"
#include "runtime/transport/channel.h"

namespace woa {

// Behind each block that an isolated stage writes: nobody may touch it where pages are no larger.
inline constexpr std::uint32_t kGuardBytes = 4096;

// Room for the text that poison carries; longer ones are cut.
inline constexpr std::uint32_t kPoisonMessageBytes = 192;

// kInvalid: a lane that no edge of the plan names; the message says which there are.
Status check_lanes(const Plan& plan, const BoundLanes& lanes);

// Payload memory of one output port: its producer allocates the blocks, the consumers of its edges map it.
//
// The region lies in the producer's device if stages of that controller read it, one payload after the other, none of
// them or the writer is resident, and the controller's back-end keeps payloads there. Packets name a block of host
// memory all the same; the data lie in the device's block of the same number. The block in host memory holds the
// dimensions, a line; and for readers elsewhere, if there are any, a copy of the data.
struct RegionLayout {
  std::uint32_t stage = 0, port = 0;     // the output
  std::uint32_t producer = 0;            // controller that allocates and writes
  std::uint32_t blocks = 0;              // of all its edges together
  std::uint64_t block_bytes = 0;         // of host memory, a multiple of 64
  std::vector<std::uint32_t> consumers;  // controllers whose packets may name it, the producer left out
  std::vector<std::uint32_t> modifiers;  // of the consumers: those that write over its payloads and pass them on
  std::uint32_t header_room = 0;  // in front of each block, a multiple of 64; 0: none of its payloads takes a wire
  // Of its users, those that have a replica of their own: no other controller of their site shares it with them. Header
  // and payload of a packet land in the room of its block, for one controller at a time.
  std::vector<std::uint32_t> replicated = {};
  std::uint32_t crc_room = 0;  // behind each block, a multiple of 64; 0: none of its payloads takes a wire with a CRC
  // Behind each block that an isolated stage writes, so that a block takes whole pages, the last of them a guard of
  // kGuardBytes. 0: no isolated stage writes it.
  std::uint32_t guard_room = 0;
  bool of_processes = false;             // an isolated stage reads or writes its payloads: worker processes map it
  MemoryKind memory = MemoryKind::kCpu;  // where the data lie
  std::uint64_t device_bytes = 0;  // of each block in the device, a multiple of 64; 0: the data lie in host memory
  // Controllers whose stages write or read it in host memory. A relay does neither.
  std::vector<std::uint32_t> touched_by = {};
  std::vector<std::uint32_t> registered_by = {};  // controllers, of these, whose back-ends may register it
  [[nodiscard]] bool is_in_device() const noexcept { return memory != MemoryKind::kCpu; }
  // The back-end copies what lies in the device, too.
  [[nodiscard]] bool is_copied() const noexcept { return is_in_device() && !consumers.empty(); }
  // A transport carries no more of a block and what follows it, without the header.
  [[nodiscard]] std::uint64_t carried_bytes() const noexcept { return block_bytes + crc_room + guard_room; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return blocks * (header_room + carried_bytes()); }
  // Nobody but its producer, neither a back-end's driver nor a worker process, ever sees it: it need not be in memory
  // that is shared.
  [[nodiscard]] bool is_of_producer_alone() const noexcept {
    return consumers.empty() && registered_by.empty() && !is_in_device() && !of_processes;
  }
  // Whether it is for this controller, which uses it, in the memory of its site.
  [[nodiscard]] bool is_in_site_memory(std::uint32_t controller) const noexcept;
};

struct ChannelLayout {
  std::uint32_t from = 0, to = 0;          // controllers
  std::string lane = {};                   // of the plan's edges that it carries
  Publisher publishes = Publisher::kHost;  // their packets
  bool control = false;  // carries what the host tells of instances and the run's end, and nothing else: it is
                         // read whatever waits elsewhere
  ChannelSpec spec = {};
  std::vector<std::uint16_t> regions = {};  // that its packets may name, in ascending order
  std::optional<std::uint32_t> wire = {};   // of the run's, that it takes; none: its ends share memory
};

struct EdgeLayout {
  std::uint32_t from = 0, to = 0;      // controllers
  std::uint32_t channel = 0;           // of the layout; without meaning if it does not cross
  std::vector<std::uint16_t> regions;  // that a packet of this edge may name: its output's own, or where it passes
                                       // payloads on (a relay, an output in place) those of their writers
  // Payloads of up to so many bytes travel behind their headers, so that their reader waits for one transfer of cache
  // lines and not for two, one after the other. They name their blocks all the same (docs/adr/0004). 0: none do.
  std::uint32_t inline_bytes = 0;
  std::optional<std::uint32_t> wire;       // of the run's, that it takes
  bool counts_payload = true;              // of what it brings: plan.h
  bool payload_crc = false;                // follows what it brings
  Publisher publishes = Publisher::kHost;  // its packets; the host if it takes a wire
  [[nodiscard]] bool crosses() const noexcept { return from != to; }
};

// The index leaves out what stays on a card (EdgePlan::on_card): it has neither packets nor memory.
struct Layout : PlanIndex {
  Sites sites;
  std::vector<RegionLayout> regions;                    // index: the packet's `region`
  std::vector<ChannelLayout> channels;                  // control to every controller, and what edges need
  std::vector<std::uint32_t> control_of;                // by controller: the channel that controls it; the host's: 0
  std::vector<EdgeLayout> edges;                        // by edge of the plan
  std::vector<std::vector<std::int32_t>> region_of;     // [stage][output port]; -1 where it passes payloads on,
                                                        // or they stay on a card
  std::vector<std::vector<std::int32_t>> passed_input;  // [stage][output port]: the input whose payloads it passes on,
                                                        // -1 where it has a region
};

// `plan` has passed validate(). Over a wire headers and, unless the sites say otherwise, payloads carry a CRC. A relay
// is sent every payload in its block, because it passes the block on.
Layout make_layout(const Plan& plan, Sites sites = {});

// Does `controller` send, receive, write, read or register here?
bool uses_channel(const ChannelLayout& channel, std::uint32_t controller) noexcept;
bool uses_region(const RegionLayout& region, std::uint32_t controller) noexcept;
bool touches_region(const RegionLayout& region, std::uint32_t controller) noexcept;
bool writes_region(const RegionLayout& region, std::uint32_t controller) noexcept;
bool registers_region(const RegionLayout& region, std::uint32_t controller) noexcept;
// Does `stage`, at one end of the edge, reach its payloads through memory of its back-end's own? The back-end registers
// memory, but this region exceeds what is left of its budget (BackendTraits::registers).
bool is_staged(const Plan& plan, const Layout& layout, std::uint32_t edge, std::uint32_t stage) noexcept;
// The same of a run, whose driver may have refused more. `staged`: regions, by the map() of the stage's back-end.
bool is_staged(const Plan& plan, const Layout& layout, std::uint32_t edge, std::uint32_t stage,
               std::span<const std::uint16_t> staged) noexcept;
// How many wires its channels number, those that none takes included; 0: all share memory.
std::uint32_t wires_of(const Layout& layout) noexcept;

// The regions that the controller's back-end allocates on its device.
std::vector<DeviceRegion> device_regions(const Layout& layout, std::uint32_t controller);

// The largest inline payload that a token for `controller` may have.
std::uint32_t most_inline_bytes(const Layout& layout, std::uint32_t controller) noexcept;

}  // namespace woa
