#include "runtime/controller/stage_program.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "runtime/plan/index.h"

namespace woa {
namespace {

// The input is the first with that name. Elements that are gathered may differ from each other.
std::vector<Tie> ties_of(const StagePlan& stage) {
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> named;  // port and dimension
  for (std::uint32_t p = 0; p < stage.inputs.size(); ++p)
    for (std::uint32_t d = 0; stage.inputs[p].gather == 0 && d < stage.inputs[p].type.dims.size(); ++d)
      if (const std::string& name = stage.inputs[p].type.dims[d].name; !name.empty()) named.try_emplace(name, p, d);
  std::vector<Tie> ties;
  for (std::uint32_t p = 0; p < stage.outputs.size(); ++p)
    for (std::uint32_t d = 0; stage.outputs[p].many == 0 && d < stage.outputs[p].type.dims.size(); ++d)
      if (const auto input = named.find(stage.outputs[p].type.dims[d].name); input != named.end())
        ties.push_back({p, d, input->second.first, input->second.second});
  return ties;
}

std::vector<std::vector<std::uint32_t>> groups_of(const StagePlan& stage) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::map<std::int32_t, std::size_t> place;  // of each one_of group
  for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
    const std::int32_t one_of = stage.outputs[p].one_of;
    if (one_of < 0) continue;
    const auto [at, is_new] = place.try_emplace(one_of, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(p);
  }
  return groups;
}

std::uint64_t low_bits(std::uint32_t bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

const LoadedStage* find_loaded(std::span<const LoadedStage> stages, std::uint32_t stage) noexcept {
  const auto at = std::find_if(stages.begin(), stages.end(), [&](const LoadedStage& s) { return s.id == stage; });
  return at == stages.end() ? nullptr : &*at;
}

bool is_prepared(const ProgramSetup& setup, std::uint32_t edge) noexcept {
  return setup.layout->edges[edge].publishes != Publisher::kHost;
}

}  // namespace

InPort::InPort(const InputPortPlan& port)
    : plan(&port),
      shape(port.type),
      hold(port.hold),
      gathers(port.gather != 0),
      number_bits(gathers ? low_bits(port.index_bits) << port.index_shift : 0) {}

OutPort::OutPort(const OutputPortPlan& port)
    : plan(&port),
      shape(port.type),
      optional(port.optional),
      scatters(port.many != 0),
      in_group(port.one_of >= 0),
      elements(std::max(port.many, 1U)),
      index_shift(port.index_shift) {}

StagePrograms::StagePrograms(const ProgramSetup& setup)
    : stages_(setup.plan->stages.size()), out_edges_(setup.plan->edges.size()) {
  const Layout& layout = *setup.layout;
  for (std::size_t r = 0; r < layout.regions.size(); ++r) {
    const RegionLayout& region = layout.regions[r];
    const bool own = region.producer == setup.controller;
    regions_.emplace_back(region, setup.wiring->regions[r], own ? region.memory : MemoryKind::kCpu);
  }
}

Result<std::unique_ptr<StagePrograms>> StagePrograms::make(const ProgramSetup& setup) {
  std::unique_ptr<StagePrograms> programs(new StagePrograms(setup));
  WOA_RETURN_IF_ERROR(programs->make_pools(setup));
  bool numbered = false;
  for (std::uint32_t s = 0; s < setup.plan->stages.size(); ++s) {
    const StagePlan& plan = setup.plan->stages[s];
    if (plan.controller != setup.controller) continue;
    programs->make_stage(setup, s);
    const LoadedStage* const loaded = find_loaded(setup.stages, s);
    auto instances = StageInstances::make(plan.stateful, loaded, setup.plan->window);
    if (!instances.ok()) return instances.status().with_context("stage '" + plan.name + "'");
    programs->stages_[s].instances = std::move(*instances);
    programs->stages_[s].is_long = loaded == nullptr || !loaded->brief_here;
    programs->stages_[s].is_apart = plan.isolated && programs->stages_[s].is_long;
    numbered = numbered || plan.stateful == Stateful::kInstance;
  }
  if (numbered) programs->number_elements(*setup.plan);
  programs->join_on_card(*setup.plan);
  return programs;
}

Status StagePrograms::make_pools(const ProgramSetup& setup) {
  for (const RegionLayout& region : setup.layout->regions) {
    std::unique_ptr<BlockPool>& pool = pools_.emplace_back();
    if (region.producer != setup.controller) continue;
    auto made = BlockPool::make(region.blocks, region.carried_bytes(), region.header_room);
    if (!made.ok())
      return made.status().with_context("output of stage '" + setup.plan->stages[region.stage].name +
                                        "': lower the window or the port's bound");
    pool = std::make_unique<BlockPool>(std::move(*made));
  }
  return {};
}

void StagePrograms::make_stage(const ProgramSetup& setup, std::uint32_t stage) {
  const StagePlan& plan = setup.plan->stages[stage];
  StageProgram& program = stages_[stage];
  program.id = stage;
  program.local = true;
  program.role = plan.role;
  program.stateful = plan.stateful;
  if (plan.serial) program.under_way = &serial_[plan.kernel];
  program.in_turn = plan.serial || plan.stateful != Stateful::kNo;
  program.device_headers = plan.headers == HeaderWriter::kDevice;
  program.device_memory = setup.plan->controllers[setup.controller].traits.keeps_payloads();
  program.plan = &plan;
  program.stats = &setup.stats->stages[stage];
  program.groups = groups_of(plan);
  make_inputs(setup, program);
  make_outputs(setup, program);
  if (plan.role == StageRole::kKernel) program.ties = ties_of(plan);
  program.plain = !program.gathers && !program.device_headers && !program.device_memory && !program.prepares &&
                  plan.role != StageRole::kRelay &&
                  std::all_of(program.outputs.begin(), program.outputs.end(), [](const OutPort& port) {
                    return !port.scatters && port.passed_input < 0 && port.counts.empty() && port.all_take;
                  });
  program.may_order = std::ranges::all_of(program.outputs, [](const OutPort& port) {
    return !port.in_group && !port.optional && !port.scatters && port.passed_input < 0;
  });
  const auto consumed = [](const InPort& port) { return !port.hold; };
  const auto first = std::find_if(program.inputs.begin(), program.inputs.end(), consumed);
  program.consumed = static_cast<std::uint32_t>(first - program.inputs.begin());
  program.short_way = !setup.general_way && !program.gathers && plan.role != StageRole::kRelay &&
                      std::count_if(program.inputs.begin(), program.inputs.end(), consumed) == 1;
}

void StagePrograms::make_inputs(const ProgramSetup& setup, StageProgram& program) {
  const Layout& layout = *setup.layout;
  for (std::size_t p = 0; p < program.plan->inputs.size(); ++p) {
    InPort& port = program.inputs.emplace_back(program.plan->inputs[p]);
    program.holds = program.holds || port.hold;
    program.renews = program.renews || port.plan->renewed;
    program.gathers = program.gathers || port.gathers;
    port.signal = port.gathers && layout.in_edges[program.id][p].empty();
    for (const bool count : {false, true}) {
      for (const std::uint32_t e : (count ? layout.in_counts : layout.in_edges)[program.id][p]) {
        const EdgeLayout& edge = layout.edges[e];
        if (edge.crosses())
          port.edges.push_back({e, edge.channel, edge.inline_bytes, edge.regions, edge.payload_crc, count,
                                setup.plan->edges[e].from_stage});
      }
    }
  }
}

void StagePrograms::make_outputs(const ProgramSetup& setup, StageProgram& program) {
  const Layout& layout = *setup.layout;
  const auto& tokens = layout.out_edges[program.id];
  const auto& counts = layout.out_counts[program.id];
  for (std::size_t p = 0; p < program.plan->outputs.size(); ++p) {
    for (const bool prepared : {false, true}) {
      for (const std::uint32_t e : tokens[p])
        if (is_prepared(setup, e) == prepared) program.out_edges.push_back(make_edge(setup, e));
    }
    for (const std::uint32_t e : counts[p]) program.out_edges.push_back(make_edge(setup, e));
  }
  for (OutEdge& edge : program.out_edges) out_edges_[edge.edge] = &edge;
  std::span<OutEdge> left = program.out_edges;
  for (std::size_t p = 0; p < program.plan->outputs.size(); ++p) {
    OutPort& port = program.outputs.emplace_back(program.plan->outputs[p]);
    port.edges = left.first(tokens[p].size());
    port.sent = port.edges.first(static_cast<std::size_t>(
        std::ranges::count_if(port.edges, [](const OutEdge& edge) { return edge.prepares == nullptr; })));
    port.prepared = port.edges.subspan(port.sent.size());
    program.prepares = program.prepares || !port.prepared.empty();
    port.counts = left.subspan(tokens[p].size(), counts[p].size());
    left = left.subspan(tokens[p].size() + counts[p].size());
    for (const OutEdge& edge : port.edges) {
      port.all_take = port.all_take && edge.always_taken;
      const std::int32_t number = setup.plan->edges[edge.edge].loop;
      if (number < 0) continue;
      const LoopPlan& loop = setup.plan->loops[static_cast<std::size_t>(number)];
      port.loops.push_back({&loop, loop.shift, low_bits(loop.bits), loop.max});
    }
    find_blocks(setup, program.id, port, p);
    program.claims += port.elements;
  }
}

// Where the port's payloads lie: in a region of its own, or in blocks of those before it.
void StagePrograms::find_blocks(const ProgramSetup& setup, std::uint32_t stage, OutPort& port, std::size_t number) {
  const Layout& layout = *setup.layout;
  port.passed_input = layout.passed_input[stage][number];
  const std::int32_t region = layout.region_of[stage][number];
  if (region < 0) {
    std::size_t blocks = 0;
    for (const OutEdge& edge : port.edges) blocks += setup.plan->edges[edge.edge].blocks;
    if (port.edges.size() > 1) port.passed = std::make_unique<PassedBlocks>(blocks);
    return;
  }
  port.region = static_cast<std::uint16_t>(region);
  port.pool = pools_[port.region].get();
  port.commit_pool = port.prepared.empty() ? port.pool : nullptr;
  port.memory = setup.wiring->regions[port.region];
  port.in_device = layout.regions[port.region].is_in_device();
  port.is_copied = layout.regions[port.region].is_copied();
}

OutEdge StagePrograms::make_edge(const ProgramSetup& setup, std::uint32_t number) {
  const EdgePlan& plan = setup.plan->edges[number];
  const EdgeLayout& layout = setup.layout->edges[number];
  OutEdge edge;
  edge.edge = number;
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(plan.count ? PacketKind::kCount : PacketKind::kActivate);
  header.origin = plan.from_stage;
  header.stage = plan.to_stage;
  header.port = static_cast<std::uint16_t>(plan.to_port);
  edge.header = std::bit_cast<PacketWords>(header);
  edge.keep = plan.keep;
  edge.step = plan.step;
  edge.channel = layout.channel;
  edge.inline_bytes = layout.inline_bytes;
  edge.counts_payload = layout.counts_payload;
  edge.payload_crc = layout.payload_crc;
  edge.count = plan.count;
  edge.always_taken = plan.choice.replicas == 1;
  edge.choice = plan.choice;
  edge.stats = &setup.stats->edges[number];
  edge.credits = EdgeCredits(plan.min_blocks, plan.blocks, setup.plan->window);
  if (layout.crosses()) edge.sender = setup.wiring->senders[layout.channel].get();
  if (is_prepared(setup, number)) edge.prepares = dynamic_cast<PreparingSender*>(edge.sender);
  const std::int32_t region = setup.layout->region_of[plan.from_stage][plan.from_port];
  if (region < 0 || plan.count) return edge;
  edge.region = static_cast<std::uint16_t>(region);
  if (!layout.crosses()) edge.memory = memory_of(edge.region);
  edge.pool = pools_[edge.region].get();
  return edge;
}

void StagePrograms::join_on_card(const Plan& plan) {
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    StageProgram &from = stages_[plan.edges[e].from_stage], &to = stages_[plan.edges[e].to_stage];
    if (!plan.edges[e].on_card || !from.local) continue;
    from.behind = &to;
    from.on_card = e;
    to.is_behind = true;
  }
  for (StageProgram& stage : stages_)
    for (stage.last = &stage; stage.last->behind != nullptr; stage.last = stage.last->behind) continue;
}

// By stage that keeps state of an instance.
void StagePrograms::number_elements(const Plan& plan) {
  const std::vector<std::uint64_t> numbers = element_numbers(plan);
  for (StageProgram& program : stages_) {
    if (!program.local || program.stateful != Stateful::kInstance) continue;
    program.number = numbers[program.id];
    program.short_way = program.short_way && program.number == 0;
    program.plain = program.plain && program.number == 0;
  }
}

// A block beyond the 256 GiB of a region is refused by the region's producer.
RegionView::RegionView(const RegionLayout& layout, std::span<std::byte> memory, MemoryKind kind) noexcept
    : memory_(memory),
      block_bytes_(layout.block_bytes),
      room_(layout.header_room / static_cast<std::uint32_t>(kOffsetUnitBytes)),
      end_(layout.bytes() / kOffsetUnitBytes),
      units_(
          std::max(static_cast<std::uint32_t>((layout.header_room + layout.carried_bytes()) / kOffsetUnitBytes), 1U)),
      kind_(kind) {}

}  // namespace woa
