#include "runtime/controller/active_firing.h"

namespace woa {

FiringRoom FiringRoom::of(const StageProgram& stage, std::size_t inline_bytes) noexcept {
  FiringRoom room{.ports = stage.inputs.size(), .inline_bytes = inline_bytes};
  for (const InPort& port : stage.inputs) room.gathered += port.plan->gather;
  room.outputs = stage.last->outputs.size();
  room.claims = stage.last->claims;
  room.packets = stage.prepares ? stage.out_edges.size() : 0;
  for (const StageProgram* next = stage.behind; next != nullptr; next = next->behind) {
    FiringRoom alone = of(*next, 0);
    alone.behind = 0;
    room.include(alone);
    ++room.behind;
  }
  return room;
}

void FiringRoom::include(const FiringRoom& other) noexcept {
  const auto at_least = [](std::size_t& mine, std::size_t theirs) { mine = std::max(mine, theirs); };
  at_least(ports, other.ports), at_least(gathered, other.gathered), at_least(outputs, other.outputs);
  at_least(claims, other.claims), at_least(packets, other.packets);
  at_least(behind, other.behind), at_least(inline_bytes, other.inline_bytes);
}

ActiveFiring::ActiveFiring(const FiringRoom& room) : inline_payloads(room.ports + room.gathered, room.inline_bytes) {
  tokens.reserve(room.ports);
  kept.reserve(room.ports);
  elements.reserve(room.gathered);
  claims.reserve(room.claims);
  input_views.reserve(room.ports);
  element_inputs.reserve(room.gathered);
  output_views.reserve(room.outputs);
  element_outputs.reserve(room.claims);
  memory.reserve(room.ports + room.outputs);
  message.reserve(kPoisonMessageBytes);
  prepared.reserve(room.packets);
  behind.reserve(room.behind);
  FiringRoom alone = room;
  alone.behind = alone.inline_bytes = 0;
  for (std::size_t k = 0; k < room.behind; ++k) follows.push_back(std::make_unique<ActiveFiring>(alone));
}

void ActiveFiring::bind(StageProgram& to) noexcept {
  if (program == &to) return;
  program = &to;
  stage = to.id;
  state = nullptr;
  const FiringRoom room = FiringRoom::of(to, 0);
  const std::size_t outs = to.is_behind ? 0 : room.outputs;
  tokens.resize(room.ports);
  kept.resize(room.ports);
  claims.resize(room.claims);
  input_views.resize(room.ports);
  element_inputs.resize(room.gathered);
  output_views.resize(outs);
  element_outputs.resize(room.claims);
  memory.assign(room.ports + outs, PortMemory{});
  routes.clear();
  publications = {};
  inputs = input_views;
  outputs = output_views;
  input_memory = std::span(memory).first(room.ports);
  output_memory = std::span(memory).subspan(room.ports);
  bind_behind();
}

// Only the first of joined firings has outputs, those of the last.
void ActiveFiring::bind_behind() noexcept {
  behind.clear();
  if (program->is_behind) return;
  for (StageProgram* to = program->behind; to != nullptr; to = to->behind) {
    ActiveFiring& joining = *follows[behind.size()];
    joining.bind(*to);
    behind.push_back(&joining);
  }
  joined = behind;
}

}  // namespace woa
