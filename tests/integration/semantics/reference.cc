#include "tests/integration/semantics/reference.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tests/support/random_program.h"

namespace woa::test {
namespace {

// Counters of loops, then the element numbers of the scatters around, innermost last.
struct Tag {
  std::map<int, int> turns;
  std::vector<int> elements;
  friend auto operator<=>(const Tag&, const Tag&) = default;
};

struct Token {
  std::string value;
  std::set<std::size_t> past;  // the firings that it comes from
  bool absent = false;
};

// Bodies of loops. The stages of a cycle all reach each other; they belong to the loop that has an edge at every port
// by which the cycle is entered. Without that loop's edges the inner cycles are left.
class Bodies {
 public:
  explicit Bodies(const SmallGraph& graph) : graph_(graph), loops_(graph.stages.size() + 1) {
    std::set<int> all;
    for (int s = 0; s < graph.sink(); ++s) all.insert(s);
    split(all, {});
    for (const SmallEdge& e : graph.edges)
      known_ = known_ && (e.loop < 0 || (around(e.from).contains(e.loop) && around(e.to).contains(e.loop)));
  }
  [[nodiscard]] bool known() const noexcept { return known_; }
  [[nodiscard]] const std::set<int>& around(int stage) const { return loops_[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] bool inside(int inner, int outer) const { return outer_.contains({inner, outer}); }

 private:
  void split(const std::set<int>& stages, const std::set<int>& taken) {
    for (const std::set<int>& cycle : cycles_of(stages, taken)) enter(cycle, taken);
  }

  // Cycles of `stages` without the edges of the loops in `taken`, which are around all of them.
  [[nodiscard]] std::set<std::set<int>> cycles_of(const std::set<int>& stages, const std::set<int>& taken) const {
    std::map<int, std::set<int>> reached;
    for (std::size_t round = 0; round < stages.size(); ++round) {
      for (const SmallEdge& e : graph_.edges) {
        if (!stages.contains(e.from) || !stages.contains(e.to) || taken.contains(e.loop)) continue;
        reached[e.from].insert(e.to);
        reached[e.from].insert(reached[e.to].begin(), reached[e.to].end());
      }
    }
    std::set<std::set<int>> cycles;
    for (const int s : stages) {
      std::set<int> cycle;
      for (const int t : reached[s])
        if (reached[t].contains(s)) cycle.insert(t);
      if (cycle.contains(s)) cycles.insert(cycle);
    }
    return cycles;
  }

  void enter(const std::set<int>& cycle, std::set<int> taken) {
    std::set<int> candidates;
    for (const SmallEdge& e : graph_.edges)
      if (e.loop >= 0 && !taken.contains(e.loop) && cycle.contains(e.from) && cycle.contains(e.to))
        candidates.insert(e.loop);
    for (const SmallEdge& entry : graph_.edges) {
      const bool from_above = entry.loop >= 0 && taken.contains(entry.loop);
      if (entry.hold || !cycle.contains(entry.to) || (cycle.contains(entry.from) && !from_above)) continue;
      std::erase_if(candidates, [&](int loop) {
        return std::none_of(graph_.edges.begin(), graph_.edges.end(), [&](const SmallEdge& e) {
          return e.loop == loop && e.to == entry.to && e.in == entry.in && cycle.contains(e.from);
        });
      });
    }
    const bool nested = candidates.size() > 1;
    std::erase_if(candidates, [&](int loop) {  // the outermost one breaks the cycle up
      std::set<int> without = taken;
      without.insert(loop);
      return nested && cycles_of(cycle, without).contains(cycle);
    });
    if (candidates.size() != 1) {
      known_ = false;
      return;
    }
    const int loop = *candidates.begin();
    for (const int s : cycle) loops_[static_cast<std::size_t>(s)].insert(loop);
    for (const int outer : taken) outer_.insert({loop, outer});
    taken.insert(loop);
    split(cycle, taken);
  }

  const SmallGraph& graph_;
  std::vector<std::set<int>> loops_;     // by stage
  std::set<std::pair<int, int>> outer_;  // inner, outer
  bool known_ = true;
};

class Interpreter {
 public:
  Interpreter(const SmallGraph& graph, const Bodies& bodies, const Choose& choose)
      : graph_(graph), bodies_(bodies), choose_(choose) {}

  Meaning run(const std::string& x) {
    if (!bodies_.known()) return {Course::kNoMeaning, {}};
    for (const SmallEdge& e : graph_.edges)
      if (e.from == kSource) send(e, {}, {x, {}, false});
    while (meaning_.course == Course::kRight && fire_one()) continue;
    if (meaning_.course == Course::kRight) check_end();
    return meaning_;
  }

 private:
  using Place = std::tuple<int, int, Tag>;  // stage, input, tag

  void fail(Course course) {
    if (meaning_.course == Course::kRight) meaning_.course = course;
  }
  [[nodiscard]] bool gathers(int s) const {
    return s < graph_.sink() && graph_.stages[static_cast<std::size_t>(s)].gathers;
  }
  [[nodiscard]] bool holds(int s, int in) const {
    return std::any_of(graph_.edges.begin(), graph_.edges.end(),
                       [&](const SmallEdge& e) { return e.to == s && e.in == in && e.hold; });
  }
  [[nodiscard]] int inputs_of(int s) const {
    return s == graph_.sink() ? graph_.outputs : graph_.stages[static_cast<std::size_t>(s)].inputs;
  }

  void send(const SmallEdge& e, const Tag& from, Token token) {
    Tag tag{{}, from.elements};
    for (const int loop : bodies_.around(e.to)) {
      const auto turn = from.turns.find(loop);
      // A held token keeps the turns that both ends share.
      if (turn != from.turns.end()) tag.turns[loop] = turn->second;
      if (turn == from.turns.end() && !e.hold) tag.turns[loop] = 0;
    }
    if (e.loop >= 0) ++tag.turns[e.loop];
    for (auto& [loop, turn] : tag.turns)  // a turn enters the loops inside anew
      if (e.loop >= 0 && bodies_.inside(loop, e.loop)) turn = 0;
    const bool accepts =
        e.to == graph_.sink() || graph_.stages[static_cast<std::size_t>(e.to)].may_lack || gathers(e.to);
    if (token.absent && !accepts) fail(Course::kLacking);
    if (e.hold && find(e.to, e.in, tag) != tokens_.end()) fail(Course::kRacy);
    if (!tokens_.emplace(Place{e.to, e.in, tag}, std::move(token)).second) fail(Course::kRacy);
  }

  bool fire_one() {
    for (const auto& entry : tokens_) {
      const auto& [s, in, sent] = entry.first;
      if (holds(s, in)) continue;
      Tag tag = sent;
      if (gathers(s)) {
        if (tag.elements.empty()) continue;
        tag.elements.pop_back();
      }
      if (fire(s, tag)) return true;
    }
    for (const auto& [place, count] : counts_)
      if (count == 0 && fire(place.first, Tag(place.second))) return true;
    return false;
  }

  // The token that a firing would take from a port.
  std::map<Place, Token>::iterator find(int s, int in, const Tag& tag) {
    if (!holds(s, in)) return tokens_.find({s, in, tag});
    return std::find_if(tokens_.begin(), tokens_.end(), [&](const auto& entry) {
      const auto& [to, port, kept] = entry.first;
      const bool part = kept.elements.size() <= tag.elements.size() &&
                        std::equal(kept.elements.begin(), kept.elements.end(), tag.elements.begin());
      return to == s && port == in && part && std::all_of(kept.turns.begin(), kept.turns.end(), [&](const auto& turn) {
               const auto own = tag.turns.find(turn.first);
               return own != tag.turns.end() && own->second == turn.second;
             });
    });
  }

  bool fire(int s, const Tag& tag) {
    std::vector<std::string> values;
    std::set<std::size_t> past{firings_};
    std::vector<Place> taken;
    const auto take = [&](const std::map<Place, Token>::iterator& token) {
      values.push_back(token->second.absent ? "absent" : token->second.value);
      past.insert(token->second.past.begin(), token->second.past.end());
      if (!holds(s, std::get<1>(token->first))) taken.push_back(token->first);
    };
    if (gathers(s)) {
      const auto count = counts_.find({s, tag});
      if (count == counts_.end()) return false;
      for (int element = 0; element < count->second; ++element) {
        Tag whole = tag;
        whole.elements.push_back(element);
        const auto token = tokens_.find({s, 0, whole});
        if (token == tokens_.end()) return false;
        take(token);
      }
      past.insert(count_past_[{s, tag}].begin(), count_past_[{s, tag}].end());
      counts_.erase(count);
    } else {
      for (int in = 0; in < inputs_of(s); ++in) {
        const auto token = find(s, in, tag);
        if (token == tokens_.end()) return false;
        take(token);
      }
    }
    ++firings_;
    for (const Place& place : taken) tokens_.erase(place);
    s == graph_.sink() ? finish(std::move(values), past) : write(s, tag, values, past);
    return true;
  }

  void write(int s, const Tag& tag, const std::vector<std::string>& values, const std::set<std::size_t>& past) {
    const SmallStage& stage = graph_.stages[static_cast<std::size_t>(s)];
    const int choices = stage.scatters ? 3 : stage.leaves_out ? 2 : stage.outputs;
    const int chosen = choices == 1 ? 0 : choose_(s, choices, values);
    const int out = stage.outputs > 1 ? chosen : 0;
    const auto too_far = [&](const SmallEdge& e) {
      return e.from == s && e.out == out && e.loop >= 0 && tag.turns.at(e.loop) == graph_.max_turns;
    };
    if (std::any_of(graph_.edges.begin(), graph_.edges.end(), too_far)) {
      failed_ = true;  // poison: a stage that waits for it never fires
      return;
    }
    for (const SmallEdge& e : graph_.edges) {
      if (e.from != s || e.out != out) continue;
      if (!stage.scatters) send(e, tag, {small_value(s, out, values), past, stage.leaves_out && chosen != 0});
      for (int element = 0; stage.scatters && element < chosen; ++element) {
        Tag one = tag;
        one.elements.push_back(element);
        send(e, one, {small_value(s, element, values), past, false});
      }
    }
    if (stage.scatters) announce(s, tag, chosen, past);
  }

  // Sends the number of elements to their gather: walks from reader to reader, deeper at each scatter, up at each
  // gather.
  void announce(int scatter, const Tag& tag, int count, const std::set<std::size_t>& past) {
    std::set<std::pair<int, int>> seen, next{{scatter, 0}};
    while (!next.empty()) {
      const auto [s, depth] = *next.begin();
      next.erase(next.begin());
      if (!seen.insert({s, depth}).second || s == graph_.sink()) continue;
      const int inside = depth + (graph_.stages[static_cast<std::size_t>(s)].scatters ? 1 : 0);
      for (const SmallEdge& e : graph_.edges) {
        if (e.from != s || e.hold) continue;
        if (!gathers(e.to)) next.insert({e.to, inside});
        if (gathers(e.to) && inside > 1) next.insert({e.to, inside - 1});
        if (!gathers(e.to) || inside != 1) continue;
        counts_[{e.to, tag}] = count;
        count_past_[{e.to, tag}] = past;
      }
    }
  }

  void finish(std::vector<std::string> values, const std::set<std::size_t>& past) {
    if (ended_) fail(Course::kRacy);
    ended_ = true;
    end_past_ = past;
    meaning_.outputs = std::move(values);
  }

  void check_end() {
    if (failed_) return fail(ended_ ? Course::kLeft : Course::kTooManyTurns);
    if (!ended_) return fail(Course::kStuck);
    for (const auto& entry : tokens_)
      if (!holds(std::get<0>(entry.first), std::get<1>(entry.first))) fail(Course::kLeft);
    if (end_past_.size() != firings_ || !counts_.empty()) fail(Course::kLeft);
  }

  const SmallGraph& graph_;
  const Bodies& bodies_;
  const Choose& choose_;
  std::map<Place, Token> tokens_;
  std::map<std::pair<int, Tag>, int> counts_;
  std::map<std::pair<int, Tag>, std::set<std::size_t>> count_past_;
  std::size_t firings_ = 0;
  bool ended_ = false, failed_ = false;
  std::set<std::size_t> end_past_;
  Meaning meaning_;
};

}  // namespace

const char* name_of(Course course) noexcept {
  static constexpr const char* kNames[] = {"right", "too many turns", "racy", "stuck", "left", "lacking", "no meaning"};
  return kNames[static_cast<std::size_t>(course)];
}

Meaning interpret(const SmallGraph& graph, const std::string& x, const Choose& choose) {
  const Bodies bodies(graph);
  return Interpreter(graph, bodies, choose).run(x);
}

// Counts through all choices: each course makes them in the same order.
Course worst_course(const SmallGraph& graph) {
  const Bodies bodies(graph);
  std::vector<std::pair<int, int>> made;  // what was chosen, of how many
  Course best = Course::kTooManyTurns;
  for (;;) {
    std::size_t next = 0;
    const Choose choose = [&](int, int choices, const std::vector<std::string>&) {
      if (next == made.size()) made.emplace_back(0, choices);
      return made[next++].first;
    };
    const Course course = Interpreter(graph, bodies, choose).run("x").course;
    if (is_wrong(course)) return course;
    if (course == Course::kRight) best = course;
    while (!made.empty() && made.back().first + 1 == made.back().second) made.pop_back();
    if (made.empty()) return best;
    ++made.back().first;
  }
}

std::string small_value(int stage, int out, const std::vector<std::string>& inputs) {
  return value_of("s" + std::to_string(stage), static_cast<std::uint32_t>(out), inputs);
}

}  // namespace woa::test
