#include "runtime/node/messages.h"

#include <algorithm>

namespace woa {
namespace {

void add_replica(control::Replicas& message, control::Replica::Kind kind, std::size_t index, std::uint32_t wire,
                 const std::shared_ptr<Replica>& own) {
  if (own == nullptr) return;
  control::Replica& replica = *message.add_replicas();
  replica.set_kind(kind);
  replica.set_index(static_cast<std::uint32_t>(index));
  replica.set_wire(wire);
  replica.set_description(own->description());
}

// This process's own replica, or null.
std::shared_ptr<Replica> find(const Segments& segments, const control::Replica& replica) {
  const std::size_t index = replica.index();
  if (replica.kind() == control::Replica::CHANNEL)
    return index < segments.replicas.size() ? segments.replicas[index] : nullptr;
  if (index >= segments.registered.size()) return nullptr;
  const auto found = segments.registered[index].find(replica.wire());
  return found != segments.registered[index].end() ? found->second : nullptr;
}

}  // namespace

control::FromNode to_ready(const HostedController& hosted) {
  const DeviceDescription& device = hosted.device();
  control::FromNode message;
  control::Device& out = *message.mutable_ready();
  out.set_backend(device.backend);
  out.set_device(device.device);
  out.set_simulated(device.simulated);
  out.set_forwards(device.forwards);
  out.set_matches(device.matches);
  out.set_publishes(device.publishes);
  if (hosted.processor() != kNoProcessor) out.set_processor(hosted.processor());
  for (const std::uint16_t region : hosted.staged()) out.add_staged(region);
  return message;
}

void from_ready(const control::Device& message, NodeReport& report) {
  report.device = {message.backend(),  message.device(),  message.simulated(),
                   message.forwards(), message.matches(), message.publishes()};
  if (message.has_processor()) report.processor = message.processor();
  report.staged.assign(message.staged().begin(), message.staged().end());
}

control::FromNode to_failed(const Status& status) {
  control::FromNode message;
  message.mutable_failed()->set_code(static_cast<std::uint32_t>(status.code()));
  message.mutable_failed()->set_message(status.message());
  return message;
}

Status from_failed(const control::Failed& message) {
  const bool known = message.code() > 0 && message.code() <= static_cast<std::uint32_t>(Code::kInternal);
  return {known ? static_cast<Code>(message.code()) : Code::kInternal, message.message()};
}

control::Replicas to_replicas(const Layout& layout, const Segments& segments) {
  control::Replicas message;
  for (std::size_t c = 0; c < segments.replicas.size(); ++c) {
    const auto& wire = layout.channels[c].wire;
    if (wire) add_replica(message, control::Replica::CHANNEL, c, *wire, segments.replicas[c]);
  }
  for (std::size_t r = 0; r < segments.registered.size(); ++r) {
    for (const auto& [wire, own] : segments.registered[r]) add_replica(message, control::Replica::REGION, r, wire, own);
  }
  return message;
}

control::Replicas select(const control::Replicas& all, const SharedReplicas& shared) {
  control::Replicas message;
  for (const control::Replica& replica : all.replicas()) {
    const bool wanted = replica.kind() == control::Replica::CHANNEL
                            ? shared.channels.contains(replica.index())
                            : shared.regions.contains({replica.index(), replica.wire()});
    if (wanted) *message.add_replicas() = replica;
  }
  return message;
}

Status connect_replicas(const control::Replicas& peer, const Segments& segments, const Transports& transports,
                        const std::function<bool()>& given_up) {
  for (const control::Replica& replica : peer.replicas()) {
    const auto mine = find(segments, replica);
    if (mine == nullptr || replica.wire() >= transports.wires.size())
      return {Code::kDataLoss, "a peer described a replica that this process has none of"};
    WOA_RETURN_IF_ERROR(transports.wires[replica.wire()]->connect(mine, replica.description(), given_up));
  }
  return {};
}

void add_lanes(const BoundLanes& lanes, control::Hello& hello) {
  for (const auto& [name, wire] : lanes) {
    control::BoundLane& lane = *hello.add_lanes();
    lane.set_name(name);
    lane.set_wire(wire);
  }
}

BoundLanes lanes_of(const control::Hello& hello) {
  BoundLanes lanes;
  for (const control::BoundLane& lane : hello.lanes()) lanes.emplace(lane.name(), lane.wire());
  return lanes;
}

control::FromNode to_report(const ControllerStats& stats, std::span<const TraceEvent> trace,
                            std::span<const std::uint64_t> packets) {
  control::FromNode message;
  control::Report& out = *message.mutable_report();
  for (std::uint32_t e = 0; e < stats.edges.size(); ++e) {
    const EdgeStats& edge = stats.edges[e];
    if (edge.messages == 0 && edge.copied_bytes == 0) continue;
    control::EdgeStats& entry = *out.add_edges();
    entry.set_edge(e);
    entry.set_messages(edge.messages);
    entry.set_payload_bytes(edge.payload_bytes);
    entry.set_copied_bytes(edge.copied_bytes);
  }
  for (std::uint32_t s = 0; s < stats.stages.size(); ++s) {
    if (stats.stages[s].firings == 0) continue;
    control::StageStats& entry = *out.add_stages();
    entry.set_stage(s);
    entry.set_firings(stats.stages[s].firings);
    entry.set_busy_ns(stats.stages[s].busy_ns);
  }
  out.set_control(stats.control);
  out.set_dropped(stats.dropped);
  out.set_cycles(stats.cycles);
  out.set_untraced(stats.untraced);
  out.mutable_packets()->Assign(packets.begin(), packets.end());
  for (const TraceEvent& event : trace) {
    control::TraceEvent& entry = *out.add_trace();
    entry.set_kind(static_cast<std::uint32_t>(event.kind));
    entry.set_worker(event.worker);
    entry.set_begin_ns(event.begin_ns);
    entry.set_end_ns(event.end_ns);
    entry.set_stage(event.stage);
    entry.set_edge(event.edge);
    entry.set_instance(event.instance);
    entry.set_tag(event.tag);
    entry.set_bytes(event.bytes);
    entry.set_cycles(event.cycles);
  }
  return message;
}

Status from_report(const control::Report& message, const Plan& plan, std::size_t wires, NodeReport& report) {
  const std::size_t edges = plan.edges.size(), stages = plan.stages.size();
  if (static_cast<std::size_t>(message.packets_size()) > wires)
    return {Code::kDataLoss, "a node reported a wire that the run does not have"};
  report.packets.assign(message.packets().begin(), message.packets().end());
  report.stats.edges.resize(edges);
  report.stats.stages.resize(stages);
  for (const control::EdgeStats& entry : message.edges()) {
    if (entry.edge() >= edges) return {Code::kDataLoss, "a node reported an edge that the plan does not have"};
    report.stats.edges[entry.edge()] = {entry.messages(), entry.payload_bytes(), entry.copied_bytes()};
  }
  for (const control::StageStats& entry : message.stages()) {
    if (entry.stage() >= stages) return {Code::kDataLoss, "a node reported a stage that the plan does not have"};
    report.stats.stages[entry.stage()] = {entry.firings(), entry.busy_ns()};
  }
  report.stats.control = message.control();
  report.stats.dropped = message.dropped();
  report.stats.cycles = message.cycles();
  report.stats.untraced = message.untraced();
  for (const control::TraceEvent& entry : message.trace()) {
    const bool of_edge = entry.kind() != static_cast<std::uint32_t>(TraceEvent::Kind::kFiring);
    if (entry.stage() >= stages || entry.kind() > static_cast<std::uint32_t>(TraceEvent::Kind::kWrite) ||
        (of_edge && entry.edge() >= edges))
      return {Code::kDataLoss, "a node reported an event of an unknown stage, edge or kind"};
    report.trace.push_back({static_cast<TraceEvent::Kind>(entry.kind()), entry.worker(), entry.begin_ns(),
                            entry.end_ns(), entry.stage(), entry.edge(), entry.instance(), entry.tag(), entry.bytes(),
                            entry.cycles()});
  }
  return {};
}

}  // namespace woa
