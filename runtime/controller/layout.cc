#include "runtime/controller/layout.h"

#include <algorithm>
#include <bit>
#include <map>

#include "runtime/controller/transfer_method.h"

namespace woa {
namespace {

static_assert(kMaxInlineBytes <= kMaxRingInlineBytes, "the largest limit of a plan fits a header ring");
constexpr std::uint32_t kControlSlots = 4;  // retire and end: the host sends the next only when the last was read

void index_edges(const Plan& plan, Layout& layout) {
  for (const StagePlan& stage : plan.stages) {
    layout.out_edges.emplace_back(stage.outputs.size());
    layout.in_edges.emplace_back(stage.inputs.size());
    layout.region_of.emplace_back(stage.outputs.size(), -1);
  }
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    layout.out_edges[edge.from_stage][edge.from_port].push_back(e);
    layout.in_edges[edge.to_stage][edge.to_port].push_back(e);
  }
}

void make_regions(const Plan& plan, Layout& layout) {
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].role == StageRole::kRelay) continue;
    for (std::uint32_t p = 0; p < plan.stages[s].outputs.size(); ++p) {
      RegionLayout region{s, p, plan.stages[s].controller, 0, plan.stages[s].outputs[p].type.block_bytes(), {}};
      for (const std::uint32_t e : layout.out_edges[s][p]) region.blocks += plan.edges[e].blocks;
      layout.region_of[s][p] = static_cast<std::int32_t>(layout.regions.size());
      layout.regions.push_back(std::move(region));
    }
  }
}

void add_consumer(RegionLayout& region, std::uint32_t controller) {
  if (controller == region.producer) return;
  if (std::find(region.consumers.begin(), region.consumers.end(), controller) == region.consumers.end()) {
    region.consumers.push_back(controller);
  }
}

// A relay passes payloads on by reference: its edges name the regions of its writers.
void make_edges(const Plan& plan, Layout& layout) {
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    EdgeLayout out;
    out.from = plan.stages[edge.from_stage].controller;
    out.to = plan.stages[edge.to_stage].controller;
    out.inline_bytes = inline_limit(facts_of(plan, e));
    if (plan.stages[edge.from_stage].role == StageRole::kRelay) {
      for (const std::uint32_t writer : layout.in_edges[edge.from_stage][edge.from_port]) {
        const EdgePlan& upstream = plan.edges[writer];
        out.regions.push_back(static_cast<std::uint16_t>(layout.region_of[upstream.from_stage][upstream.from_port]));
      }
      std::sort(out.regions.begin(), out.regions.end());
      out.regions.erase(std::unique(out.regions.begin(), out.regions.end()), out.regions.end());
    } else {
      out.regions.push_back(static_cast<std::uint16_t>(layout.region_of[edge.from_stage][edge.from_port]));
    }
    for (const std::uint16_t region : out.regions) add_consumer(layout.regions[region], out.to);
    layout.edges.push_back(std::move(out));
  }
  for (const auto& stage : layout.out_edges) {
    for (const auto& port : stage) {
      std::vector<std::uint32_t> seen;
      for (const std::uint32_t e : port) {
        EdgeLayout& edge = layout.edges[e];
        edge.first_to_controller = std::find(seen.begin(), seen.end(), edge.to) == seen.end();
        seen.push_back(edge.to);
      }
    }
  }
}

constexpr std::uint32_t whole_lines(std::uint32_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

void make_channels(const Plan& plan, Layout& layout) {
  struct Need {
    std::uint32_t ring = kControlSlots, returns = 1, inline_bytes = kPoisonMessageBytes;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Need> needs;
  for (std::uint32_t c = 1; c < plan.controllers.size(); ++c) needs[{kHostController, c}];
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    if (!layout.edges[e].crosses()) continue;
    Need& need = needs[{layout.edges[e].from, layout.edges[e].to}];
    need.ring += plan.edges[e].blocks + plan.window;  // a slot per block, and one per instance for poison
    need.returns += plan.edges[e].blocks;
    need.inline_bytes = std::max(need.inline_bytes, whole_lines(layout.edges[e].inline_bytes));
  }
  for (const auto& [pair, need] : needs) {
    ChannelSpec spec;
    spec.ring_slots = std::bit_ceil(need.ring);
    spec.return_slots = std::bit_ceil(need.returns);
    spec.inline_bytes = need.inline_bytes;
    spec.header_crc = plan.controllers[pair.second].kind == ControllerKind::kFpga;  // a device stream begins there
    layout.channels.push_back({pair.first, pair.second, spec});
  }
}

}  // namespace

Layout make_layout(const Plan& plan) {
  Layout layout;
  index_edges(plan, layout);
  make_regions(plan, layout);
  make_edges(plan, layout);
  make_channels(plan, layout);
  return layout;
}

std::uint32_t most_inline_bytes(const Layout& layout, std::uint32_t controller) noexcept {
  std::uint32_t most = 0;
  for (const EdgeLayout& edge : layout.edges) {
    if (edge.to == controller) most = std::max(most, edge.inline_bytes);
  }
  return most;
}

}  // namespace woa
