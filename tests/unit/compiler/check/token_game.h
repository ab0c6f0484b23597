// Plays a plan as a token game of one instance: random schedules, random choices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/plan/plan.h"
#include "tests/support/random_program.h"
#include "tests/unit/compiler/wiring.h"

namespace woa::test {

using Random = std::mt19937;

inline std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

// The stages of a random graph that a game can play: it knows no replicas.
inline std::string any_body(Random& random, bool rewired = false) {
  RandomProgram program(random, 2 + below(random, 6), false, false);
  if (rewired) program.rewire();
  return program.body();
}

class Game {
 public:
  static constexpr const char* kStuck = "stuck before the sink fired";

  // With `capacity`, blocks by edge, a firing waits until it can claim all that it needs; without, the game reports an
  // edge that holds more than its min_blocks.
  Game(const Plan& plan, Random& random, std::vector<std::uint32_t> capacity = {})
      : plan_(plan),
        wiring_(plan),
        random_(random),
        capacity_(std::move(capacity)),
        in_use_(plan.edges.size()),
        slow_(plan.stages.size()) {
    for (char& slow : slow_) slow = below(random, 3) == 0;
  }

  // The problem, or nothing. A loop that needs more turns than its max ends the game early.
  std::string play() {
    if (!may_claim(kSourceStage, 0)) return kStuck;
    start(kSourceStage, 0, {});
    while (problem_.empty() && !over_) {
      const std::vector<Ready> ready = find_ready();
      if (ready.empty() && running_.empty()) return problem_.empty() ? kStuck : problem_;
      step(ready);
    }
    return problem_;
  }

 private:
  struct Ready {
    std::uint32_t stage;
    std::uint64_t tag;
  };
  struct Running {
    std::uint32_t stage;
    std::uint64_t tag;
    std::vector<std::uint32_t> consumed;  // edges whose blocks it frees at its end
  };
  using PortTag = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // stage, port, tag

  void occupy(std::uint32_t e) {
    if (++in_use_[e] > plan_.edges[e].min_blocks && problem_.empty() && capacity_.empty()) {
      const EdgePlan& edge = plan_.edges[e];
      problem_ = "edge from " + plan_.stages[edge.from_stage].name + " to " + plan_.stages[edge.to_stage].name +
                 " holds more than b(e) = " + std::to_string(edge.min_blocks);
    }
  }

  void start(std::uint32_t stage, std::uint64_t tag, std::vector<std::uint32_t> consumed) {
    for (std::size_t p = 0; p < plan_.stages[stage].outputs.size(); ++p) {
      for (const std::uint32_t e : wiring_.out(stage, p)) {
        for (std::uint32_t k = 0; k < wiring_.most_over(e, tag); ++k) occupy(e);
      }
      for (const std::uint32_t e : wiring_.counts_out(stage, p)) occupy(e);
    }
    running_.push_back({stage, tag, std::move(consumed)});
  }

  std::vector<Ready> find_ready() const {
    std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
    std::vector<Ready> ready;
    for (const auto& [at, edge] : tokens_) {
      const auto [stage, port, sent] = at;
      const std::uint64_t tag = sent & ~wiring_.index_of(stage, port);
      if (!plan_.stages[stage].inputs[port].hold && seen.insert({stage, tag}).second && can_fire(stage, tag))
        ready.push_back({stage, tag});
    }
    for (const auto& [at, count] : counts_) {  // of none, perhaps
      const auto [stage, port, tag] = at;
      if (seen.insert({stage, tag}).second && can_fire(stage, tag)) ready.push_back({stage, tag});
    }
    return ready;
  }

  std::vector<PortTag> gathered(std::uint32_t stage, std::uint32_t port, std::uint64_t tag) const {
    std::vector<PortTag> found;
    for (const auto& [at, edge] : tokens_) {
      const auto [s, p, sent] = at;
      if (s == stage && p == port && (sent & ~wiring_.index_of(s, p)) == tag) found.push_back(at);
    }
    return found;
  }

  // Blocks that the firing would consume still count as occupied.
  bool may_claim(std::uint32_t stage, std::uint64_t tag) const {
    if (capacity_.empty()) return true;
    for (std::size_t p = 0; p < plan_.stages[stage].outputs.size(); ++p) {
      for (const std::uint32_t e : wiring_.out(stage, p))
        if (in_use_[e] + wiring_.most_over(e, tag) > capacity_[e]) return false;
      for (const std::uint32_t e : wiring_.counts_out(stage, p))
        if (in_use_[e] + 1 > capacity_[e]) return false;
    }
    return true;
  }

  bool can_fire(std::uint32_t stage, std::uint64_t tag) const {
    if (!may_claim(stage, tag)) return false;
    const auto& inputs = plan_.stages[stage].inputs;
    for (std::uint32_t p = 0; p < inputs.size(); ++p) {
      if (inputs[p].gather != 0) {
        const auto count = counts_.find({stage, p, tag});
        if (count == counts_.end() || gathered(stage, p, tag).size() != count->second.first) return false;
        continue;
      }
      const std::uint64_t wanted = inputs[p].hold ? tag & inputs[p].hold_mask : tag;
      if (!tokens_.contains({stage, p, wanted})) return false;
    }
    return true;
  }

  // Starts or ends one firing; those of slow stages end late.
  void step(const std::vector<Ready>& ready) {
    std::vector<std::size_t> quick;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      if (!slow_[running_[i].stage]) quick.push_back(i);
    }
    const bool late = below(random_, 50) == 0;
    const std::size_t ends = quick.empty() && (ready.empty() || late) ? running_.size() : quick.size();
    const std::size_t pick = below(random_, ready.size() + ends);
    if (pick < ready.size()) {
      fire(ready[pick]);
    } else {
      end(quick.empty() ? pick - ready.size() : quick[pick - ready.size()]);
    }
  }

  void fire(const Ready& at) {
    if (at.stage == kSinkStage) return finish(at);
    std::vector<std::uint32_t> consumed;
    const auto& inputs = plan_.stages[at.stage].inputs;
    for (std::uint32_t p = 0; p < inputs.size(); ++p) {
      if (inputs[p].hold) continue;
      if (inputs[p].gather != 0) {
        for (const PortTag& element : gathered(at.stage, p, at.tag)) {
          consumed.push_back(tokens_.at(element));
          tokens_.erase(element);
        }
        consumed.push_back(counts_.at({at.stage, p, at.tag}).second);
        counts_.erase({at.stage, p, at.tag});
        continue;
      }
      const auto token = tokens_.find({at.stage, p, at.tag});
      consumed.push_back(token->second);
      tokens_.erase(token);
    }
    start(at.stage, at.tag, std::move(consumed));
  }

  void finish(const Ready& at) {
    over_ = true;
    if (at.tag != 0) problem_ = "the sink fires with a tag";
    if (!running_.empty()) problem_ = "the sink fires while " + plan_.stages[running_[0].stage].name + " runs";
    for (const auto& [place, edge] : tokens_) {
      const auto [stage, port, tag] = place;
      if (stage != kSinkStage && !plan_.stages[stage].inputs[port].hold)
        problem_ = "a token is left at " + plan_.stages[stage].name;
    }
  }

  // Chooses one port of every group, preferably one that needs no turn too many. Nothing if there is none.
  std::optional<std::vector<bool>> choose(const Running& firing) {
    const auto& outputs = plan_.stages[firing.stage].outputs;
    std::vector<bool> written(outputs.size());
    std::map<std::int32_t, std::vector<std::size_t>> groups;
    for (std::size_t p = 0; p < outputs.size(); ++p) {
      const bool too_many = wiring_.exceeds(firing.stage, p, firing.tag);
      if (outputs[p].one_of < 0) {
        if (too_many) return std::nullopt;
        written[p] = true;
      } else if (auto& group = groups[outputs[p].one_of]; !too_many) {
        group.push_back(p);
      }
    }
    for (const auto& [group, ports] : groups) {
      if (ports.empty()) return std::nullopt;
      written[ports[below(random_, ports.size())]] = true;
    }
    return written;
  }

  void end(std::size_t index) {
    const Running firing = running_[index];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto written = choose(firing);
    if (!written) {  // in a real run: loop_limit
      over_ = true;
      return;
    }
    for (const std::uint32_t e : firing.consumed) --in_use_[e];
    for (std::size_t p = 0; p < written->size(); ++p) {
      const OutputPortPlan& port = plan_.stages[firing.stage].outputs[p];
      const auto sent = static_cast<std::uint32_t>(port.many == 0 ? 1 : below(random_, port.many + 1));
      for (const std::uint32_t e : wiring_.out(firing.stage, p)) {
        for (std::uint32_t k = 0; k < wiring_.most(firing.stage, p); ++k)
          if (wiring_.takes(e, firing.tag, k))
            (*written)[p] && k < sent ? send(e, firing.tag, std::uint64_t{k} << port.index_shift) : void(--in_use_[e]);
      }
      for (const std::uint32_t e : wiring_.counts_out(firing.stage, p)) {
        const EdgePlan& edge = plan_.edges[e];
        if (!counts_.try_emplace({edge.to_stage, edge.to_port, firing.tag & edge.keep}, sent, e).second)
          problem_ = "a second count for " + plan_.stages[edge.to_stage].name;
      }
    }
  }

  void send(std::uint32_t e, std::uint64_t tag, std::uint64_t index) {
    const EdgePlan& edge = plan_.edges[e];
    const PortTag at{edge.to_stage, edge.to_port, (tag & edge.keep) + edge.step + index};
    if (!tokens_.emplace(at, e).second) problem_ = "a second token for " + plan_.stages[edge.to_stage].name;
    if (plan_.stages[edge.to_stage].inputs[edge.to_port].renewed) free_earlier(at);
  }

  // A token that is freed too soon leaves a firing without it, and the game does not end.
  void free_earlier(const PortTag& at) {
    const auto [stage, port, tag] = at;
    for (auto held = tokens_.lower_bound({stage, port, 0}); held != tokens_.end() && held->first < at;) {
      --in_use_[held->second];
      held = tokens_.erase(held);
    }
  }

  const Plan& plan_;
  const Wiring wiring_;
  Random& random_;
  std::vector<std::uint32_t> capacity_;
  std::vector<std::uint32_t> in_use_;                                  // blocks by edge
  std::map<PortTag, std::uint32_t> tokens_;                            // edges that they came by
  std::map<PortTag, std::pair<std::uint32_t, std::uint32_t>> counts_;  // how many elements; edge
  std::vector<Running> running_;
  std::string problem_;
  bool over_ = false;
  std::vector<char> slow_;
};

}  // namespace woa::test
