#include "runtime/controller/firings.h"

#include <algorithm>

#include "runtime/controller/output_check.h"
#include "runtime/controller/tag_text.h"

namespace woa {
Firings::Firings(const Parts& parts, Activity activity)
    : parts_(parts), runs_in_(parts.backend.runs_in()), workers_(parts.backend.description().workers) {
  const std::size_t count = activity_slots(parts.plan, parts.controller, parts.backend.description().workers);
  const std::size_t inline_bytes = most_inline_bytes(parts.layout, parts.controller);
  FiringRoom any;
  firings_.resize(parts.plan.stages.size());
  for (StageProgram& stage : parts.programs.all()) {
    if (!stage.local || stage.is_behind || stage.role == StageRole::kRelay) continue;
    const FiringRoom room = FiringRoom::of(stage, inline_bytes);
    firings_[stage.id].own = std::make_unique<ActiveFiring>(room);
    firings_[stage.id].own->bind(stage);
    stage.in_call = runs_in_ == RunsIn::kCall;
    any.include(room);
  }
  spare_ = runs_in_ == RunsIn::kEither ? 1 : 0;
  for (std::size_t k = runs_in_ == RunsIn::kCall ? count : 0; k < count; ++k) {
    ActiveFiring& firing = *shared_.emplace_back(std::make_unique<ActiveFiring>(any));
    firing.shared = true;
    firing.link = std::exchange(free_, &firing);
  }
  own_ = std::vector<ActivitySlot>(activity.empty() ? count : 0);
  for (ActivitySlot& slot : activity.empty() ? Activity(own_) : activity.first(count)) idle_.push_back(&slot);
  idle_count_ = count;
  done_.resize(count);
}

void Firings::put_back(ActiveFiring& firing) noexcept {
  firing.running = false;
  long_running_ -= firing.is_long ? 1 : 0;
  if (firing.program->under_way != nullptr) --*firing.program->under_way;
  firing.activity->end();
  idle_[idle_count_++] = firing.activity;
  *firing.place = firing.link;
  if (firing.link != nullptr) firing.link->place = firing.place;
  if (firing.shared) firing.link = std::exchange(free_, &firing);
}

// A timed firing of a short kernel stands for those after it.
[[gnu::always_inline]] inline void Firings::decide_timing(ActiveFiring& firing) const noexcept {
  constexpr std::uint32_t kFirst = 64, kSeldom = 64;
  const StageProgram& stage = *firing.program;
  firing.timed = stage.started >= stage.timed_until;
  if (!firing.timed) return;
  const bool often = parts_.trace.keeps() || stage.stats->firings < kFirst || !is_short(stage);
  firing.stands_for = often ? 1 : kSeldom;
}

template <bool kPlain>
[[gnu::always_inline]] inline bool Firings::show(ActiveFiring& firing, std::uint32_t port, const Token& token,
                                                 woa_input& view) noexcept {
  if (token.is_absent()) {
    view = {};
    view.absent = 1;
    if (!kPlain) firing.input_memory[port] = {};
    return true;
  }
  const StageProgram& stage = *firing.program;
  const bool shown = !kPlain && stage.device_memory
                         ? show_placed(firing, port, token, view)
                         : stage.inputs[port].shape.show(parts_.programs.payload(token), view);
  if (!shown) firing.unfit = {&token, port};
  return shown;
}

const Token& Firings::keep(ActiveFiring& firing, std::uint32_t port, const Token& token) noexcept {
  Token& kept = firing.kept[port];
  kept = token;
  firing.inline_payloads.keep(port, kept);
  return kept;
}

// False: one of them does not fit its type; or one that is held has not come.
template <bool kPlain>
[[gnu::always_inline]] inline bool Firings::show_inputs(ActiveFiring& firing, const Consumed& consumed) noexcept {
  std::size_t elements = 0;
  std::uint32_t p = 0;
  for (const InPort& port : firing.program->inputs) {
    const Token*& token = firing.tokens[p];
    if (port.hold) {  // read, not consumed
      token = nullptr;
      const Token* const held = parts_.matching.held(port, firing.instance, firing.tag);
      firing.unfit.token = nullptr;
      if (held == nullptr || !show<kPlain>(firing, p, *held, firing.input_views[p])) return false;
    } else {
      token = consumed.at(p);
      if (!firing.in_call) token = &keep(firing, p, *token);
      const bool shown = !kPlain && port.gathers ? show_elements(firing, p, elements, token->header.payload_bytes)
                                                 : show<kPlain>(firing, p, *token, firing.input_views[p]);
      if (!shown) return false;
      if (!kPlain && port.gathers) elements += token->header.payload_bytes;
    }
    ++p;
  }
  firing.packet = firing.tokens.empty() || firing.tokens.front() == nullptr ? nullptr : &firing.tokens.front()->header;
  return true;
}

template <bool kPlain>
[[gnu::always_inline]] inline void Firings::show_outputs(ActiveFiring& firing) noexcept {
  PortClaim* claim = firing.claims.data();
  woa_output* output = firing.output_views.data();
  for (const OutPort& port : kPlain ? firing.program->outputs : firing.program->last->outputs) {
    woa_output& view = *output++;
    if (!kPlain && port.scatters) {
      view = {};
      view.elements = &firing.element_outputs[static_cast<std::size_t>(claim - firing.claims.data())];
      for (std::uint32_t e = 0; e < port.elements; ++e) port.shape.reserve((claim++)->block, view.elements[e]);
      continue;
    }
    if (!kPlain && port.passed_input >= 0) {
      const ActivationPacket& token = firing.tokens[static_cast<std::size_t>(port.passed_input)]->header;
      *claim = {parts_.programs.region(token.region).block(token).data(), token.offset, token.region};
    }
    port.shape.reserve(claim->block, view);
    if (!kPlain && port.in_device) reserve_in_device(firing, port, *claim, view);
    ++claim;
  }
}

// Fills in what the kernel gets. Other than kStarted: the claims are to be given back.
template <bool kPlain>
[[gnu::always_inline]] inline Fired Firings::prepare(ActiveFiring& firing, const Consumed& consumed) noexcept {
  StageProgram& stage = *firing.program;
  firing.code = Code::kOk;
  firing.cycles = 0;
  firing.worker = 0;
  decide_timing(firing);
  if (stage.stateful != Stateful::kNo && !stage.instances.take_state(*firing.entry, firing.state))
    return Fired::kNotYet;
  if (!kPlain && stage.gathers && !gather(firing, consumed))
    return fail(stage, firing.instance, firing.tag,
                {Code::kInvalid, "two elements of a scatter came with the same number"});
  if (!show_inputs<kPlain>(firing, consumed)) {
    if (firing.unfit.token == nullptr) return Fired::kNotYet;
    return fail(stage, firing.instance, firing.tag, why_not_shown(firing));
  }
  show_outputs<kPlain>(firing);
  if (kPlain || !(stage.device_headers || stage.prepares)) return Fired::kStarted;
  if (const Fired joined = prepare_joined(firing); joined != Fired::kStarted) return joined;
  for (const OutPort& port : stage.last->outputs) {
    if (Status status = check_loops(port, firing.tag); !status.ok())
      return fail(stage, firing.instance, firing.tag, status);
  }
  if (stage.prepares) {
    prepare_packets(firing);
  } else {
    list_routes(firing);
  }
  return Fired::kStarted;
}

// Hands a firing to the back-end that has all it needs.
template <bool kPlain>
[[gnu::always_inline]] inline Fired Firings::run(ActiveFiring& firing) noexcept {
  StageProgram& stage = *firing.program;
  ActivitySlot& activity = *idle_[idle_count_ - 1];
  firing.activity = &activity;
  if (firing.in_call || runs_in_ == RunsIn::kElsewhere) activity.begin(stage.id, firing.instance);
  const Start start = parts_.backend.start(firing);
  switch (start) {
    case Start::kBusy:
      activity.end();
      if (!stage.prepares) return Fired::kBusy;
      take(firing);  // what is prepared cannot be taken back
      waiting_ = &firing;
      break;
    case Start::kCompleted:
      activity.end();
      ran_ = &firing;
      break;
    case Start::kStarted:
    case Start::kOrdered:
      take(firing);
      if (runs_in_ == RunsIn::kEither) handover_.note_given();
  }
  if (firing.timed) stage.timed_until = stage.started + firing.stands_for;
  ++stage.started;
  stage.instances.started(*firing.entry, firing.tag);
  if (!kPlain) start_joined(firing);
  if (!kPlain && start == Start::kOrdered && stage.may_order) deliver_early(firing);
  return Fired::kStarted;
}

// Rule 9, and one firing of a serial kernel at a time. kStarted: its turn has come.
Fired Firings::check_order(StageProgram& stage, StageInstance& entry, std::uint64_t tag) noexcept {
  if (stage.under_way != nullptr && *stage.under_way != 0) return Fired::kNotYet;
  if (stage.stateful == Stateful::kNo) return Fired::kStarted;
  switch (stage.instances.order(entry, tag, parts_.oldest)) {
    case StageInstances::Order::kNow: return Fired::kStarted;
    case StageInstances::Order::kLater: return Fired::kNotYet;
    case StageInstances::Order::kBroken: break;
  }
  return fail(stage, entry.instance, tag, {Code::kInternal, "a stateful kernel's tokens came out of tag order"});
}

bool Firings::runs_here(const StageProgram& stage) noexcept {
  if (runs_in_ != RunsIn::kEither || stage.is_long || stage.is_apart) return false;
  return handover_.keeps(stage.mean_ns, !any_running() && parts_.matching.ready().empty() && parts_.local.size() <= 1);
}

template <bool kPlain>
[[gnu::noinline]] Fired Firings::fire_as(StageProgram& stage, StageInstance& entry, const MatchKey& match,
                                         const Consumed& consumed) noexcept {
  if (stage.in_turn) {
    if (const Fired turn = check_order(stage, entry, match.tag); turn != Fired::kStarted) return turn;
  }
  const bool in_call = stage.in_call || runs_here(stage);
  if (idle_count_ == (in_call ? 0 : spare_)) return spare_ == 0 ? Fired::kBusy : Fired::kNotYet;
  if (!in_call && stage.is_long && runs_in_ == RunsIn::kEither && enough_are_long()) return Fired::kNotYet;
  if (!kPlain && stage.prepares && waiting_ != nullptr) return Fired::kBusy;
  ActiveFiring& firing = *next(stage);
  firing.in_call = in_call;
  const std::span<OutPort> outputs = kPlain ? stage.outputs : stage.last->outputs;
  if (!parts_.claims.claim<kPlain>(outputs, match, firing.claims)) return Fired::kNotYet;
  firing.set(match);
  firing.entry = &entry;
  Fired fired = prepare<kPlain>(firing, consumed);
  if (fired == Fired::kStarted) fired = run<kPlain>(firing);
  if (fired != Fired::kStarted) parts_.claims.abort(outputs, match, firing.claims);
  return fired;
}

Fired Firings::fire(StageProgram& stage, StageInstance& entry, const MatchKey& match,
                    const Consumed& consumed) noexcept {
  return stage.plain ? fire_as<true>(stage, entry, match, consumed) : fire_as<false>(stage, entry, match, consumed);
}

Fired Firings::fail(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag, const Status& why) noexcept {
  const Status whole = if_memory([&] { return at_tag(parts_.plan, stage.id, tag, why); }, why);
  parts_.poison.kill(stage.id, instance, why.code(), stage.id, whole.message());
  return Fired::kGone;
}

// Shows an input that gathers: `count` elements of the firing, from `first` on.
bool Firings::show_elements(ActiveFiring& firing, std::uint32_t port, std::size_t first, std::size_t count) noexcept {
  firing.inputs[port] = {};
  firing.inputs[port].count = static_cast<std::uint32_t>(count);
  firing.inputs[port].elements = firing.element_inputs.data() + first;
  for (std::size_t e = first; e < first + count; ++e) {
    firing.inline_payloads.keep(firing.kept.size() + e, firing.elements[e]);
    if (!show<false>(firing, port, firing.elements[e], firing.element_inputs[e])) return false;
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

// The packets of a device that writes headers: its stages neither scatter nor pass payloads on.
void Firings::list_routes(ActiveFiring& firing) {
  firing.routes.clear();
  const PortClaim* claim = firing.claims.data();
  for (const OutPort& port : firing.program->last->outputs) {
    for (const OutEdge& edge : port.edges) firing.routes.push_back({edge.edge, claim->region, claim->offset, {}});
    ++claim;
  }
}

bool Firings::is_running(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) const noexcept {
  for (const ActiveFiring* each = firings_[stage.id].running; each != nullptr; each = each->link) {
    if (each->instance == instance && each->tag == tag) return true;
  }
  return false;
}

// The device numbers what it sends, so every place must be there before it starts.
bool Firings::start(const WaitingPoison& poison) noexcept {
  if (idle_count_ == 0) return false;
  ActiveFiring& firing = *next(*poison.stage);
  firing.instance = poison.header.instance;
  firing.poison = true;
  firing.poison_header = poison.header;
  firing.message = poison.message;
  firing.code = Code::kOk;
  firing.routes.clear();
  bool ok = true;
  for (const OutPort& port : poison.stage->last->outputs) {
    for (OutEdge& edge : port.edges) {
      ok = ok && edge.reserve() == Push::kOk;
      if (ok) firing.routes.push_back({edge.edge, 0, 0, {}});
    }
  }
  const Start start = ok ? parts_.backend.start(firing) : Start::kBusy;
  if (start == Start::kCompleted) complete(firing);
  if (start == Start::kStarted || start == Start::kOrdered) take(firing);
  if (start != Start::kBusy) return true;
  for (const FiringRoute& route : firing.routes) parts_.programs.out_edge(route.edge)->cancel();
  firing.poison = false;
  return false;
}

}  // namespace woa
