#include "runtime/controller/layout.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "runtime/controller/transfer_method.h"
#include "runtime/memory/pages.h"
#include "runtime/packet/payload_crc.h"

namespace woa {
namespace {

static_assert(kMaxInlineBytes <= kMaxRingInlineBytes, "the largest limit of a plan fits a header ring");
constexpr std::uint32_t kControlSlots = 2;  // `retire` and `end`; the host sends one when the other was read
// By wire a consumer says what it has read when a part of the ring is full: more places are fewer messages.
constexpr std::uint32_t kLeastWireSlots = 32;

std::optional<std::uint32_t> wire_of(const Plan& plan, const Sites& sites, const EdgePlan& edge) {
  return sites.wire(plan.stages[edge.from_stage].controller, plan.stages[edge.to_stage].controller, edge.lane);
}

// Says whether an edge's payloads lie where they were written; stages in front of a relay write what it passes on.
bool lies_where_written(const Plan& plan, const Layout& layout, std::uint32_t edge) {
  const EdgePlan& e = plan.edges[edge];
  if (wire_of(plan, layout.sites, e)) return false;
  if (plan.stages[e.from_stage].role != StageRole::kRelay) return true;
  const auto& writers = layout.in_edges[e.from_stage][e.from_port];
  return std::all_of(writers.begin(), writers.end(),
                     [&](std::uint32_t writer) { return lies_where_written(plan, layout, writer); });
}

// Says whether a payload of this edge comes back by wire into memory of its site, directly or through relays.
bool comes_back(const Plan& plan, const Layout& layout, std::uint32_t edge) {
  const EdgePlan& e = plan.edges[edge];
  const StagePlan &from = plan.stages[e.from_stage], &to = plan.stages[e.to_stage];
  if (wire_of(plan, layout.sites, e)) return layout.sites.together(from.controller, to.controller);
  if (to.role != StageRole::kRelay) return false;
  const auto& readers = layout.out_edges[e.to_stage][e.to_port];
  return std::any_of(readers.begin(), readers.end(),
                     [&](std::uint32_t reader) { return comes_back(plan, layout, reader); });
}

// The input whose payloads an output passes on, or -1. A kernel writes only over payloads that took no wire: others lie
// in a replica, and a changed replica is not sent again to a reader that has it. A kernel also leaves payloads alone
// that would take a wire back to a site which may have that memory already.
std::int32_t passed_input(const Plan& plan, const Layout& layout, std::uint32_t s, std::uint32_t port) {
  const StagePlan& stage = plan.stages[s];
  if (stage.role == StageRole::kRelay) return static_cast<std::int32_t>(port);
  const std::int32_t input = stage.outputs[port].in_place;
  if (input < 0) return -1;
  const auto& writers = layout.in_edges[s][static_cast<std::size_t>(input)];
  const auto& readers = layout.out_edges[s][port];
  const bool all_here = std::all_of(writers.begin(), writers.end(),
                                    [&](std::uint32_t writer) { return lies_where_written(plan, layout, writer); });
  const bool back = std::any_of(readers.begin(), readers.end(),
                                [&](std::uint32_t reader) { return comes_back(plan, layout, reader); });
  return all_here && !back ? input : -1;
}

// An edge that stays on a card has neither packets nor memory.
void leave_out_on_card(const Plan& plan, PlanIndex& index) {
  for (const EdgePlan& edge : plan.edges) {
    if (!edge.on_card) continue;
    for (PlanIndex::ByPort* const from : {&index.out_edges, &index.all_out})
      (*from)[edge.from_stage][edge.from_port] = {};
    for (PlanIndex::ByPort* const to : {&index.in_edges, &index.all_in}) (*to)[edge.to_stage][edge.to_port] = {};
  }
}

void make_regions(const Plan& plan, Layout& layout) {
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    layout.passed_input.emplace_back();
    for (std::uint32_t p = 0; p < plan.stages[s].outputs.size(); ++p) {
      layout.passed_input[s].push_back(passed_input(plan, layout, s, p));
      if (layout.passed_input[s][p] >= 0 || layout.out_edges[s][p].empty()) continue;
      RegionLayout region{s, p, plan.stages[s].controller, 0, plan.stages[s].outputs[p].type.block_bytes(), {}, {}, 0};
      for (const std::uint32_t e : layout.out_edges[s][p]) region.blocks += plan.edges[e].blocks;
      layout.region_of[s][p] = static_cast<std::int32_t>(layout.regions.size());
      layout.regions.push_back(std::move(region));
    }
  }
}

// Finds the regions of an output's payloads. validate() bounds the number of stages that pass a payload on.
void find_regions(const Plan& plan, const Layout& layout, std::uint32_t stage, std::uint32_t port,
                  std::vector<std::uint16_t>& regions) {
  const std::int32_t input = layout.passed_input[stage][port];
  if (input < 0) {
    regions.push_back(static_cast<std::uint16_t>(layout.region_of[stage][port]));
    return;
  }
  for (const std::uint32_t writer : layout.in_edges[stage][static_cast<std::size_t>(input)])
    find_regions(plan, layout, plan.edges[writer].from_stage, plan.edges[writer].from_port, regions);
}

template <class T>
bool contains(const std::vector<T>& list, T wanted) noexcept {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

void add_once(std::vector<std::uint32_t>& controllers, std::uint32_t controller) {
  if (!contains(controllers, controller)) controllers.push_back(controller);
}

void add_users(const Plan& plan, const EdgeLayout& edge, const EdgePlan& edge_plan, Layout& layout) {
  const auto& passed = layout.passed_input[edge_plan.to_stage];
  const bool modifies = plan.stages[edge_plan.to_stage].role == StageRole::kKernel &&
                        contains(passed, static_cast<std::int32_t>(edge_plan.to_port));
  for (const std::uint16_t r : edge.regions) {
    RegionLayout& region = layout.regions[r];
    if (edge.wire) region.header_room = layout.sites.header_room;
    if (edge.payload_crc) region.crc_room = kPayloadCrcRoom;
    if (edge.to == region.producer) continue;
    add_once(region.consumers, edge.to);
    if (modifies) add_once(region.modifiers, edge.to);
  }
}

// Says whether a reader in the writer's controller takes payloads in the device: it sees one at a time, and writes into
// its own memory or passes the payload to no other controller. A resident stage does not: it sees no queue's events.
bool reads_in_device(const Plan& plan, const Layout& layout, const EdgePlan& edge, const RegionLayout& region) {
  const StagePlan& stage = plan.stages[edge.to_stage];
  if (stage.role == StageRole::kRelay) return region.consumers.empty();
  const bool writes_over = contains(layout.passed_input[edge.to_stage], static_cast<std::int32_t>(edge.to_port));
  return stage.inputs[edge.to_port].gather == 0 && !writes_over && !stage.variant.resident;
}

// A back-end that keeps payloads gets the outputs that stages of its own controller read. Host memory has a copy for
// readers elsewhere. They change the copy alone, so a payload that comes back changed needs host memory, too.
void choose_memory(const Plan& plan, Layout& layout) {
  std::vector<bool> read_here(layout.regions.size()), needed_in_host(layout.regions.size());
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    for (const std::uint16_t r : layout.edges[e].regions) {
      if (layout.edges[e].to != layout.regions[r].producer) continue;
      read_here[r] = true;
      if (!reads_in_device(plan, layout, plan.edges[e], layout.regions[r])) needed_in_host[r] = true;
    }
  }
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    RegionLayout& region = layout.regions[r];
    const BackendTraits& traits = plan.controllers[region.producer].traits;
    const StagePlan& writer = plan.stages[region.stage];
    const OutputPortPlan& output = writer.outputs[region.port];
    const bool in_host = needed_in_host[r] || !region.modifiers.empty() || writer.variant.resident;
    if (!traits.keeps_payloads() || output.many != 0 || !read_here[r] || in_host) continue;
    region.memory = traits.memory;
    region.device_bytes =
        std::max<std::uint64_t>(output.type.block_bytes() - output.type.prefix_bytes(), kPayloadAlignment);
    if (region.consumers.empty()) region.block_bytes = kPayloadAlignment;
  }
}

void find_who_touches(const Plan& plan, Layout& layout) {
  for (RegionLayout& region : layout.regions)
    if (!region.is_in_device() || region.is_copied()) region.touched_by.push_back(region.producer);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.stages[plan.edges[e].to_stage].role == StageRole::kRelay) continue;
    for (const std::uint16_t r : layout.edges[e].regions) {
      RegionLayout& region = layout.regions[r];
      if (layout.edges[e].to != region.producer) add_once(region.touched_by, layout.edges[e].to);
    }
  }
}

// Says whether the back-end registers memory. True with a budget of 0, too, which only a machine file can set.
bool would_register(const ControllerPlan& controller) noexcept {
  const KnownBackend* const row = find_backend(controller.backend);
  return controller.traits.registers != 0 || (row != nullptr && row->traits.registers != 0);
}

// Regions take their share of a back-end's budget in order. A region that exceeds the rest leaves it to later ones.
void choose_who_registers(const Plan& plan, Layout& layout) {
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) {
    std::uint64_t left = plan.controllers[c].traits.registers;
    for (RegionLayout& region : layout.regions) {
      if (!touches_region(region, c) || whole_pages(region.bytes()) > left) continue;
      left -= whole_pages(region.bytes());
      region.registered_by.push_back(c);
    }
  }
}

// Chooses the edges of one output that count its payload: once for each controller that reads it.
void choose_who_counts(const Plan& plan, const std::vector<std::uint32_t>& edges, Layout& layout) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_controller;
  for (const std::uint32_t e : edges) by_controller[layout.edges[e].to].push_back(e);
  for (const auto& [controller, there] : by_controller) {
    std::vector<ReplicaChoice> choices;
    for (const std::uint32_t e : there) choices.push_back(plan.edges[e].choice);
    for (std::size_t k = 0; k < there.size(); ++k) layout.edges[there[k]].counts_payload = counts_payload(choices, k);
  }
}

void make_edges(const Plan& plan, Layout& layout) {
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    EdgeLayout out;
    out.from = plan.stages[edge.from_stage].controller;
    out.to = plan.stages[edge.to_stage].controller;
    out.wire = wire_of(plan, layout.sites, edge);
    out.payload_crc = out.wire.has_value() && layout.sites.payload_crc;
    if (out.crosses() && !out.wire && !edge.count) out.publishes = plan.stages[edge.from_stage].publishes;
    if (edge.count || edge.on_card) {
      layout.edges.push_back(std::move(out));
      continue;
    }
    out.inline_bytes = inline_limit(facts_of(plan, e, out.wire.has_value()));
    find_regions(plan, layout, edge.from_stage, edge.from_port, out.regions);
    std::sort(out.regions.begin(), out.regions.end());
    out.regions.erase(std::unique(out.regions.begin(), out.regions.end()), out.regions.end());
    add_users(plan, out, edge, layout);
    layout.edges.push_back(std::move(out));
  }
  for (const auto& stage : layout.out_edges)
    for (const auto& port : stage) choose_who_counts(plan, port, layout);
}

// Worker processes map the regions of isolated stages, and none of them may write beyond a block.
void find_what_processes_map(const Plan& plan, Layout& layout) {
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (!plan.stages[plan.edges[e].to_stage].isolated) continue;
    for (const std::uint16_t r : layout.edges[e].regions) layout.regions[r].of_processes = true;
  }
  for (RegionLayout& region : layout.regions) {
    if (!plan.stages[region.stage].isolated) continue;
    region.of_processes = true;
    const std::uint64_t used = region.header_room + region.carried_bytes();
    region.guard_room =
        static_cast<std::uint32_t>((used + kGuardBytes - 1) / kGuardBytes * kGuardBytes - used) + kGuardBytes;
  }
}

constexpr std::uint32_t whole_lines(std::uint32_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

// Blocks of an edge beyond those that the instances of a window occupy, for whose tokens the ring has places.
constexpr std::uint32_t spare_blocks(const EdgePlan& edge, std::uint32_t window) noexcept {
  return edge.blocks + window - ring_places(edge, window);
}

// The needs of all edges of one channel together.
struct ChannelNeed {
  std::uint32_t ring = 0, returns = 0, spare = ~0U, inline_bytes = kPoisonMessageBytes;  // `spare`: of each edge
  std::set<std::uint16_t> regions;
  bool read_by_device = false;
};

// Packets of a channel are numbered by one device or by the host, and published by one agent, in order: the host, a
// device's queues together, or the worker of one stage.
struct ChannelKey {
  std::uint32_t from = 0, to = 0;
  std::string lane;
  HeaderWriter headers = HeaderWriter::kHost;
  Publisher publishes = Publisher::kHost;
  std::uint32_t worker = 0;  // the stage of the worker; 0 for other publishers
  auto operator<=>(const ChannelKey&) const = default;
};

ChannelKey key_of(const Plan& plan, const Layout& layout, std::size_t edge) {
  const EdgePlan& e = plan.edges[edge];
  const HeaderWriter headers = e.count ? HeaderWriter::kHost : plan.stages[e.from_stage].headers;
  const Publisher publishes = layout.edges[edge].publishes;
  const std::uint32_t worker = publishes == Publisher::kWorker ? e.from_stage : 0;
  return {layout.edges[edge].from, layout.edges[edge].to, e.lane, headers, publishes, worker};
}

std::map<ChannelKey, ChannelNeed> channel_needs(const Plan& plan, const Layout& layout) {
  std::map<ChannelKey, ChannelNeed> needs;
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    const EdgeLayout& edge = layout.edges[e];
    if (!edge.crosses()) continue;
    ChannelNeed& need = needs[key_of(plan, layout, e)];
    need.ring += ring_places(plan.edges[e], plan.window);
    need.returns += plan.edges[e].blocks;
    need.spare = std::min(need.spare, spare_blocks(plan.edges[e], plan.window));
    need.regions.insert(edge.regions.begin(), edge.regions.end());
    const StagePlan& reader = plan.stages[plan.edges[e].to_stage];
    need.read_by_device = need.read_by_device || reader.headers == HeaderWriter::kDevice;
    const std::uint32_t inline_bytes = std::max(kPoisonMessageBytes, whole_lines(edge.inline_bytes));
    need.inline_bytes = std::max(need.inline_bytes, inline_bytes + (edge.payload_crc ? kPayloadCrcRoom : 0));
  }
  return needs;
}

void add_control_channels(const Plan& plan, Layout& layout) {
  layout.control_of.resize(plan.controllers.size());
  for (std::uint32_t c = 1; c < plan.controllers.size(); ++c) {
    ChannelLayout channel{
        .from = kHostController, .to = c, .control = true, .wire = layout.sites.wire(kHostController, c, {})};
    channel.spec = {kControlSlots, 1, 0, channel.wire.has_value()};
    layout.control_of[c] = static_cast<std::uint32_t>(layout.channels.size());
    layout.channels.push_back(std::move(channel));
  }
}

void make_channels(const Plan& plan, Layout& layout) {
  add_control_channels(plan, layout);
  std::map<ChannelKey, std::uint32_t> places;
  for (const auto& [key, need] : channel_needs(plan, layout)) {
    ChannelLayout channel{.from = key.from,
                          .to = key.to,
                          .lane = key.lane,
                          .publishes = key.publishes,
                          .wire = layout.sites.wire(key.from, key.to, key.lane)};
    channel.spec.ring_slots = std::bit_ceil(channel.wire ? std::max(need.ring, kLeastWireSlots) : need.ring);
    channel.spec.return_slots = std::bit_ceil(need.returns);
    channel.spec.kept_returns = need.spare;
    channel.spec.inline_bytes = need.inline_bytes;
    // A device that reads packets gets them as a stream, whose headers have a CRC.
    channel.spec.header_crc = channel.wire.has_value() || need.read_by_device;
    channel.regions.assign(need.regions.begin(), need.regions.end());
    places[key] = static_cast<std::uint32_t>(layout.channels.size());
    layout.channels.push_back(std::move(channel));
  }
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    if (layout.edges[e].crosses()) layout.edges[e].channel = places[key_of(plan, layout, e)];
  }
}

// Controllers share a region with others of their site. One that has it by wire alone has a replica of it.
void find_replicas(Layout& layout) {
  std::set<std::pair<std::uint16_t, std::uint32_t>> wired, shared;  // region, user
  for (const ChannelLayout& channel : layout.channels) {
    for (const std::uint16_t r : channel.regions) {
      for (const std::uint32_t user : {channel.from, channel.to}) (channel.wire ? wired : shared).emplace(r, user);
    }
  }
  for (const auto& [r, user] : wired) {
    if (!shared.contains({r, user})) layout.regions[r].replicated.push_back(user);
  }
}

}  // namespace

Status check_lanes(const Plan& plan, const BoundLanes& lanes) {
  std::set<std::string> names;
  for (const EdgePlan& edge : plan.edges) {
    if (!edge.lane.empty()) names.insert(edge.lane);
  }
  std::string there;
  for (const std::string& name : names) there += (there.empty() ? "'" : ", '") + name + "'";
  for (const auto& bound : lanes) {
    if (names.contains(bound.first)) continue;
    return {Code::kInvalid,
            "no edge of the plan names lane '" + bound.first + "'; " +
                (there.empty() ? "none names any ({from: WRITER, lane: NAME} in the graph)" : "there are: " + there)};
  }
  return {};
}

bool RegionLayout::is_in_site_memory(std::uint32_t controller) const noexcept {
  return !contains(replicated, controller);
}

bool uses_channel(const ChannelLayout& channel, std::uint32_t controller) noexcept {
  return channel.from == controller || channel.to == controller;
}

bool uses_region(const RegionLayout& region, std::uint32_t controller) noexcept {
  return region.producer == controller || contains(region.consumers, controller);
}

bool touches_region(const RegionLayout& region, std::uint32_t controller) noexcept {
  return contains(region.touched_by, controller);
}

bool writes_region(const RegionLayout& region, std::uint32_t controller) noexcept {
  return region.producer == controller || contains(region.modifiers, controller);
}

bool registers_region(const RegionLayout& region, std::uint32_t controller) noexcept {
  return contains(region.registered_by, controller);
}

namespace {

// Says whether `stage` is a kernel and one of the edge's regions, with payloads in host memory, is staged for it.
template <class IsStaged>
bool any_staged(const Plan& plan, const Layout& layout, std::uint32_t edge, std::uint32_t stage, IsStaged&& is_staged) {
  const EdgeLayout& at = layout.edges[edge];
  return plan.stages[stage].role == StageRole::kKernel && std::ranges::any_of(at.regions, [&](std::uint16_t r) {
           return (at.crosses() || !layout.regions[r].is_in_device()) && is_staged(r);
         });
}

}  // namespace

bool is_staged(const Plan& plan, const Layout& layout, std::uint32_t edge, std::uint32_t stage) noexcept {
  const std::uint32_t controller = plan.stages[stage].controller;
  return would_register(plan.controllers[controller]) && any_staged(plan, layout, edge, stage, [&](std::uint16_t r) {
           return touches_region(layout.regions[r], controller) && !registers_region(layout.regions[r], controller);
         });
}

bool is_staged(const Plan& plan, const Layout& layout, std::uint32_t edge, std::uint32_t stage,
               std::span<const std::uint16_t> staged) noexcept {
  return any_staged(plan, layout, edge, stage,
                    [&](std::uint16_t r) { return std::ranges::find(staged, r) != staged.end(); });
}

std::uint32_t wires_of(const Layout& layout) noexcept {
  std::uint32_t wires = 0;
  for (const ChannelLayout& channel : layout.channels) {
    if (channel.wire) wires = std::max(wires, *channel.wire + 1);
  }
  return wires;
}

Layout make_layout(const Plan& plan, Sites sites) {
  Layout layout;
  static_cast<PlanIndex&>(layout) = PlanIndex(plan);
  leave_out_on_card(plan, layout);
  layout.sites = std::move(sites);
  for (const StagePlan& stage : plan.stages) layout.region_of.emplace_back(stage.outputs.size(), -1);
  make_regions(plan, layout);
  make_edges(plan, layout);
  find_what_processes_map(plan, layout);
  choose_memory(plan, layout);
  find_who_touches(plan, layout);
  choose_who_registers(plan, layout);
  make_channels(plan, layout);
  find_replicas(layout);
  return layout;
}

std::vector<DeviceRegion> device_regions(const Layout& layout, std::uint32_t controller) {
  std::vector<DeviceRegion> regions;
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    const RegionLayout& region = layout.regions[r];
    if (region.producer != controller || !region.is_in_device()) continue;
    regions.push_back({static_cast<std::uint16_t>(r), region.blocks, region.device_bytes});
  }
  return regions;
}

std::uint32_t most_inline_bytes(const Layout& layout, std::uint32_t controller) noexcept {
  std::uint32_t most = 0;
  for (const EdgeLayout& edge : layout.edges) {
    if (edge.to == controller) most = std::max(most, edge.inline_bytes);
  }
  return most;
}

}  // namespace woa
