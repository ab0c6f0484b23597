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

void BlockReturns::give_to_channel(const BlockReturn& block) noexcept {
  const std::uint32_t channel = layout_.edges[block.edge].channel;
  wiring_.receivers[channel]->give_back(block);
  bells_.ring_later(channel);
}

// A count, a block that was passed on, or what nobody holds. `own`: of this controller's region, and refused by its
// books.
void BlockReturns::take_back_other(std::uint32_t from, OutEdge& edge, const BlockReturn& block, bool own) noexcept {
  const bool passed = edge.pool == nullptr && may_name(edge, block.region);
  if (!own && (edge.count || passed) && edge.credits.give(block.instance)) {
    if (edge.count) return;
    const PassedBlocks::Release last = release_passed(block);
    if (last == PassedBlocks::Release::kLast) return pass_back(block);
    if (last == PassedBlocks::Release::kHeld) return;
  }
  failure_.set({Code::kDataLoss, "controller '" + plan_.controllers[from].name + "': gave back block " +
                                     std::to_string(block.offset) + " of region " + std::to_string(block.region) +
                                     " by edge " + std::to_string(block.edge) + ", which did not hold it"});
}

bool BlockReturns::may_name(const OutEdge& edge, std::uint16_t region) const noexcept {
  const auto& regions = layout_.edges[edge.edge].regions;
  return std::find(regions.begin(), regions.end(), region) != regions.end();
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
    const OutEdge* const edge = programs_.out_edge(block.edge);
    if (edge == nullptr || edge->sender == nullptr || edge->channel != channel)
      return failure_.set({Code::kDataLoss, "controller '" + plan_.controllers[from].name +
                                                "' gave back a block of edge " + std::to_string(block.edge) +
                                                " on a channel that does not carry it"});
    take_back(from, *programs_.out_edge(block.edge), block);
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
