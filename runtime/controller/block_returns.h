// Blocks and credits on their way back: those that this controller's stages are done with, and those that readers of
// its outputs give back (rule 8).
//
// One thread; no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/controller/bells.h"
#include "runtime/controller/run_failure.h"
#include "runtime/controller/stage_program.h"
#include "runtime/controller/token.h"

namespace woa {

class BlockReturns {
 public:
  // Everything outlives it.
  BlockReturns(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs,
               Wiring& wiring, Bells& bells, ControllerStats& stats, RunFailure& failure);

  // The consumer is done with a token: its block goes back to whoever allocated it; a count, which has none, gives back
  // its credit. A block that was passed on is not the token's any more.
  void release(const Token& token) noexcept {
    if (token.is_count())
      return give_back({token.edge, 0, kPassedOn, static_cast<std::uint16_t>(token.header.instance)});
    if (token.header.region != kPassedOn)
      give_back(
          {token.edge, token.header.offset, token.header.region, static_cast<std::uint16_t>(token.header.instance)});
  }
  // Releases a token that nobody will read.
  void drop(const Token& token) noexcept {
    ++stats_.dropped;
    release(token);
  }
  // Takes what other controllers gave back. Returns how much.
  std::size_t poll() noexcept;
  // True if something came back since the last call: claims that failed may succeed now.
  [[nodiscard]] bool take_changed() noexcept { return std::exchange(changed_, false); }
  // True if blocks that came from elsewhere may have to go back by way of this controller.
  [[nodiscard]] bool passes_on() const noexcept { return passes_on_; }

 private:
  void give_back(const BlockReturn& block) noexcept {
    OutEdge* const edge = programs_.out_edge(block.edge);
    if (edge == nullptr) return give_to_channel(block);
    take_back(self_, *edge, block);
  }
  // Controller `from`, a consumer of one of this one's edges, is done with a block. Its credit comes back and, if the
  // region is this controller's, the block.
  void take_back(std::uint32_t from, OutEdge& edge, const BlockReturn& block) noexcept {
    changed_ = true;
    const bool own = edge.pool != nullptr && block.region == edge.header.region;
    if (own && edge.credits.give(block.instance) && edge.pool->release(block.offset)) return;
    take_back_other(from, edge, block, own);
  }
  void give_to_channel(const BlockReturn& block) noexcept;
  void take_back_other(std::uint32_t from, OutEdge& edge, const BlockReturn& block, bool own) noexcept;
  [[nodiscard]] bool may_name(const OutEdge& edge, std::uint16_t region) const noexcept;
  [[nodiscard]] PassedBlocks::Release release_passed(const BlockReturn& block) noexcept;
  void pass_back(const BlockReturn& block) noexcept;
  void take_from(std::uint32_t channel, std::span<const BlockReturn> blocks) noexcept;

  const Plan& plan_;
  const Layout& layout_;
  const std::uint32_t self_;
  StagePrograms& programs_;
  Wiring& wiring_;
  Bells& bells_;
  ControllerStats& stats_;
  RunFailure& failure_;
  std::vector<std::uint32_t> destinations_;  // channels out
  std::array<BlockReturn, 32> returned_{};   // scratch of poll()
  bool changed_ = false;
  bool passes_on_ = false;
};

}  // namespace woa
