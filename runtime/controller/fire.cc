// From a complete match to committed outputs: order, claims, start, completion.
#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/controller/active_firing.h"
#include "runtime/controller/controller.h"

namespace woa {

void Controller::make_ready(std::uint32_t match) noexcept {
  const auto older = [&](std::uint32_t a, std::uint32_t b) {
    const Match &x = matches_[a], &y = matches_[b];
    return x.instance != y.instance ? x.instance < y.instance : x.tag < y.tag;
  };
  ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), match, older), match);
  retry_ready_ = true;
}

std::size_t Controller::start_ready() noexcept {
  if (!retry_ready_) return 0;
  retry_ready_ = false;
  std::size_t started = 0;
  for (std::size_t i = 0; i < ready_.size() && fatal_.ok();) {
    const std::uint32_t match = ready_[i];
    const Start outcome = try_start(match);
    if (outcome == Start::kBusy) break;  // for younger ones, too, until a firing completes
    if (outcome == Start::kNotYet) {
      ++i;
      continue;
    }
    ++started;
    // One that is gone was taken out with its instance; meanwhile its place may have been given to another.
    if (outcome == Start::kStarted) ready_.erase(std::find(ready_.begin(), ready_.end(), match));
    i = std::min(i, ready_.size());
  }
  return started;
}

Controller::Start Controller::try_start(std::uint32_t match) noexcept {
  const Match& entry = matches_[match];
  const std::uint32_t id = entry.stage;
  StageInstance* book = instance_at(id, entry.instance);
  if (book == nullptr) return Start::kNotYet;
  if (entry.deadline != 0 && now_ns() > entry.deadline) {
    kill_stage(id, entry.instance, Code::kDeadlineExceeded, id,
               "the instance's deadline passed before this stage fired");
    return Start::kGone;
  }
  if (stage(id).role == StageRole::kRelay) return relay(match);
  if (stage(id).stateful != Stateful::kNo && !in_order(entry, *book)) return book->dead ? Start::kGone : Start::kNotYet;
  if (device_forwards_) {
    if (Status status = check_loops(id, 0, entry.tag); !status.ok()) {
      kill_stage(id, entry.instance, status.code(), id, status.message());
      return Start::kGone;
    }
  }
  if (free_firings_.empty()) return Start::kBusy;
  ActiveFiring& firing = *free_firings_.back();
  firing.claims.resize(stage(id).outputs.size());
  if (!outputs_->claim(id, entry.instance, oldest_, firing.claims)) return Start::kNotYet;
  fill(firing, match, *book);
  if (!backend_.start(firing)) {
    for (std::uint32_t p = 0; p < firing.claims.size(); ++p) outputs_->abort(id, p, firing.claims[p], entry.instance);
    return Start::kBusy;
  }
  free_firings_.pop_back();
  StageBook& own = books_[id];
  if (firing.timed) own.timed_until = own.started + firing.stands_for;
  ++own.started;
  matches_[match].firing = true;
  matches_[match].ready = false;
  ++book->running;
  book->fired = true;
  book->last_tag = entry.tag;
  if (stage(id).stateful == Stateful::kRun) {
    own.run_state_busy = true;
    own.next_instance = entry.instance + 1;
  }
  return Start::kStarted;
}

// Rule 9: an instance's firings in tag order and one at a time; a run's firings in instance order.
bool Controller::in_order(const Match& match, StageInstance& entry) noexcept {
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

void Controller::fill(ActiveFiring& firing, std::uint32_t match, StageInstance& entry) noexcept {
  const Match& source = matches_[match];
  const StagePlan& plan = stage(source.stage);
  const auto bytes_of = [&](const ActivationPacket& header) {
    return setup_.wiring.regions[header.region].subspan(std::size_t{header.offset} * kOffsetUnitBytes,
                                                        header.payload_bytes);
  };
  firing.match = match;
  firing.stage = source.stage;
  firing.instance = source.instance;
  firing.tag = source.tag;
  firing.deadline = source.deadline;
  firing.code = Code::kOk;
  firing.message.clear();
  firing.cycles = 0;
  firing.poison = firing.lost = false;
  decide_timing(firing);
  firing.state = plan.stateful == Stateful::kNo ? nullptr : state_of(source.stage, entry);
  firing.inputs.clear();
  const std::span<Token> tokens = matches_.tokens(match);
  for (std::uint32_t p = 0; p < plan.inputs.size(); ++p) {
    const Token& token = plan.inputs[p].hold ? *matches_.held(source.stage, p, source.instance, source.tag) : tokens[p];
    firing.inputs.push_back({bytes_of(token.header), plan.inputs[p].hold ? nullptr : &token.header, 0});
  }
  firing.outputs.clear();
  firing.routes.clear();
  for (std::uint32_t p = 0; p < plan.outputs.size(); ++p) {
    const PortClaim& claim = firing.claims[p];
    firing.outputs.push_back({setup_.wiring.regions[claim.region].subspan(std::size_t{claim.offset} * kOffsetUnitBytes,
                                                                          layout_.regions[claim.region].block_bytes),
                              0, false, 0});
    if (!device_forwards_) continue;
    for (const std::uint32_t e : layout_.out_edges[source.stage][p])
      firing.routes.push_back({e, claim.region, claim.offset, {}});
  }
}

// A timed firing of a short kernel stands for those after it.
void Controller::decide_timing(ActiveFiring& firing) noexcept {
  constexpr std::uint32_t kFirst = 64, kSeldom = 64;
  const StageStats& stats = stats_.stages[firing.stage];
  const StageBook& book = books_[firing.stage];
  const bool often = setup_.trace || stats.firings < kFirst || stats.busy_ns >= stats.firings * kShortKernel_ns;
  firing.timed = book.started >= book.timed_until;
  firing.stands_for = often ? 1 : kSeldom;
}

// A caller's stage in the host (rpc-hub): the arguments are all there, so they go to the stage, payloads by reference.
Controller::Start Controller::relay(std::uint32_t match) noexcept {
  const Match& entry = matches_[match];
  const StagePlan& plan = stage(entry.stage);
  const auto token_of = [&](std::uint32_t p) {
    return plan.inputs[p].hold ? matches_.held(entry.stage, p, entry.instance, entry.tag) : &matches_.tokens(match)[p];
  };
  const auto edge_of = [&](std::uint32_t p) { return layout_.out_edges[entry.stage][p].front(); };
  // A held argument is sent with the first call that needs it; kPassedOn marks it as gone.
  const auto to_send = [&](std::uint32_t p) { return !plan.inputs[p].hold || token_of(p)->header.region != kPassedOn; };
  for (std::uint32_t p = 0; p < plan.inputs.size(); ++p) {
    if (!to_send(p) || outputs_->claim_relay(edge_of(p), entry.instance, oldest_)) continue;
    for (std::uint32_t q = 0; q < p; ++q) {
      if (to_send(q)) outputs_->abort_relay(edge_of(q), entry.instance);
    }
    return Start::kNotYet;
  }
  for (std::uint32_t p = 0; p < plan.inputs.size(); ++p) {
    if (!to_send(p)) continue;
    Token& token = *token_of(p);
    outputs_->commit_relay(edge_of(p), token.header);
    if (plan.inputs[p].hold) {
      token.header.region = kPassedOn;
    } else {
      token.edge = kNone;  // its block comes back by way of the stage
    }
  }
  matches_.erase(match);
  return Start::kStarted;
}

// Poison of a retired instance need not be sent: whatever it would free has been freed.
std::size_t Controller::send_poisons() noexcept {
  std::size_t done = 0;
  for (std::size_t k = 0; k < poisons_.size();) {
    Poison& poison = poisons_[k];
    const bool over = poison.header.instance < oldest_;
    if (!over && !send_poison(poison)) {
      ++k;
      continue;
    }
    poisons_.erase(poisons_.begin() + static_cast<std::ptrdiff_t>(k));
    ++done;
  }
  return done;
}

// False: try again later.
bool Controller::send_poison(Poison& poison) noexcept {
  if (poison.edge == kNone) return start_device_poison(poison);
  return outputs_->poison(poison.edge, poison.header, poison.message) != Push::kBackPressured;
}

// The device numbers what it sends, so every place must be there before it starts.
bool Controller::start_device_poison(Poison& poison) noexcept {
  if (free_firings_.empty()) return false;
  ActiveFiring& firing = *free_firings_.back();
  firing.match = kNone;
  firing.stage = poison.stage;
  firing.instance = poison.header.instance;
  firing.poison = true;
  firing.lost = false;
  firing.poison_header = poison.header;
  firing.message = poison.message;
  firing.code = Code::kOk;
  firing.inputs.clear();
  firing.outputs.clear();
  firing.claims.clear();
  firing.routes.clear();
  bool ok = true;
  for (const auto& port : layout_.out_edges[poison.stage]) {
    for (const std::uint32_t e : port) {
      ok = ok && outputs_->reserve_poison(e) == Push::kOk;
      if (ok) firing.routes.push_back({e, 0, 0, {}});
    }
  }
  if (!ok || !backend_.start(firing)) {
    for (const FiringRoute& route : firing.routes) outputs_->cancel_poison(route.edge);
    return false;
  }
  free_firings_.pop_back();
  return true;
}

}  // namespace woa
