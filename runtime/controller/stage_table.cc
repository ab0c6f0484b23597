#include "runtime/controller/stage_table.h"

#include <algorithm>
#include <map>

#include "runtime/plan/index.h"

namespace woa {
namespace {

std::vector<std::vector<std::uint32_t>> groups_of(const StagePlan& stage) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::map<std::int32_t, std::size_t> place;  // of each one_of group
  for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
    const std::int32_t one_of = stage.outputs[p].one_of;
    const auto [at, is_new] = place.try_emplace(one_of, groups.size());
    if (one_of < 0 || is_new) {
      groups.push_back({p});
    } else {
      groups[at->second].push_back(p);
    }
  }
  return groups;
}

StageView make_view(const Plan& plan, const Layout& layout, std::uint32_t s) {
  const StagePlan& stage = plan.stages[s];
  StageView view;
  view.local = true;
  // An instance's firings of a stateful stage go in tag order: its tokens are sorted first, wherever they come from.
  view.single = stage.inputs.size() == 1 && !stage.inputs.front().hold && stage.inputs.front().gather == 0 &&
                stage.stateful != Stateful::kInstance;
  for (std::size_t p = 0; p < stage.inputs.size(); ++p) {
    std::vector<InputEdge>& inputs = view.inputs.emplace_back();
    for (const bool count : {false, true}) {
      for (const std::uint32_t e : (count ? layout.in_counts : layout.in_edges)[s][p]) {
        const EdgeLayout& edge = layout.edges[e];
        if (edge.crosses())
          inputs.push_back({e, edge.channel, edge.inline_bytes, edge.regions, count, plan.edges[e].from_stage});
      }
    }
  }
  view.groups = groups_of(stage);
  for (const auto& edges : layout.out_edges[s]) {
    view.loops.emplace_back();
    for (const std::uint32_t e : edges) {
      const std::int32_t loop = plan.edges[e].loop;
      if (loop >= 0) view.loops.back().push_back(&plan.loops[static_cast<std::size_t>(loop)]);
    }
  }
  return view;
}

}  // namespace

// A block beyond the 256 GiB of a region is refused by the region's producer.
RegionView::RegionView(const RegionLayout& layout, std::span<std::byte> memory) noexcept
    : memory_(memory),
      block_bytes_(layout.block_bytes),
      room_(layout.header_room / static_cast<std::uint32_t>(kOffsetUnitBytes)),
      end_(layout.bytes() / kOffsetUnitBytes),
      units_(
          std::max(static_cast<std::uint32_t>((layout.header_room + layout.carried_bytes()) / kOffsetUnitBytes), 1U)) {}

StageTable::StageTable(const Plan& plan, const Layout& layout, std::uint32_t controller,
                       std::span<const std::span<std::byte>> regions)
    : stages_(plan.stages.size()) {
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].controller == controller) stages_[s] = make_view(plan, layout, s);
  }
  number_elements(plan);
  for (std::size_t r = 0; r < layout.regions.size(); ++r) regions_.emplace_back(layout.regions[r], regions[r]);
}

void StageTable::number_elements(const Plan& plan) {
  std::vector<std::uint64_t> numbers;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    if (!stages_[s].local || plan.stages[s].stateful != Stateful::kInstance) continue;
    if (numbers.empty()) numbers = element_numbers(plan);
    stages_[s].number = numbers[s];
  }
}

const InputEdge* StageTable::edge_of(std::uint32_t channel, const ActivationPacket& packet) const noexcept {
  if (packet.stage >= stages_.size() || packet.port >= stages_[packet.stage].inputs.size()) return nullptr;
  const bool poison = packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
  const bool count = packet.kind == static_cast<std::uint8_t>(PacketKind::kCount);
  for (const InputEdge& edge : stages_[packet.stage].inputs[packet.port]) {
    if (edge.channel != channel) continue;
    if (!poison && count != edge.count) continue;
    if (count && edge.origin == packet.origin) return &edge;
    if (count) continue;
    if (poison || std::find(edge.regions.begin(), edge.regions.end(), packet.region) != edge.regions.end())
      return &edge;
  }
  return nullptr;
}

}  // namespace woa
