#include "runtime/node/messages.h"

#include <utility>

namespace woa {
namespace {

void add_replica(control::Replicas& message, control::Replica::Kind kind, std::size_t index, std::uint32_t wire,
                 const std::shared_ptr<Replica>& own) {
  if (own == nullptr) return;
  message.replicas.push_back({kind, static_cast<std::uint32_t>(index), own->description(), wire});
}

// This process's own replica, or null.
std::shared_ptr<Replica> find(const Segments& segments, const control::Replica& replica) {
  const std::size_t index = replica.index;
  if (replica.kind == control::Replica::Kind::kChannel)
    return index < segments.replicas.size() ? segments.replicas[index] : nullptr;
  if (index >= segments.registered.size()) return nullptr;
  const auto found = segments.registered[index].find(replica.wire);
  return found != segments.registered[index].end() ? found->second : nullptr;
}

}  // namespace

control::Ready to_ready(const HostedController& hosted) {
  return {hosted.device(), hosted.processors(), hosted.staged()};
}

control::FromNode to_failed(const Status& status) {
  return control::Failed{static_cast<std::uint32_t>(status.code()), status.message()};
}

Status from_failed(const control::Failed& message) {
  const bool known = message.code > 0 && message.code <= static_cast<std::uint32_t>(Code::kInternal);
  return {known ? static_cast<Code>(message.code) : Code::kInternal, message.message};
}

control::Replicas to_replicas(const Layout& layout, const Segments& segments) {
  control::Replicas message;
  for (std::size_t c = 0; c < segments.replicas.size(); ++c) {
    const auto& wire = layout.channels[c].wire;
    if (wire) add_replica(message, control::Replica::Kind::kChannel, c, *wire, segments.replicas[c]);
  }
  for (std::size_t r = 0; r < segments.registered.size(); ++r) {
    for (const auto& [wire, own] : segments.registered[r])
      add_replica(message, control::Replica::Kind::kRegion, r, wire, own);
  }
  return message;
}

control::Replicas select(const control::Replicas& all, const SharedReplicas& shared) {
  control::Replicas message;
  for (const control::Replica& replica : all.replicas) {
    const bool wanted = replica.kind == control::Replica::Kind::kChannel
                            ? shared.channels.contains(replica.index)
                            : shared.regions.contains({replica.index, replica.wire});
    if (wanted) message.replicas.push_back(replica);
  }
  return message;
}

Status connect_replicas(const control::Replicas& peer, const Segments& segments, const Transports& transports,
                        const std::function<bool()>& given_up) {
  for (const control::Replica& replica : peer.replicas) {
    const auto mine = find(segments, replica);
    if (mine == nullptr || replica.wire >= transports.wires.size())
      return {Code::kDataLoss, "a peer described a replica that this process has none of"};
    WOA_RETURN_IF_ERROR(transports.wires[replica.wire]->connect(mine, replica.description, given_up));
  }
  return {};
}

control::FromNode to_report(const ControllerStats& stats, std::span<const TraceEvent> trace,
                            std::span<const std::uint64_t> packets, const ProcessorUse& use) {
  control::Report message{.edges = {},
                          .stages = {},
                          .stats = stats,
                          .trace = {trace.begin(), trace.end()},
                          .packets = {packets.begin(), packets.end()},
                          .use = use};
  for (std::uint32_t e = 0; e < stats.edges.size(); ++e) {
    if (stats.edges[e].messages != 0 || stats.edges[e].copied_bytes != 0) message.edges.push_back({e, stats.edges[e]});
  }
  for (std::uint32_t s = 0; s < stats.stages.size(); ++s) {
    if (stats.stages[s].firings != 0) message.stages.push_back({s, stats.stages[s]});
  }
  return message;
}

Status from_report(control::Report message, const Plan& plan, std::size_t wires, NodeReport& report) {
  const std::size_t edges = plan.edges.size(), stages = plan.stages.size();
  if (message.packets.size() > wires) return {Code::kDataLoss, "a node reported a wire that the run does not have"};
  report.packets = std::move(message.packets);
  report.use = message.use;
  report.stats = std::move(message.stats);
  report.stats.edges.resize(edges);
  report.stats.stages.resize(stages);
  for (const control::EdgeReport& entry : message.edges) {
    if (entry.edge >= edges) return {Code::kDataLoss, "a node reported an edge that the plan does not have"};
    report.stats.edges[entry.edge] = entry.stats;
  }
  for (const control::StageReport& entry : message.stages) {
    if (entry.stage >= stages) return {Code::kDataLoss, "a node reported a stage that the plan does not have"};
    report.stats.stages[entry.stage] = entry.stats;
  }
  for (const TraceEvent& event : message.trace) {
    const bool of_edge = event.kind != TraceEvent::Kind::kFiring;
    if (event.stage >= stages || event.kind > TraceEvent::Kind::kWrite || (of_edge && event.edge >= edges))
      return {Code::kDataLoss, "a node reported an event of an unknown stage, edge or kind"};
  }
  report.trace = std::move(message.trace);
  return {};
}

}  // namespace woa
