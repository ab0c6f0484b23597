#include "runtime/call_models/fan_out.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "runtime/call_models/rewrites.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

using Port = std::pair<std::uint32_t, std::uint32_t>;  // stage, output

// A receiver of the payload, once: a controller alone, or one that stands for its site.
struct Destination {
  std::uint32_t controller = 0;  // that receives it
  std::vector<EdgePlan> edges;   // to all readers served, that controller's first
  bool may_relay = false;
  bool serves_site = false;             // also serves readers on other controllers of its site
  std::vector<std::uint32_t> children;  // destinations that it sends to, in that order
  [[nodiscard]] bool relays() const { return serves_site || !children.empty(); }
};

struct Costs {
  std::uint64_t packet = 0, latency = 0, hop = 0;  // all in bytes
};

Costs costs_of(const PortType& type, FanOut how) {
  const std::uint64_t packet = kPacketBytes + type.payload_bytes();
  return how == FanOut::kTree ? Costs{packet, 0, 0} : Costs{packet, kBytesPerLatency, kBytesPerHop};
}

// A device that writes its own packets leaves no room for a relay's in its channels.
bool may_relay(const Plan& plan, std::uint32_t controller) {
  return !plan.controllers[controller].traits.writes_packets;
}

class Tree {
 public:
  Tree(const Plan& plan, const Sites& sites, FanOut how, const std::vector<std::uint32_t>& edges)
      : plan_(plan),
        sites_(sites),
        writer_(plan.edges[edges.front()].from_stage, plan.edges[edges.front()].from_port),
        costs_(costs_of(plan.stages[writer_.first].outputs[writer_.second].type, how)) {
    for (const std::uint32_t e : edges) add_reader(plan.edges[e]);
    join_sites();
    grow();
  }
  // True if any receiver sends the payload on.
  [[nodiscard]] bool is_one() const { return std::ranges::any_of(destinations_, &Destination::relays); }
  // Adds the relays and the edges. A sender serves the destinations with most below them first.
  void emit(Plan& out) const {
    for (const std::uint32_t d : first_) send(out, writer_, d);
  }

 private:
  void add_reader(const EdgePlan& edge) {
    const std::uint32_t controller = plan_.stages[edge.to_stage].controller;
    auto at = std::ranges::find(destinations_, controller, &Destination::controller);
    if (at == destinations_.end())
      at = destinations_.insert(at, {controller, {}, may_relay(plan_, controller), false, {}});
    at->edges.push_back(edge);
  }

  // One controller receives for its site if that is sooner than several transfers of the same payload.
  void join_sites() {
    std::vector<Destination> joined;
    std::stable_partition(destinations_.begin(), destinations_.end(), [](const auto& d) { return d.may_relay; });
    std::map<std::uint32_t, std::uint64_t> readers;  // controllers by site
    for (const Destination& each : destinations_) ++readers[sites_.site(each.controller)];
    for (Destination& each : destinations_) {
      const std::uint32_t site = sites_.site(each.controller);
      const auto at = std::ranges::find_if(
          joined, [&](const Destination& other) { return other.may_relay && sites_.site(other.controller) == site; });
      if (at == joined.end() || (readers[site] - 1) * costs_.packet <= costs_.hop) {
        joined.push_back(std::move(each));
      } else {
        at->edges.insert(at->edges.end(), each.edges.begin(), each.edges.end());
        at->serves_site = true;
      }
    }
    destinations_ = std::move(joined);
  }

  // Assigns each destination to the sender that is free first; destinations that cannot pass on are served last.
  void grow() {
    struct Sender {
      std::uint64_t free_at;
      std::vector<std::uint32_t>* children;
    };
    std::vector<Sender> senders{{0, &first_}};
    for (std::uint32_t d = 0; d < destinations_.size(); ++d) {
      Sender& next = *std::ranges::min_element(senders, {}, &Sender::free_at);
      next.children->push_back(d);
      next.free_at += costs_.packet;
      if (destinations_[d].may_relay) senders.push_back({next.free_at + costs_.latency, &destinations_[d].children});
    }
  }

  void send(Plan& out, Port from, std::uint32_t d) const {
    const Destination& to = destinations_[d];
    if (to.relays()) {
      const std::uint32_t relay = add_relay(out, to);
      out.edges.push_back({from.first, from.second, relay, 0, ~std::uint64_t{0}, 0, -1, 1, blocks_below(d),
                           to.edges.front().inline_bytes, to.edges.front().lane});
      from = {relay, 0};
      for (const std::uint32_t child : to.children) send(out, from, child);
    }
    for (EdgePlan edge : to.edges) {
      edge.from_stage = from.first;
      edge.from_port = from.second;
      out.edges.push_back(std::move(edge));
    }
  }

  std::uint32_t add_relay(Plan& out, const Destination& to) const {
    const StagePlan& writer = plan_.stages[writer_.first];
    const OutputPortPlan& output = writer.outputs[writer_.second];
    out.stages.push_back(
        call_models::make_relay(writer.name + "." + output.name + " via " + plan_.controllers[to.controller].name,
                                to.controller, {{output.name, output.type, false, 0, output.optional}}));
    return static_cast<std::uint32_t>(out.stages.size() - 1);
  }

  // A block is in use until all readers below have returned it: as many blocks as the largest reader's edge has.
  [[nodiscard]] std::uint32_t blocks_below(std::uint32_t d) const {
    std::uint32_t most = 0;
    for (const EdgePlan& edge : destinations_[d].edges) most = std::max(most, edge.blocks);
    for (const std::uint32_t child : destinations_[d].children) most = std::max(most, blocks_below(child));
    return most;
  }

  const Plan& plan_;
  const Sites& sites_;
  const Port writer_;
  const Costs costs_;
  std::vector<Destination> destinations_;
  std::vector<std::uint32_t> first_;  // destinations that the writer sends to
};

// Requires one token of an instance at a time, for all readers, and one channel to each controller.
bool may_branch(const Plan& plan, const std::vector<std::uint32_t>& edges) {
  std::map<std::uint32_t, std::string> lanes;  // by controller
  return std::ranges::all_of(edges, [&](std::uint32_t e) {
    const EdgePlan& edge = plan.edges[e];
    const StagePlan& to = plan.stages[edge.to_stage];
    return plan.stages[edge.from_stage].outputs[edge.from_port].many == 0 && edge.loop == -1 &&
           edge.choice.replicas == 1 && edge.min_blocks == 1 && !to.inputs[edge.to_port].hold &&
           lanes.emplace(to.controller, edge.lane).first->second == edge.lane;
  });
}

// The edges of an output to sites other than its writer's; none if the output may not branch.
std::vector<std::uint32_t> edges_away(const Plan& plan, const Sites& sites, std::vector<std::uint32_t> edges) {
  if (edges.empty() || !may_branch(plan, edges)) return {};
  const std::uint32_t writer = plan.stages[plan.edges[edges.front()].from_stage].controller;
  std::erase_if(
      edges, [&](std::uint32_t e) { return sites.together(writer, plan.stages[plan.edges[e].to_stage].controller); });
  return edges;
}

}  // namespace

Plan fan_out_by_tree(const Plan& plan, const Sites& sites, FanOut how) {
  if (how == FanOut::kFlat || plan.model != kWoa) return plan;
  std::vector<Tree> trees;
  std::vector<bool> replaced(plan.edges.size(), false);
  const PlanIndex index(plan);
  for (const auto& ports : index.out_edges) {
    for (const std::vector<std::uint32_t>& all : ports) {
      const std::vector<std::uint32_t> edges = edges_away(plan, sites, all);
      if (edges.empty()) continue;
      Tree tree(plan, sites, how, edges);
      if (!tree.is_one()) continue;
      for (const std::uint32_t e : edges) replaced[e] = true;
      trees.push_back(std::move(tree));
    }
  }
  Plan out = plan;
  out.edges.clear();
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (!replaced[e]) out.edges.push_back(plan.edges[e]);
  }
  for (const Tree& tree : trees) tree.emit(out);
  return out;
}

}  // namespace woa
