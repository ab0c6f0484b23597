#include "runtime/controller/relays.h"

#include "runtime/base/clock.h"

namespace woa {
namespace {

// How many tokens an input passes on.
std::uint32_t elements_of(const InPort& port, const Token* token) noexcept {
  if (port.signal) return 0;
  return port.gathers ? static_cast<std::uint32_t>(token->header.payload_bytes) : 1;
}

}  // namespace

// Room for what an input passes on, or none of it. Only elements have readers that take some of them.
bool Relays::claim(StageProgram& stage, std::uint32_t p, const Activation& of, const Consumed& consumed) noexcept {
  OutPort& port = stage.outputs[p];
  if (port.all_take || !stage.inputs[p].gathers)
    return claims_.claim_relay(port, elements_of(stage.inputs[p], consumed.at(p)), of);
  if (!claims_.claim_relay(port, 0, of)) return false;
  std::uint32_t claimed = 0;
  bool room = true;
  matching_.table().each_element(consumed.match, p, [&](const Token& element) {
    room = room && claims_.claim_passed(port, activation_of(element.header));
    if (room) ++claimed;
  });
  if (!room) abort(stage, p, claimed, of, consumed);
  return room;
}

// Gives the claims of the first elements back.
void Relays::abort(StageProgram& stage, std::uint32_t p, std::uint32_t elements, const Activation& of,
                   const Consumed& consumed) noexcept {
  OutPort& port = stage.outputs[p];
  if (port.all_take || !stage.inputs[p].gathers) return Claims::abort_relay(port, elements, of);
  Claims::abort_relay(port, 0, of);
  matching_.table().each_element(consumed.match, p, [&](const Token& element) {
    if (elements == 0) return;
    --elements;
    Claims::abort_passed(port, activation_of(element.header));
  });
}

// A held argument is sent with the first call that needs it; kPassedOn marks it as gone.
bool Relays::sends(const InPort& port, const MatchKey& match) noexcept {
  return !port.hold || matching_.held(port, match.instance, match.tag)->header.region != kPassedOn;
}

Fired Relays::fire(StageProgram& stage, const MatchKey& match, const Consumed& consumed) noexcept {
  const std::uint64_t began = trace_.keeps() ? now_ns() : 0;
  for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
    if (!sends(stage.inputs[p], match) || claim(stage, p, match, consumed)) continue;
    for (std::uint32_t q = 0; q < p; ++q) {
      const InPort& port = stage.inputs[q];
      if (sends(port, match)) abort(stage, q, elements_of(port, consumed.at(q)), match, consumed);
    }
    return Fired::kNotYet;
  }
  for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
    if (sends(stage.inputs[p], match)) pass_on(stage, p, match, consumed);
  }
  if (trace_.on()) {
    const std::uint64_t ended = trace_.keeps() ? now_ns() : 0;
    trace_.add({TraceEvent::Kind::kFiring, 0, began, ended, stage.id, kNone, match.instance, match.tag, 0, 0});
  }
  return Fired::kStarted;
}

// The blocks come back by way of this stage.
void Relays::pass_on(StageProgram& stage, std::uint32_t p, const MatchKey& match, const Consumed& consumed) noexcept {
  const InPort& port = stage.inputs[p];
  OutPort& out = stage.outputs[p];
  if (port.hold) {
    Token& token = *matching_.held(port, match.instance, match.tag);
    send(out, token);
    token.header.region = kPassedOn;
    return;
  }
  const Token& token = *consumed.at(p);
  const Activation of = activation_of(token.header);
  if (!port.gathers) {
    send(out, token);
    sending_.commit_count(out, 0, of);  // to relays that wait for it
    return;
  }
  matching_.table().each_element(consumed.match, p, [&](const Token& element) { send(out, element); });
  sending_.commit_count(out, static_cast<std::uint32_t>(token.header.payload_bytes), of);
  returns_.release(token);  // what is sent on is another count
}

void Relays::send(OutPort& port, const Token& token) noexcept {
  sending_.commit_relay(port, token.header, programs_.payload(token));
}

}  // namespace woa
