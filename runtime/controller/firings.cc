#include "runtime/controller/firings.h"

#include <algorithm>

#include "runtime/controller/output_check.h"

namespace woa {
Firings::Firings(const Parts& parts, Activity activity) : parts_(parts) {
  const std::size_t count = activity_slots(parts.plan, parts.controller);
  for (std::size_t f = 0; f < count; ++f) {
    ActiveFiring& firing = *firings_.emplace_back(std::make_unique<ActiveFiring>());
    make_room(firing);
    firing.activity = f < activity.size() ? &activity[f] : &firing.unread;
    free_.push_back(&firing);
  }
  done_.resize(count);
}

// For any stage of this controller.
void Firings::make_room(ActiveFiring& firing) const {
  std::size_t inputs = 1, outputs = 1, elements = 0, claims = 1;
  for (const StageProgram& stage : parts_.programs.all()) {
    std::size_t gathered = 0;
    for (const InPort& port : stage.inputs) gathered += port.plan->gather;
    inputs = std::max(inputs, stage.inputs.size());
    outputs = std::max(outputs, stage.outputs.size());
    elements = std::max(elements, gathered);
    claims = std::max<std::size_t>(claims, stage.claims);
  }
  firing.tokens.resize(inputs);
  firing.elements.reserve(elements);
  firing.inline_payloads = InlineStore(inputs + elements, most_inline_bytes(parts_.layout, parts_.controller));
  firing.claims.resize(claims);
  firing.input_views.resize(inputs);
  firing.element_inputs.resize(elements);
  firing.output_views.resize(outputs);
  firing.element_outputs.resize(claims);
  firing.memory.resize(inputs + outputs);
  firing.message.reserve(kPoisonMessageBytes);
}

Fired Firings::fire(StageProgram& stage, StageInstance& entry, const MatchKey& match,
                    const Consumed& consumed) noexcept {
  if (stage.stateful != Stateful::kNo) {
    const StageInstances::Order order = stage.instances.order(entry, match.tag, parts_.oldest);
    if (order == StageInstances::Order::kLater) return Fired::kNotYet;
    if (order == StageInstances::Order::kBroken)
      return fail(stage, match.instance, {Code::kInternal, "a stateful kernel's tokens came out of tag order"});
  }
  if (free_.empty()) return Fired::kBusy;
  ActiveFiring& firing = *free_.back();
  firing.instance = match.instance;
  firing.tag = match.tag;
  const FiringKey key = firing.key();
  if (!parts_.sending.claim(stage, key, firing.claims)) return Fired::kNotYet;
  if (const Fired ready = prepare(stage, entry, match, consumed, firing); ready != Fired::kStarted) {
    parts_.sending.abort(stage, key, std::span(firing.claims).first(stage.claims));
    return ready;
  }
  firing.activity->begin(stage.id, match.instance);
  const Start start = parts_.backend.start(firing);
  if (start == Start::kBusy) {
    firing.activity->end();
    parts_.sending.abort(stage, key, std::span(firing.claims).first(stage.claims));
    return Fired::kBusy;
  }
  free_.pop_back();
  firing.running = true;
  if (firing.timed) stage.timed_until = stage.started + firing.stands_for;
  ++stage.started;
  stage.instances.started(entry, match.tag);
  if (start == Start::kCompleted) ran_ = &firing;
  if (start == Start::kOrdered && stage.may_order) deliver_early(firing);
  return Fired::kStarted;
}

// Fills in what the kernel gets. Other than kStarted: the claims are to be given back.
Fired Firings::prepare(StageProgram& stage, StageInstance& entry, const MatchKey& match, const Consumed& consumed,
                       ActiveFiring& firing) noexcept {
  firing.stage = stage.id;
  firing.program = &stage;
  firing.entry = &entry;
  firing.deadline = match.deadline;
  firing.code = Code::kOk;
  firing.cycles = 0;
  firing.worker = 0;
  firing.poison = firing.lost = false;
  firing.state = nullptr;
  decide_timing(firing);
  if (stage.stateful != Stateful::kNo && !stage.instances.take_state(entry, firing.state)) return Fired::kNotYet;
  if (stage.gathers && !gather(firing, consumed))
    return fail(stage, match.instance, {Code::kInvalid, "two elements of a scatter came with the same number"});
  if (!show_inputs(firing, consumed)) return fail(stage, match.instance, why_not_shown(firing));
  if (stage.device_headers) {
    for (const OutPort& port : stage.outputs) {
      if (Status status = check_loops(port, match.tag); !status.ok()) return fail(stage, match.instance, status);
    }
  }
  show_outputs(firing);
  return Fired::kStarted;
}

Fired Firings::fail(const StageProgram& stage, std::uint64_t instance, const Status& why) noexcept {
  parts_.poison.kill(stage.id, instance, why.code(), stage.id, why.message());
  return Fired::kGone;
}

// False: one of them does not fit its type.
bool Firings::show_inputs(ActiveFiring& firing, const Consumed& consumed) noexcept {
  StageProgram& stage = *firing.program;
  const std::size_t count = stage.inputs.size();
  firing.inputs = std::span(firing.input_views).first(count);
  firing.input_memory = std::span(firing.memory).first(count);
  firing.packet = &firing.tokens.front().header;
  std::size_t elements = 0;
  for (std::uint32_t p = 0; p < count; ++p) {
    const InPort& port = stage.inputs[p];
    Token& token = firing.tokens[p];
    firing.input_memory[p] = {};
    token.edge = kNone;
    if (port.hold) {  // read, not consumed
      if (!show(firing, p, *parts_.matching.held(port, firing.instance, firing.tag), firing.inputs[p])) return false;
      continue;
    }
    token = *consumed.at(p);
    if (port.gathers) {
      if (!show_elements(firing, p, elements, token.header.payload_bytes)) return false;
      elements += token.header.payload_bytes;
      continue;
    }
    firing.inline_payloads.keep(p, token);
    if (!show(firing, p, token, firing.inputs[p])) return false;
  }
  return true;
}

bool Firings::show(ActiveFiring& firing, std::uint32_t port, const Token& token, woa_input& view) noexcept {
  if (token.is_absent()) {
    view = {};
    view.absent = 1;
    return true;
  }
  const PortShape& shape = firing.program->inputs[port].shape;
  const std::span<const std::byte> payload = parts_.programs.payload(token);
  if (is_in_device(firing, token) ? show_in_device(firing, port, token, view) : shape.show(payload, view)) return true;
  firing.unfit = {&token, port};
  return false;
}

// Names the block to the back-end, which alone can read it.
bool Firings::show_in_device(ActiveFiring& firing, std::uint32_t port, const Token& token, woa_input& view) noexcept {
  const ActivationPacket& header = token.header;
  firing.input_memory[port] = {parts_.programs.region(header.region).memory(), header.region, header.offset};
  return firing.program->inputs[port].shape.show_in_device(parts_.programs.payload(token), view);
}

void Firings::reserve_in_device(const OutPort& port, const PortClaim& claim, woa_output& view,
                                PortMemory& memory) noexcept {
  memory = {port.kind, claim.region, claim.offset};
  view.data = nullptr;
}

// Shows an input that gathers: `count` elements of the firing, from `first` on.
bool Firings::show_elements(ActiveFiring& firing, std::uint32_t port, std::size_t first, std::size_t count) noexcept {
  firing.inputs[port] = {};
  firing.inputs[port].count = static_cast<std::uint32_t>(count);
  firing.inputs[port].elements = firing.element_inputs.data() + first;
  for (std::size_t e = first; e < first + count; ++e) {
    firing.inline_payloads.keep(firing.tokens.size() + e, firing.elements[e]);
    if (!show(firing, port, firing.elements[e], firing.element_inputs[e])) return false;
  }
  return true;
}

Status Firings::why_not_shown(const ActiveFiring& firing) const {
  const InPort& port = firing.program->inputs[firing.unfit.port];
  return port.shape.why_not_shown(parts_.programs.payload(*firing.unfit.token))
      .with_context("input '" + port.plan->name + "'");
}

// The elements of every input that gathers, in the order of their numbers. False: two have the same.
bool Firings::gather(ActiveFiring& firing, const Consumed& consumed) noexcept {
  StageProgram& stage = *firing.program;
  MatchTable& table = parts_.matching.table();
  firing.elements.clear();
  for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
    const InPort& port = stage.inputs[p];
    if (!port.gathers) continue;
    const std::size_t first = firing.elements.size();
    const std::size_t count = consumed.at(p)->header.payload_bytes;
    firing.elements.resize(first + count, Token{});
    bool whole = true;
    table.each_element(consumed.match, p, [&](const Token& token) {
      const std::uint64_t index = (token.header.tag & port.number_bits) >> port.plan->index_shift;
      whole = whole && index < count && !firing.elements[first + index].present();
      if (whole) firing.elements[first + index] = token;
    });
    if (!whole) return false;
  }
  return true;
}

void Firings::show_outputs(ActiveFiring& firing) noexcept {
  StageProgram& stage = *firing.program;
  const std::size_t count = stage.outputs.size();
  firing.outputs = std::span(firing.output_views).first(count);
  firing.output_memory = std::span(firing.memory).subspan(stage.inputs.size(), count);
  firing.routes.clear();
  std::size_t next = 0;  // claim
  for (std::uint32_t p = 0; p < count; ++p) {
    const OutPort& port = stage.outputs[p];
    firing.output_memory[p] = {};
    if (port.scatters) {
      firing.outputs[p] = {};
      firing.outputs[p].elements = &firing.element_outputs[next];
      for (std::uint32_t e = 0; e < port.elements; ++e, ++next)
        port.shape.reserve(firing.claims[next].block, firing.element_outputs[next]);
      continue;
    }
    PortClaim& claim = firing.claims[next++];
    if (port.passed_input >= 0) {
      const ActivationPacket& token = firing.tokens[static_cast<std::size_t>(port.passed_input)].header;
      claim = {parts_.programs.region(token.region).block(token).data(), token.offset, token.region};
    }
    port.shape.reserve(claim.block, firing.outputs[p]);
    if (port.kind != MemoryKind::kCpu) reserve_in_device(port, claim, firing.outputs[p], firing.output_memory[p]);
    if (!stage.device_headers) continue;
    for (const OutEdge& edge : port.edges) firing.routes.push_back({edge.edge, claim.region, claim.offset, {}});
  }
}

bool Firings::is_brief(const StageProgram& stage) noexcept {
  return stage.stats->busy_ns < stage.stats->firings * kShortKernel_ns;
}

// A timed firing of a short kernel stands for those after it.
void Firings::decide_timing(ActiveFiring& firing) const noexcept {
  constexpr std::uint32_t kFirst = 64, kSeldom = 64;
  const StageProgram& stage = *firing.program;
  firing.timed = stage.started >= stage.timed_until;
  if (!firing.timed) return;
  const bool often = parts_.trace.on() || stage.stats->firings < kFirst || !is_brief(stage);
  firing.stands_for = often ? 1 : kSeldom;
}

bool Firings::is_running(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) const noexcept {
  return std::any_of(firings_.begin(), firings_.end(), [&](const auto& firing) {
    return firing->running && firing->program == &stage && firing->instance == instance && firing->tag == tag;
  });
}

// The device numbers what it sends, so every place must be there before it starts.
bool Firings::start(const WaitingPoison& poison) noexcept {
  if (free_.empty()) return false;
  ActiveFiring& firing = *free_.back();
  firing.stage = poison.stage->id;
  firing.program = poison.stage;
  firing.instance = poison.header.instance;
  firing.poison = true;
  firing.lost = false;
  firing.poison_header = poison.header;
  firing.message = poison.message;
  firing.code = Code::kOk;
  firing.inputs = {};
  firing.outputs = {};
  firing.routes.clear();
  bool ok = true;
  for (const OutPort& port : poison.stage->outputs) {
    for (OutEdge& edge : port.edges) {
      ok = ok && edge.reserve() == Push::kOk;
      if (ok) firing.routes.push_back({edge.edge, 0, 0, {}});
    }
  }
  const Start start = ok ? parts_.backend.start(firing) : Start::kBusy;
  if (start == Start::kBusy) {
    for (const FiringRoute& route : firing.routes) parts_.programs.out_edge(route.edge)->cancel();
    return false;
  }
  free_.pop_back();
  if (start == Start::kCompleted) complete(firing);
  return true;
}

}  // namespace woa
