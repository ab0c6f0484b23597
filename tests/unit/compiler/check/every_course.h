// Goes through every course of a plan: every order of events, every choice, every number of elements, with several
// instances in flight. For small plans; the random games of token_game.h take samples of the same.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/plan/plan.h"
#include "tests/unit/compiler/wiring.h"

namespace woa::test {

// Blocks of each edge, and those reserved for the oldest instance.
struct Credits {
  std::vector<std::uint32_t> blocks;  // by edge; empty: no limit
  std::vector<std::uint32_t> oldest;  // by edge: reserved for the oldest instance; may be empty
};

class EveryCourse {
 public:
  EveryCourse(const Plan& plan, std::uint32_t instances, Credits credits)
      : plan_(plan), wiring_(plan), instances_(instances), credits_(std::move(credits)), most_(plan.edges.size()) {}

  // True if all courses end with nothing left, or with a loop's turn too many. Throws if a course breaks a rule, or if
  // there are more than kMostStates.
  bool all_end() {
    add({});
    while (!open_.empty()) {
      const State& state = *open_.back();  // stays where it is
      open_.pop_back();
      if (!follow(state)) return false;
    }
    return true;
  }

  // By edge: the most blocks that were occupied at once.
  [[nodiscard]] const std::vector<std::uint32_t>& occupied() const { return most_; }

  static constexpr std::size_t kMostStates = 400'000;

 private:
  struct Token {
    std::uint32_t instance = 0, stage = 0, port = 0, edge = 0;
    std::uint64_t tag = 0;
    std::uint32_t elements = 0;  // of a count
    auto operator<=>(const Token&) const = default;
  };
  struct Running {
    std::uint32_t instance = 0, stage = 0;
    std::uint64_t tag = 0;
    std::vector<std::uint32_t> consumed = {};  // edges whose blocks it frees at its end
    auto operator<=>(const Running&) const = default;
  };
  struct State {
    std::set<Token> tokens;
    std::set<Running> running;
    std::uint32_t admitted = 0;
    std::set<std::uint32_t> done;
    auto operator<=>(const State&) const = default;

    std::uint32_t oldest() const {
      std::uint32_t i = 0;
      while (done.contains(i)) ++i;
      return i;
    }
  };
  struct Occupied {
    std::vector<std::uint32_t> all, young;  // by edge; young: of all instances but the oldest
  };

  void add(State state) {
    const std::uint32_t oldest = state.oldest();
    std::erase_if(state.tokens, [&](const Token& token) { return token.instance < oldest; });  // held, and retired
    const auto [at, added] = seen_.insert(std::move(state));
    if (seen_.size() > kMostStates) throw std::length_error("too many states");
    if (added) open_.push_back(&*at);
  }

  // False: nothing can go on, but not all instances have ended.
  bool follow(const State& state) {
    const Occupied occupied = count(state);
    for (std::size_t e = 0; e < most_.size(); ++e) most_[e] = std::max(most_[e], occupied.all[e]);
    bool goes_on = !state.running.empty();
    if (state.admitted < instances_ && can_claim(state, occupied, state.admitted, kSourceStage)) {
      goes_on = true;
      State next = state;
      next.running.insert({next.admitted++, kSourceStage, 0});
      add(std::move(next));
    }
    for (const auto& [instance, stage, tag] : candidates(state)) {
      const auto tokens = inputs(state, instance, stage, tag);
      if (!tokens || !can_claim(state, occupied, instance, stage)) continue;
      goes_on = true;
      fire(state, instance, stage, tag, *tokens);
    }
    for (const Running& firing : state.running) end(state, firing);
    return goes_on || state.done.size() == instances_;
  }

  // A block is occupied from the claim to the end of the firing that consumes it.
  Occupied count(const State& state) const {
    const std::uint32_t oldest = state.oldest();
    Occupied occupied{std::vector<std::uint32_t>(plan_.edges.size()), std::vector<std::uint32_t>(plan_.edges.size())};
    const auto occupy = [&](std::uint32_t instance, std::uint32_t edge, std::uint32_t blocks) {
      occupied.all[edge] += blocks;
      if (instance != oldest) occupied.young[edge] += blocks;
    };
    for (const Token& token : state.tokens) occupy(token.instance, token.edge, 1);
    for (const Running& firing : state.running) {
      for (const std::uint32_t e : firing.consumed) occupy(firing.instance, e, 1);
      for (const auto& [edge, blocks] : claims(firing.stage)) occupy(firing.instance, edge, blocks);
    }
    return occupied;
  }

  std::map<std::uint32_t, std::uint32_t> claims(std::uint32_t stage) const {
    std::map<std::uint32_t, std::uint32_t> blocks;
    for (std::size_t p = 0; p < plan_.stages[stage].outputs.size(); ++p) {
      for (const std::uint32_t e : wiring_.out(stage, p)) blocks[e] = wiring_.most(stage, p);
      for (const std::uint32_t e : wiring_.counts_out(stage, p)) blocks[e] = 1;
    }
    return blocks;
  }

  bool can_claim(const State& state, const Occupied& occupied, std::uint32_t instance, std::uint32_t stage) const {
    if (credits_.blocks.empty()) return true;
    const bool young = instance != state.oldest() && !credits_.oldest.empty();
    for (const auto& [e, blocks] : claims(stage)) {
      if (occupied.all[e] + blocks > credits_.blocks[e]) return false;
      if (young && occupied.young[e] + blocks + credits_.oldest[e] > credits_.blocks[e]) return false;
    }
    return true;
  }

  using Candidate = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // instance, stage, tag

  std::set<Candidate> candidates(const State& state) const {
    std::set<Candidate> all;
    for (const Token& token : state.tokens) {
      if (plan_.stages[token.stage].inputs[token.port].hold) continue;
      const bool count = plan_.edges[token.edge].count;
      all.emplace(token.instance, token.stage,
                  count ? token.tag : token.tag & ~wiring_.index_of(token.stage, token.port));
    }
    return all;
  }

  // The tokens that the firing consumes, if all are there.
  std::optional<std::vector<Token>> inputs(const State& state, std::uint32_t instance, std::uint32_t stage,
                                           std::uint64_t tag) const {
    std::vector<Token> consumed;
    const auto& ports = plan_.stages[stage].inputs;
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
      const std::uint64_t wanted = ports[p].hold ? tag & ports[p].hold_mask : tag;
      std::vector<Token> found;
      std::optional<std::uint32_t> elements;
      for (const Token& token : state.tokens) {
        if (token.instance != instance || token.stage != stage || token.port != p) continue;
        const bool is_count = plan_.edges[token.edge].count;
        if ((is_count ? token.tag : token.tag & ~wiring_.index_of(stage, p)) != wanted) continue;
        found.push_back(token);
        if (is_count) elements = token.elements;
      }
      if (ports[p].gather != 0 && (!elements || found.size() != *elements + 1U)) return std::nullopt;
      if (ports[p].gather == 0 && found.empty()) return std::nullopt;
      if (ports[p].gather == 0 && found.size() > 1) throw std::logic_error("two tokens for one port and tag");
      if (!ports[p].hold) consumed.insert(consumed.end(), found.begin(), found.end());
    }
    return consumed;
  }

  void fire(const State& state, std::uint32_t instance, std::uint32_t stage, std::uint64_t tag,
            const std::vector<Token>& tokens) {
    State next = state;
    Running firing{instance, stage, tag};
    for (const Token& token : tokens) {
      next.tokens.erase(token);
      firing.consumed.push_back(token.edge);
    }
    if (stage == kSinkStage) {
      complete(next, instance);
    } else if (!next.running.insert(std::move(firing)).second) {
      throw std::logic_error("two firings of one tag");
    }
    add(std::move(next));
  }

  void complete(State& state, std::uint32_t instance) const {
    for (const Token& token : state.tokens)
      if (token.instance == instance && !plan_.stages[token.stage].inputs[token.port].hold)
        throw std::logic_error("a token is left");
    for (const Running& firing : state.running)
      if (firing.instance == instance) throw std::logic_error("a stage runs after the sink has fired");
    state.done.insert(instance);
  }

  // Ends the firing in every way: one port of each group, every number of elements.
  void end(const State& state, const Running& firing) {
    State next = state;
    next.running.erase(firing);
    const auto& ports = plan_.stages[firing.stage].outputs;
    std::map<std::int32_t, std::vector<std::size_t>> groups;  // one port of each is written
    for (std::size_t p = 0; p < ports.size(); ++p) {
      auto& group = groups[ports[p].one_of >= 0 ? ports[p].one_of : -1 - static_cast<std::int32_t>(p)];
      if (!wiring_.exceeds(firing.stage, p, firing.tag)) group.push_back(p);
    }
    std::vector<State> ends{next};
    for (const auto& [group, written] : groups) {
      std::vector<State> more;
      for (const State& before : ends)
        for (const std::size_t p : written) send(before, firing, p, more);
      ends = std::move(more);
    }
    if (ends.empty()) fail(next, firing.instance);
    for (State& after : ends) add(std::move(after));
  }

  // A loop's turn too many: poison ends the instance.
  void fail(State state, std::uint32_t instance) {
    std::erase_if(state.tokens, [&](const Token& token) { return token.instance == instance; });
    std::erase_if(state.running, [&](const Running& firing) { return firing.instance == instance; });
    state.done.insert(instance);
    add(std::move(state));
  }

  void send(const State& state, const Running& firing, std::size_t port, std::vector<State>& ends) const {
    const OutputPortPlan& output = plan_.stages[firing.stage].outputs[port];
    for (std::uint32_t sent = output.many == 0 ? 1 : 0; sent <= wiring_.most(firing.stage, port); ++sent) {
      State next = state;
      for (const std::uint32_t e : wiring_.out(firing.stage, port))
        for (std::uint32_t k = 0; k < sent; ++k) put(next, firing, e, std::uint64_t{k} << output.index_shift, 0);
      for (const std::uint32_t e : wiring_.counts_out(firing.stage, port)) put(next, firing, e, 0, sent);
      ends.push_back(std::move(next));
    }
  }

  void put(State& state, const Running& firing, std::uint32_t e, std::uint64_t index, std::uint32_t elements) const {
    const EdgePlan& edge = plan_.edges[e];
    const std::uint64_t tag = (firing.tag & edge.keep) + edge.step + index;
    if (!state.tokens.insert({firing.instance, edge.to_stage, edge.to_port, e, tag, elements}).second)
      throw std::logic_error("a second token of one tag");
    if (!plan_.stages[edge.to_stage].inputs[edge.to_port].renewed) return;
    std::erase_if(state.tokens, [&](const Token& token) {
      return token.instance == firing.instance && token.stage == edge.to_stage && token.port == edge.to_port &&
             token.tag < tag;
    });
  }

  const Plan& plan_;
  const Wiring wiring_;
  const std::uint32_t instances_;
  const Credits credits_;
  std::set<State> seen_;
  std::vector<const State*> open_;
  std::vector<std::uint32_t> most_;
};

}  // namespace woa::test
