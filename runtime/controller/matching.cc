#include "runtime/controller/matching.h"

#include <algorithm>

namespace woa {

Matching::Matching(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs,
                   BlockReturns& returns)
    : programs_(programs),
      returns_(returns),
      window_(plan.window),
      table_(plan, layout, controller, programs),
      held_(plan, layout, controller, programs),
      ready_(table_.size(), plan.stages.size()) {
  for (const StageProgram& stage : programs.all()) {
    if (std::any_of(stage.inputs.begin(), stage.inputs.end(), [](const InPort& port) { return port.hold; }))
      holders_.push_back(stage.id);
  }
}

Matching::Added Matching::add(const StageProgram& stage, const InPort& port, const Token& token,
                              std::uint32_t& match) noexcept {
  if (port.hold) {
    const HeldTokens::Added added = held_.add(port, token);
    if (added == HeldTokens::Added::kDuplicate) return Added::kDuplicate;
    if (added == HeldTokens::Added::kFull) return Added::kFull;
    if (port.plan->renewed) renew(stage, token.header.instance);
    ready_by_held(stage, token.header.instance);
    return Added::kWaits;
  }
  switch (table_.add(stage, port, token, match)) {
    case MatchTable::Added::kDuplicate: return Added::kDuplicate;
    case MatchTable::Added::kFull: return Added::kFull;
    case MatchTable::Added::kWaiting: return Added::kWaits;
    case MatchTable::Added::kWhole: break;
  }
  return complete(stage, match) ? Added::kReady : Added::kWaits;
}

// True if the match, which has its tokens, may fire as far as other tokens go.
bool Matching::complete(const StageProgram& stage, std::uint32_t m) noexcept {
  Match& match = table_[m];
  if (match.missing != 0 || !has_held(stage, match.instance, match.tag)) return false;
  match.complete = true;
  return stage.number == 0 || !waits_for_element(match);
}

bool Matching::has_each_held(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) noexcept {
  return std::all_of(stage.inputs.begin(), stage.inputs.end(),
                     [&](const InPort& port) { return !port.hold || held_.find(port, instance, tag) != nullptr; });
}

// A held token may be the last that some matches of its instance waited for.
void Matching::ready_by_held(const StageProgram& stage, std::uint64_t instance) noexcept {
  table_.for_each([&](std::uint32_t m) {
    const Match& match = table_[m];
    if (match.complete || match.stage != stage.id || match.instance != instance) return;
    if (complete(stage, m)) make_ready(m);
  });
}

// Rule 9 in a scatter: a match for an element stays out of `ready_` until the firing for the one before has ended,
// which then comes for it. What begins a scatter need not wait: in the turns before all is done (the compiler saw to
// it).
bool Matching::waits_for_element(const MatchKey& match) noexcept {
  StageProgram& stage = programs_[match.stage];
  if ((match.tag & stage.number) == 0) return false;
  const StageInstance& entry = stage.instances.at(match.instance);
  if (!entry.fired) return true;
  if (match.tag <= entry.last_tag) return false;  // its order is refused when it fires
  return entry.running > 0 || match.tag != entry.last_tag + (stage.number & -stage.number);
}

void Matching::make_next_ready(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) noexcept {
  const std::uint64_t next = tag + (stage.number & -stage.number);
  if ((next & stage.number) == 0) return;
  const std::uint32_t match = table_.find(stage.id, instance, next);
  if (match != kNone && table_[match].complete && !waits_for_element(table_[match])) make_ready(match);
}

void Matching::drop(const StageProgram& stage, const StageInstance& entry) noexcept {
  table_.for_each([&](std::uint32_t m) {
    const Match& match = table_[m];
    if (match.stage == stage.id && match.instance == entry.instance) drop_match(m);
  });
  if (entry.running == 0) release_held(stage, entry.instance);
  look_again_ = true;  // a stage that fires in instance order may wait for this instance
}

void Matching::drop_match(std::uint32_t match) noexcept {
  for (const Token& token : table_.tokens(match)) {
    if (token.present()) returns_.drop(token);
  }
  for (std::uint32_t p = 0; p < programs_[table_[match].stage].inputs.size(); ++p)
    table_.each_element(match, p, [&](const Token& token) { returns_.drop(token); });
  erase(match);
}

void Matching::release_held(const StageProgram& stage, std::uint64_t instance) noexcept {
  for (const InPort& port : stage.inputs) {
    if (port.hold) held_.drop(port, instance, [&](const Token& token) { returns_.release(token); });
  }
}

void Matching::renew(const StageProgram& stage, std::uint64_t instance) noexcept {
  if (programs_[stage.id].instances.at(instance).running != 0) return;
  for (const InPort& port : stage.inputs) {
    if (port.hold && port.plan->renewed)
      held_.drop_earlier(port, instance, [&](const Token& token) { returns_.release(token); });
  }
}

void Matching::retire(std::uint64_t from, std::uint64_t oldest) noexcept {
  if (!table_.empty()) {
    table_.for_each([&](std::uint32_t m) {
      if (table_[m].instance < oldest) drop_match(m);
    });
  }
  for (const std::uint32_t s : holders_) {
    StageProgram& stage = programs_[s];
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(oldest - from, window_); ++k) {
      const StageInstance& entry = stage.instances.at(oldest - 1 - k);
      if (entry.instance < oldest && entry.running == 0) release_held(stage, entry.instance);
    }
  }
  look_again_ = true;  // another instance is the oldest now, and has more credits
}

}  // namespace woa
