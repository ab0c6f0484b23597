#include "runtime/controller/relays.h"

namespace woa {
namespace {

std::uint32_t elements_of(const InPort& port, const Token* token) noexcept {
  return port.gathers ? static_cast<std::uint32_t>(token->header.payload_bytes) : 1;
}

}  // namespace

// A held argument is sent with the first call that needs it; kPassedOn marks it as gone.
bool Relays::sends(const InPort& port, const MatchKey& match) noexcept {
  return !port.hold || matching_.held(port, match.instance, match.tag)->header.region != kPassedOn;
}

Fired Relays::fire(StageProgram& stage, const MatchKey& match, const Consumed& consumed) noexcept {
  const FiringKey key{match.instance, match.tag};
  const auto elements = [&](std::uint32_t p) { return elements_of(stage.inputs[p], consumed.at(p)); };
  for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
    if (!sends(stage.inputs[p], match) || claims_.claim_relay(stage.outputs[p], elements(p), key)) continue;
    for (std::uint32_t q = 0; q < p; ++q) {
      if (sends(stage.inputs[q], match)) Claims::abort_relay(stage.outputs[q], elements(q), key);
    }
    return Fired::kNotYet;
  }
  for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
    if (sends(stage.inputs[p], match)) pass_on(stage, p, match, consumed);
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
  const FiringKey key{match.instance, token.header.tag};
  if (!port.gathers) {
    send(out, token);
    sending_.commit_count(out, 0, key, token.header.deadline);  // to relays that wait for it
    return;
  }
  matching_.table().each_element(consumed.match, p, [&](const Token& element) { send(out, element); });
  sending_.commit_count(out, static_cast<std::uint32_t>(token.header.payload_bytes), key, token.header.deadline);
  returns_.release(token);  // what is sent on is another count
}

void Relays::send(OutPort& port, const Token& token) noexcept {
  sending_.commit_relay(port, token.header, programs_.payload(token));
}

}  // namespace woa
