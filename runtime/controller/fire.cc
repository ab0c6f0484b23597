// From a complete match to committed outputs: order, claims, start, completion.
#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/controller/active_firing.h"
#include "runtime/controller/controller.h"

namespace woa {
namespace {

constexpr std::size_t kMostAtOnce = 16;  // firings of short kernels between two looks at the channels

}  // namespace

void Controller::make_ready(std::uint32_t match) noexcept {
  if (waits_for_elements(matches_[match])) return;
  const auto older = [&](std::uint32_t a, std::uint32_t b) {
    const Match &x = matches_[a], &y = matches_[b];
    return x.instance != y.instance ? x.instance < y.instance : x.tag < y.tag;
  };
  ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), match, older), match);
  retry_ready_ = true;
}

// Rule 9 in a scatter: a match for an element stays out of `ready_` until the firing for the one before has ended,
// which then comes for it. What begins a scatter need not wait: in the turns before all is done (the compiler saw to
// it).
bool Controller::waits_for_elements(const MatchKey& match) const noexcept {
  const std::uint64_t number = table_[match.stage].number;
  if ((match.tag & number) == 0) return false;
  const StageInstance& entry = books_[match.stage].instances[match.instance % kMaxWindow];
  if (!entry.fired) return true;
  if (match.tag <= entry.last_tag) return false;  // in_order() refuses it
  return entry.running > 0 || match.tag != entry.last_tag + (number & -number);
}

// A firing has ended: the one for the element after it, if it waits.
void Controller::make_next_ready(const ActiveFiring& firing) noexcept {
  const std::uint64_t number = table_[firing.stage].number;
  const std::uint64_t next = firing.tag + (number & -number);
  if ((next & number) == 0) return;
  const std::uint32_t match = matches_.complete_one(firing.stage, firing.instance, next);
  if (match != kNone) make_ready(match);
}

std::size_t Controller::start_ready() noexcept {
  if (!retry_ready_) return 0;
  retry_ready_ = false;
  std::size_t started = 0;
  for (std::size_t i = 0; i < ready_.size() && fatal_.ok();) {
    const std::uint32_t m = ready_[i];
    const Match& match = matches_[m];
    StageInstance* entry = instance_at(match.stage, match.instance);
    const Start outcome = entry == nullptr ? Start::kNotYet : try_start(match, *entry, matches_.tokens(m), m);
    if (outcome == Start::kBusy) break;  // for younger ones, too, until a firing completes
    if (outcome == Start::kNotYet) {
      ++i;
      continue;
    }
    ++started;
    // One that is gone was taken out with its instance.
    if (outcome == Start::kStarted) {
      const bool brief = takes_little_time(match.stage);
      ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
      matches_.erase(m);
      // One that ran within the call makes place for the next. After a long one, or many, the channels come first.
      if (poll_backend() > 0 && (!brief || started >= kMostAtOnce)) break;
    }
    i = std::min(i, ready_.size());
  }
  return started;
}

// `tokens` are borrowed, and so are the elements of the match at `place`: from kStarted on they are the firing's.
Controller::Start Controller::try_start(const MatchKey& match, StageInstance& entry, std::span<const Token> tokens,
                                        std::uint32_t place) noexcept {
  const std::uint32_t id = match.stage;
  const StagePlan& plan = stage(id);
  if (match.deadline != 0 && now_ns() > match.deadline) {
    kill_stage(id, match.instance, Code::kDeadlineExceeded, id,
               "the instance's deadline passed before this stage fired");
    return Start::kGone;
  }
  if (plan.role == StageRole::kRelay) return relay(match, tokens, place);
  if (plan.stateful != Stateful::kNo && !in_order(match, entry)) return entry.dead ? Start::kGone : Start::kNotYet;
  if (device_forwards_) {
    if (Status status = check_loops(id, 0, match.tag); !status.ok()) {
      kill_stage(id, match.instance, status.code(), id, status.message());
      return Start::kGone;
    }
  }
  if (free_firings_.empty()) return Start::kBusy;
  ActiveFiring& firing = *free_firings_.back();
  const FiringKey key{match.instance, match.tag};
  firing.claims.resize(outputs_->claims_of(id));
  if (!outputs_->claim(id, key, oldest_, firing.claims)) return Start::kNotYet;
  if (!gather(firing, match, place)) {
    outputs_->abort(id, key, firing.claims);
    kill_stage(id, match.instance, Code::kInvalid, id, "two elements of a scatter came with the same number");
    return Start::kGone;
  }
  fill(firing, match, entry, tokens);
  firing.activity->begin(id, match.instance);
  if (!backend_.start(firing)) {
    firing.activity->end();
    outputs_->abort(id, key, firing.claims);
    return Start::kBusy;
  }
  free_firings_.pop_back();
  firing.running = true;
  StageBook& own = books_[id];
  if (firing.timed) own.timed_until = own.started + firing.stands_for;
  ++own.started;
  ++entry.running;
  entry.fired = true;
  entry.last_tag = match.tag;
  if (plan.stateful == Stateful::kRun) {
    own.run_state_busy = true;
    own.next_instance = match.instance + 1;
  }
  return Start::kStarted;
}

// Rule 9: an instance's firings in tag order and one at a time; a run's firings in instance order.
bool Controller::in_order(const MatchKey& match, StageInstance& entry) noexcept {
  StageBook& book = books_[match.stage];
  if (stage(match.stage).stateful == Stateful::kInstance) {
    if (entry.running > 0) return false;
    if (!entry.fired || match.tag > entry.last_tag) return true;
    kill_stage(match.stage, match.instance, Code::kInternal, match.stage,
               "a stateful kernel's tokens came out of tag order");
    return false;
  }
  if (book.run_state_busy) return false;
  const auto over = [&](std::uint64_t instance) {
    const StageInstance& at = book.instances[instance % kMaxWindow];
    return instance < oldest_ || (at.instance == instance && at.dead);
  };
  while (book.next_instance < match.instance && over(book.next_instance)) ++book.next_instance;
  return book.next_instance == match.instance;
}

void Controller::fill(ActiveFiring& firing, const MatchKey& match, StageInstance& entry,
                      std::span<const Token> tokens) noexcept {
  const StagePlan& plan = stage(match.stage);
  firing.stage = match.stage;
  firing.instance = match.instance;
  firing.tag = match.tag;
  firing.deadline = match.deadline;
  firing.code = Code::kOk;
  firing.message.clear();
  firing.cycles = 0;
  firing.poison = firing.lost = false;
  decide_timing(firing);
  firing.state = plan.stateful == Stateful::kNo ? nullptr : state_of(match.stage, entry);
  firing.tokens.assign(tokens.begin(), tokens.end());
  for (std::uint32_t p = 0; p < tokens.size(); ++p) {
    const bool hold = plan.inputs[p].hold;
    Token& token = firing.tokens[p];
    if (hold) {
      token = *matches_.held(match.stage, p, match.instance, match.tag);
      token.edge = kNone;  // read, not consumed
    }
    if (plan.inputs[p].gather != 0) continue;  // gather() did
    firing.inline_payloads.keep(p, token);
    firing.inputs[p] = {payload_of(token), hold ? nullptr : &token.header, 0, token.is_absent(), {}};
  }
  fill_outputs(firing, match);
}

// The elements of every input that gathers, in the order of their numbers. False: two have the same.
bool Controller::gather(ActiveFiring& firing, const MatchKey& match, std::uint32_t place) noexcept {
  const StagePlan& plan = stage(match.stage);
  firing.inputs.resize(plan.inputs.size());
  firing.elements.clear();
  firing.element_inputs.clear();
  for (std::uint32_t p = 0; p < plan.inputs.size(); ++p) {
    const InputPortPlan& port = plan.inputs[p];
    if (port.gather == 0) continue;
    const std::size_t first = firing.elements.size(), count = matches_.tokens(place)[p].header.payload_bytes;
    firing.elements.resize(first + count, Token{});
    bool whole = true;
    matches_.each_element(place, p, [&](const Token& token) {
      const std::uint64_t index = (token.header.tag >> port.index_shift) & ((std::uint64_t{1} << port.index_bits) - 1);
      whole = whole && index < count && !firing.elements[first + index].present();
      if (whole) firing.elements[first + index] = token;
    });
    if (!whole) return false;
    for (std::size_t e = first; e < firing.elements.size(); ++e) {
      Token& token = firing.elements[e];
      firing.inline_payloads.keep(plan.inputs.size() + e, token);
      firing.element_inputs.push_back({payload_of(token), &token.header, 0, token.is_absent(), {}});
    }
    firing.inputs[p] = {{}, nullptr, 0, false, std::span(firing.element_inputs).subspan(first)};
  }
  return true;
}

void Controller::fill_outputs(ActiveFiring& firing, const MatchKey& match) noexcept {
  const StagePlan& plan = stage(match.stage);
  firing.outputs.resize(plan.outputs.size());
  firing.element_outputs.clear();
  firing.routes.clear();
  std::size_t next = 0;  // claim
  for (std::uint32_t p = 0; p < plan.outputs.size(); ++p) {
    if (const std::uint32_t many = plan.outputs[p].many; many != 0) {
      const std::size_t first = firing.element_outputs.size();
      for (std::uint32_t e = 0; e < many; ++e)
        firing.element_outputs.push_back({firing.claims[next++].block, 0, false, 0, {}, 0});
      firing.outputs[p] = {{}, 0, false, 0, std::span(firing.element_outputs).subspan(first), 0};
      continue;
    }
    PortClaim& claim = firing.claims[next++];
    if (const std::int32_t input = layout_.passed_input[match.stage][p]; input >= 0) {
      const ActivationPacket& token = firing.tokens[static_cast<std::size_t>(input)].header;
      claim = {table_.region(token.region).block(token), token.offset, token.region};
    }
    firing.outputs[p] = {claim.block, 0, false, 0, {}, 0};
    if (!device_forwards_) continue;
    for (const std::uint32_t e : layout_.out_edges[match.stage][p])
      firing.routes.push_back({e, claim.region, claim.offset, {}});
  }
}

bool Controller::takes_little_time(std::uint32_t stage) const noexcept {
  return stats_.stages[stage].busy_ns < stats_.stages[stage].firings * kShortKernel_ns;
}

// A timed firing of a short kernel stands for those after it.
void Controller::decide_timing(ActiveFiring& firing) noexcept {
  constexpr std::uint32_t kFirst = 64, kSeldom = 64;
  const StageStats& stats = stats_.stages[firing.stage];
  const StageBook& book = books_[firing.stage];
  const bool often = setup_.trace_limit > 0 || stats.firings < kFirst || !takes_little_time(firing.stage);
  firing.timed = book.started >= book.timed_until;
  firing.stands_for = often ? 1 : kSeldom;
}

// The tokens are all there, so they go on, payloads by reference: a caller's arguments to the stage that it calls
// (rpc-hub), or an output's token to further readers (docs/adr/0022-fan-out-trees.md). Of what the relay waits for
// without passing it on, a count of nothing, the packet ends here (docs/adr/0033-signals-make-calls-return.md).
Controller::Start Controller::relay(const MatchKey& match, std::span<const Token> tokens,
                                    std::uint32_t place) noexcept {
  const StagePlan& plan = stage(match.stage);
  const FiringKey key{match.instance, match.tag};
  // A held argument is sent with the first call that needs it; kPassedOn marks it as gone.
  const auto to_send = [&](std::uint32_t p) {
    return !plan.inputs[p].hold || matches_.held(match.stage, p, match.instance, match.tag)->header.region != kPassedOn;
  };
  const auto elements = [&](std::uint32_t p) {
    return plan.inputs[p].gather == 0 ? 1U : static_cast<std::uint32_t>(tokens[p].header.payload_bytes);
  };
  for (std::uint32_t p = 0; p < plan.inputs.size(); ++p) {
    if (!to_send(p) || outputs_->claim_relay(match.stage, p, elements(p), key, oldest_)) continue;
    for (std::uint32_t q = 0; q < p; ++q) {
      if (to_send(q)) outputs_->abort_relay(match.stage, q, elements(q), key);
    }
    return Start::kNotYet;
  }
  for (std::uint32_t p = 0; p < plan.inputs.size(); ++p) {
    if (to_send(p)) pass_on(match, p, tokens, place);
  }
  return Start::kStarted;
}

// The blocks come back by way of this stage.
void Controller::pass_on(const MatchKey& match, std::uint32_t port, std::span<const Token> tokens,
                         std::uint32_t place) noexcept {
  const InputPortPlan& plan = stage(match.stage).inputs[port];
  if (plan.hold) {
    Token& token = *matches_.held(match.stage, port, match.instance, match.tag);
    outputs_->commit_relay(match.stage, port, token.header, payload_of(token));
    token.header.region = kPassedOn;
  } else if (plan.gather != 0) {
    matches_.each_element(place, port, [&](const Token& token) {
      outputs_->commit_relay(match.stage, port, token.header, payload_of(token));
    });
    ActivationPacket header = tokens[port].header;
    outputs_->commit_count(match.stage, port, static_cast<std::uint32_t>(header.payload_bytes), header.tag, header);
    release(tokens[port]);  // what is sent on is another count
  } else {
    outputs_->commit_relay(match.stage, port, tokens[port].header, payload_of(tokens[port]));
    ActivationPacket header = tokens[port].header;
    outputs_->commit_count(match.stage, port, 0, header.tag, header);  // to relays that wait for it
  }
}

}  // namespace woa
