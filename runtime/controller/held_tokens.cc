#include "runtime/controller/held_tokens.h"

namespace woa {

HeldTokens::HeldTokens(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs) {
  std::uint32_t blocks = 0;
  for (StageProgram& stage : programs.all()) {
    for (std::size_t p = 0; p < stage.inputs.size(); ++p) {
      if (!stage.inputs[p].hold) continue;
      stage.inputs[p].held_lists = static_cast<std::uint32_t>(lists_.size());
      std::ranges::fill(lists_.emplace_back(plan.window).all(), kNone);
      for (const std::uint32_t e : layout.in_edges[stage.id][p]) blocks += plan.edges[e].blocks;
    }
  }
  held_.resize(blocks);
  inline_ = InlineStore(blocks, most_inline_bytes(layout, controller));
  for (std::uint32_t h = blocks; h-- > 0;) held_[h].next = std::exchange(free_, h);
}

HeldTokens::Added HeldTokens::add(const InPort& port, const Token& token) noexcept {
  std::uint32_t& list = first(port, token.header.instance);
  for (std::uint32_t h = list; h != kNone; h = held_[h].next) {
    const ActivationPacket& other = held_[h].token.header;
    if (other.instance == token.header.instance && other.tag == token.header.tag) return Added::kDuplicate;
  }
  const std::uint32_t h = free_;
  if (h == kNone) return Added::kFull;
  free_ = held_[h].next;
  held_[h] = {token, list};
  inline_.keep(h, held_[h].token);
  list = h;
  return Added::kHeld;
}

}  // namespace woa
