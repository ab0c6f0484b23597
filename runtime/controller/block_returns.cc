#include "runtime/controller/block_returns.h"

#include <algorithm>
#include <string>

namespace woa {

BlockReturns::BlockReturns(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs,
                           Wiring& wiring, Bells& bells, ControllerStats& stats, RunFailure& failure)
    : plan_(plan),
      layout_(layout),
      self_(controller),
      programs_(programs),
      wiring_(wiring),
      bells_(bells),
      stats_(stats),
      failure_(failure) {
  for (std::uint32_t c = 0; c < layout.channels.size(); ++c) {
    if (wiring.senders[c] != nullptr) destinations_.push_back(c);
  }
  for (const StageProgram& stage : programs.all()) {
    for (const OutPort& port : stage.outputs) passes_on_ = passes_on_ || port.passed_input >= 0;
  }
}

void BlockReturns::give_back(const BlockReturn& block) noexcept {
  const EdgeLayout& edge = layout_.edges[block.edge];
  if (!edge.crosses()) return take_back(self_, block);
  wiring_.receivers[edge.channel]->give_back(block);
  bells_.ring_later(edge.channel);
}

// Controller `from`, a consumer of one of this one's edges, is done with a block. Its credit comes back and, if the
// region is this controller's, the block.
void BlockReturns::take_back(std::uint32_t from, const BlockReturn& block) noexcept {
  changed_ = true;
  OutEdge* const edge = programs_.out_edge(block.edge);
  const bool held =
      edge != nullptr && (edge->count || names_region(*edge, block)) && edge->credits.give(block.instance);
  const auto refuse = [&](const std::string& what) {
    failure_.set({Code::kDataLoss, "controller '" + plan_.controllers[from].name + "': gave back " + what});
  };
  if (!held) return refuse("a block of edge " + std::to_string(block.edge) + " that it did not hold");
  if (edge->count) return;
  if (edge->pool != nullptr && edge->pool->release(block.offset)) return;
  if (edge->pool == nullptr) {
    const PassedBlocks::Release last = release_passed(block);
    if (last == PassedBlocks::Release::kLast) return pass_back(block);
    if (last == PassedBlocks::Release::kHeld) return;
  }
  refuse("block " + std::to_string(block.offset) + " of region " + std::to_string(block.region) +
         ", which nobody holds");
}

bool BlockReturns::names_region(const OutEdge& edge, const BlockReturn& block) const noexcept {
  if (edge.pool != nullptr) return block.region == edge.region;
  const auto& regions = layout_.edges[edge.edge].regions;
  return std::find(regions.begin(), regions.end(), block.region) != regions.end();
}

// For an output that passes on others' blocks.
PassedBlocks::Release BlockReturns::release_passed(const BlockReturn& block) noexcept {
  const EdgePlan& edge = plan_.edges[block.edge];
  OutPort& port = programs_[edge.from_stage].outputs[edge.from_port];
  if (port.passed == nullptr) return PassedBlocks::Release::kLast;
  return port.passed->release(block.region, block.offset);
}

// No reader of the output holds it any more, so it goes back to whoever it came from.
void BlockReturns::pass_back(const BlockReturn& block) noexcept {
  const EdgePlan& edge = plan_.edges[block.edge];
  const std::int32_t input = layout_.passed_input[edge.from_stage][edge.from_port];
  for (const std::uint32_t e : layout_.in_edges[edge.from_stage][static_cast<std::size_t>(input)]) {
    const auto& regions = layout_.edges[e].regions;
    if (std::find(regions.begin(), regions.end(), block.region) != regions.end())
      return give_back({e, block.offset, block.region, block.instance});
  }
}

// A block comes back by the channel that its token went by.
void BlockReturns::take_from(std::uint32_t channel, std::span<const BlockReturn> blocks) noexcept {
  const std::uint32_t from = layout_.channels[channel].to;
  for (const BlockReturn& block : blocks) {
    if (failure_.any()) return;
    const bool known = block.edge < layout_.edges.size() && layout_.edges[block.edge].crosses();
    if (!known || layout_.edges[block.edge].channel != channel)
      return failure_.set({Code::kDataLoss, "controller '" + plan_.controllers[from].name +
                                                "' gave back a block of edge " + std::to_string(block.edge) +
                                                " on a channel that does not carry it"});
    take_back(from, block);
  }
}

std::size_t BlockReturns::poll() noexcept {
  const std::span<BlockReturn> blocks = returned_;
  std::size_t done = 0;
  for (const std::uint32_t c : destinations_) {
    Sender* const sender = wiring_.senders[c].get();
    for (std::size_t count = blocks.size(); count == blocks.size() && !failure_.any();) {
      count = sender->poll_returns(blocks);
      take_from(c, blocks.first(count));
      done += count;
    }
  }
  return done;
}

}  // namespace woa
