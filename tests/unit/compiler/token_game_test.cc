// Plays plans as a token game: random schedules, random choices. Whatever the compiler accepts must keep its promises:
// no two tokens for one port and tag, no token without a reader, the sink fires once and last, and no edge ever holds
// more than b(e).
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

class Game {
 public:
  Game(const Plan& plan, Random& random)
      : plan_(plan), random_(random), in_use_(plan.edges.size()), slow_(plan.stages.size()) {
    for (char& slow : slow_) slow = below(random, 3) == 0;
    out_.resize(plan.stages.size());
    for (std::size_t s = 0; s < plan.stages.size(); ++s) out_[s].resize(plan.stages[s].outputs.size());
    counts_out_ = out_;
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
      (plan.edges[e].count ? counts_out_ : out_)[plan.edges[e].from_stage][plan.edges[e].from_port].push_back(e);
  }

  // What went wrong, or nothing. A loop that would need more turns than its max ends the game early.
  std::string play() {
    start(kSourceStage, 0, {});
    while (problem_.empty() && !over_) {
      const std::vector<Ready> ready = find_ready();
      if (ready.empty() && running_.empty()) return problem_.empty() ? "stuck before the sink fired" : problem_;
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
    if (++in_use_[e] > plan_.edges[e].min_blocks && problem_.empty()) {
      const EdgePlan& edge = plan_.edges[e];
      problem_ = "edge from " + plan_.stages[edge.from_stage].name + " to " + plan_.stages[edge.to_stage].name +
                 " holds more than b(e) = " + std::to_string(edge.min_blocks);
    }
  }

  // How many tokens a firing may send over each edge of a port.
  std::uint32_t most(std::uint32_t stage, std::size_t port) const {
    return std::max(plan_.stages[stage].outputs[port].many, 1U);
  }

  void start(std::uint32_t stage, std::uint64_t tag, std::vector<std::uint32_t> consumed) {
    for (std::size_t p = 0; p < out_[stage].size(); ++p) {
      for (const std::uint32_t e : out_[stage][p]) {
        for (std::uint32_t k = 0; k < most(stage, p); ++k) occupy(e);
      }
      for (const std::uint32_t e : counts_out_[stage][p]) occupy(e);
    }
    running_.push_back({stage, tag, std::move(consumed)});
  }

  std::vector<Ready> find_ready() const {
    std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
    std::vector<Ready> ready;
    for (const auto& [at, edge] : tokens_) {
      const auto [stage, port, sent] = at;
      const std::uint64_t tag = sent & ~index_of(stage, port);
      if (!plan_.stages[stage].inputs[port].hold && seen.insert({stage, tag}).second && can_fire(stage, tag))
        ready.push_back({stage, tag});
    }
    for (const auto& [at, count] : counts_) {  // of none, perhaps
      const auto [stage, port, tag] = at;
      if (seen.insert({stage, tag}).second && can_fire(stage, tag)) ready.push_back({stage, tag});
    }
    return ready;
  }

  // Where the tag has the number of an element that is gathered at a port.
  std::uint64_t index_of(std::uint32_t stage, std::uint32_t port) const {
    const InputPortPlan& input = plan_.stages[stage].inputs[port];
    return input.gather == 0 ? 0 : ((1ULL << input.index_bits) - 1) << input.index_shift;
  }

  std::vector<PortTag> gathered(std::uint32_t stage, std::uint32_t port, std::uint64_t tag) const {
    std::vector<PortTag> found;
    for (const auto& [at, edge] : tokens_) {
      const auto [s, p, sent] = at;
      if (s == stage && p == port && (sent & ~index_of(s, p)) == tag) found.push_back(at);
    }
    return found;
  }

  bool can_fire(std::uint32_t stage, std::uint64_t tag) const {
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

  bool exceeds(std::uint32_t e, std::uint64_t tag) const {
    const EdgePlan& edge = plan_.edges[e];
    if (edge.loop < 0) return false;
    const LoopPlan& loop = plan_.loops[static_cast<std::size_t>(edge.loop)];
    return ((tag >> loop.shift) & ((1ULL << loop.bits) - 1)) == loop.max;
  }

  // One port of every group, preferably one that needs no turn too many. Nothing if there is none.
  std::optional<std::vector<bool>> choose(const Running& firing) {
    const auto& outputs = plan_.stages[firing.stage].outputs;
    std::vector<bool> written(outputs.size());
    std::map<std::int32_t, std::vector<std::size_t>> groups;
    for (std::size_t p = 0; p < outputs.size(); ++p) {
      const auto& edges = out_[firing.stage][p];
      const bool too_many =
          std::any_of(edges.begin(), edges.end(), [&](std::uint32_t e) { return exceeds(e, firing.tag); });
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
      for (const std::uint32_t e : out_[firing.stage][p]) {
        for (std::uint32_t k = 0; k < most(firing.stage, p); ++k)
          (*written)[p] && k < sent ? send(e, firing.tag, std::uint64_t{k} << port.index_shift) : void(--in_use_[e]);
      }
      for (const std::uint32_t e : counts_out_[firing.stage][p]) {
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
  }

  const Plan& plan_;
  Random& random_;
  std::vector<std::uint32_t> in_use_;  // blocks by edge
  std::vector<std::vector<std::vector<std::uint32_t>>> out_;
  std::vector<std::vector<std::vector<std::uint32_t>>> counts_out_;    // likewise
  std::map<PortTag, std::uint32_t> tokens_;                            // edges that they came by
  std::map<PortTag, std::pair<std::uint32_t, std::uint32_t>> counts_;  // how many elements; edge
  std::vector<Running> running_;
  std::string problem_;
  bool over_ = false;
  std::vector<char> slow_;
};

// Graphs made of parts that fit, some of them rewired at random so that most no longer do.
class Maker {
 public:
  explicit Maker(Random& random) : random_(random) {}

  std::string make(bool rewire) {
    stages_.clear();
    loops_ = 0;
    const std::string last = join(block({"x"}, 2 + below(random_, 6), 0));
    std::string text = "stages:\n";
    if (rewire) rewire_one();
    for (const auto& [name, rest] : stages_) text += "  " + name + ": " + rest + "\n";
    return text + "outputs: {y: " + last + "}\n";
  }

 private:
  using Writers = std::vector<std::string>;

  static std::string join(const Writers& writers) {
    std::string text = "[";
    for (const std::string& writer : writers) text += (text.size() > 1 ? ", " : "") + writer;
    return text + "]";
  }
  std::string add(const std::string& rest) {
    stages_.push_back({"s" + std::to_string(stages_.size()), rest});
    return stages_.back().first;
  }

  Writers block(const Writers& in, std::size_t budget, int depth) {
    if (budget < 2) return {add("{kernel: copy, in: {in: " + join(in) + "}}") + ".out"};
    switch (below(random_, depth < 3 ? 7 : 4)) {
      case 0: return block(block(in, budget / 2, depth), budget - budget / 2, depth);
      case 1: return branch(in, budget, depth);
      case 2: return parallel(in, budget, depth, false);
      case 3: return parallel(in, budget, depth, true);
      case 4: return self_loop(in, budget);
      case 5: return scatter(in, budget, depth);
      default: return loop(in, budget, depth);
    }
  }

  Writers branch(const Writers& in, std::size_t budget, int depth) {
    const std::string r = add("{kernel: route, in: {in: " + join(in) + "}}");
    Writers out = block({r + ".left"}, budget / 2, depth);
    const Writers other = below(random_, 2) == 0 ? Writers{r + ".right"} : block({r + ".right"}, budget / 2, depth);
    out.insert(out.end(), other.begin(), other.end());
    return out;
  }

  Writers parallel(const Writers& in, std::size_t budget, int depth, bool held) {
    const std::string s = add("{kernel: split, in: {in: " + join(in) + "}}");
    const Writers a = block({s + ".a"}, budget / 2, depth),
                  b = below(random_, 2) == 0 ? Writers{s + ".b"} : block({s + ".b"}, budget / 2, depth);
    std::string other = join(b);
    if (held) {
      other = "[";
      for (const std::string& writer : b)
        other += (other.size() > 1 ? ", {from: " : "{from: ") + writer + ", hold: true}";
      other += "]";
    }
    return {add("{kernel: join2, in: {a: " + join(a) + ", b: " + other + "}}") + ".out"};
  }

  Writers scatter(const Writers& in, std::size_t budget, int depth) {
    const std::string c = add("{kernel: cut, in: {in: " + join(in) + "}}");
    const Writers body = below(random_, 4) == 0 ? Writers{c + ".piece"} : block({c + ".piece"}, budget - 1, depth + 1);
    return {add("{kernel: paste, in: {pieces: " + join(body) + "}}") + ".out"};
  }

  std::string mark(const std::string& name) {
    return ", loop: {max: " + std::to_string(1 + below(random_, 3)) + ", name: " + name + "}}";
  }

  Writers self_loop(const Writers& in, std::size_t budget) {
    const std::string name = "s" + std::to_string(stages_.size());
    const bool two_exits = budget > 3;
    Writers all = in;
    all.push_back("{from: " + name + ".again" + mark("l" + std::to_string(loops_++)));
    add(two_exits ? "{kernel: triple, in: {in: " + join(all) + "}}" : "{kernel: step, in: {x: " + join(all) + "}}");
    return two_exits ? Writers{name + ".next", name + ".done"} : Writers{name + ".done"};
  }

  // head -> body -> step -> head; some with a value that is held for all turns, made before the loop or in each turn.
  Writers loop(const Writers& in, std::size_t budget, int depth) {
    const std::string name = "l" + std::to_string(loops_++);
    const std::string head = add("");
    const std::size_t at = stages_.size() - 1;
    const bool per_turn = below(random_, 2) == 0;
    const Writers end = block({head + (per_turn ? ".a" : ".out")}, budget - 1, depth + 1);
    const std::string held = per_turn ? head + ".b" : "x";
    const std::string step = add("{kernel: step2, in: {x: " + join(end) + ", y: {from: " + held + ", hold: true}}}");
    Writers all = in;
    all.push_back("{from: " + step + ".again" + mark(name));
    stages_[at].second = std::string("{kernel: ") + (per_turn ? "split" : "copy") + ", in: {in: " + join(all) + "}}";
    return {step + ".done"};
  }

  // One stage reads something else, or something more, than it did.
  void rewire_one() {
    static const std::vector<std::string> kPorts{".piece", ".out",  ".a",     ".b",   ".left",
                                                 ".right", ".done", ".again", ".next"};
    const std::string from =
        "s" + std::to_string(below(random_, stages_.size())) + kPorts[below(random_, kPorts.size())];
    std::string& rest = stages_[below(random_, stages_.size())].second;
    const std::size_t open = rest.find('[');
    if (open == std::string::npos) return;
    if (below(random_, 2) == 0) {
      rest.insert(open + 1, from + ", ");
    } else {
      const std::size_t end = std::min(rest.find(',', open), rest.find(']', open));
      rest.replace(open + 1, end - open - 1, from);
    }
  }

  Random& random_;
  std::vector<std::pair<std::string, std::string>> stages_;  // name, text
  int loops_ = 0;
};

CompileOptions options() {
  CompileOptions with_scatters = test::fixture_options();
  with_scatters.kernel_path.push_back(std::string(WOA_SOURCE_DIR) + "/tests/support/kernels");
  return with_scatters;
}

void play_all(const std::string& body, const Plan& plan, Random& random, int games) {
  for (int i = 0; i < games; ++i) {
    const std::string problem = Game(plan, random).play();
    if (problem.empty()) continue;
    INFO(body);
    CHECK(problem == "");
    return;
  }
}

TEST_CASE("graphs made of parts that fit are accepted, and keep every promise") {
  Random random(1);
  Maker maker(random);
  for (int i = 0; i < 400; ++i) {
    const std::string body = maker.make(false);
    const Plan plan = test::compile_good(body, options());
    play_all(body, plan, random, 20);
  }
}

TEST_CASE("a writer that runs ahead of its reader stays within b(e)") {
  const std::string body =
      "stages:\n"
      "  a: {kernel: route, in: {in: [x, {from: p.a, loop: {max: 3, name: l}}, {from: s.b, loop: {name: l}}]}}\n"
      "  p: {kernel: split, in: {in: a.left}}\n"
      "  b: {kernel: copy, in: {in: [x, {from: follow.out, loop: {name: l}}, {from: s.a, loop: {name: l}}]}}\n"
      "  follow: {kernel: join2, in: {a: p.b, b: {from: b.out, hold: true}}}\n"
      "  meet: {kernel: join2, in: {a: a.right, b: {from: b.out, hold: true}}}\n"
      "  end: {kernel: step, in: {x: meet.out}}\n"
      "  s: {kernel: split, in: {in: end.again}}\n"
      "outputs: {y: end.done}\n";
  Random random(3);
  play_all(body, test::compile_good(body), random, 2000);
  Plan tight = test::compile_good(body);  // the game would notice
  for (EdgePlan& edge : tight.edges) edge.min_blocks = std::min(edge.min_blocks, 2U);
  std::set<std::string> problems;
  for (int i = 0; i < 2000; ++i) problems.insert(Game(tight, random).play());
  CHECK(problems.size() > 1);
}

TEST_CASE("of graphs rewired at random, those that are accepted keep every promise") {
  Random random(2);
  Maker maker(random);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string body = maker.make(true);
    const Compilation result = compile_text(test::graph_text(body), "graph.yaml", "", options());
    CHECK(result.plan.has_value() == result.diagnostics.empty());
    if (!result.plan) continue;
    ++accepted;
    play_all(body, *result.plan, random, 20);
  }
  CHECK(accepted > 20);  // else this test shows nothing
}

}  // namespace
}  // namespace woa
