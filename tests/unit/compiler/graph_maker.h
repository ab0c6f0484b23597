// Random graph files, for tests of the compiler.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/compiler/check/token_game.h"
#include "tests/unit/compiler/fixture.h"

namespace woa::test {

// Graphs made of parts that fit, some of them rewired at random so that most no longer do.
class GraphMaker {
 public:
  explicit GraphMaker(Random& random) : random_(random) {}

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
    const auto port = below(random_, kPorts.size());  // before the stage, in every compiler's build
    const std::string from = "s" + std::to_string(below(random_, stages_.size())) + kPorts[port];
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

// For the kernels that they use.
inline CompileOptions maker_options() {
  CompileOptions with_scatters = fixture_options();
  with_scatters.kernel_path.push_back(std::string(WOA_SOURCE_DIR) + "/tests/support/kernels");
  return with_scatters;
}

}  // namespace woa::test
