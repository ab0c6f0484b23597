#include "tests/support/random_program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace woa::test {
namespace {

struct TooManyTurns {};

std::uint64_t mix(const std::string& what, const std::vector<std::string>& inputs) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  };
  add(what);
  for (const std::string& input : inputs) add(input);
  hash ^= hash >> 31;
  return hash * 0x9e3779b97f4a7c15;
}

std::string list(const std::vector<std::string>& writers) {
  std::string text;
  for (const std::string& writer : writers) text += (text.empty() ? "[" : ", ") + writer;
  return text + "]";
}

std::string held(const std::vector<std::string>& writers) {
  std::vector<std::string> edges;
  for (const std::string& writer : writers) edges.push_back("{from: " + writer + ", hold: true}");
  return list(edges);
}

std::vector<std::string> with_loop(std::vector<std::string> writers, const std::string& from, const std::string& name,
                                   std::size_t max) {
  writers.push_back("{from: " + from + ", loop: {max: " + std::to_string(max) + ", name: " + name + "}}");
  return writers;
}

}  // namespace

std::string value_of(const std::string& stage, std::uint32_t port, const std::vector<std::string>& inputs) {
  char text[17];
  const std::uint64_t hash = mix(stage + "." + std::to_string(port), inputs);
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return {text, 10 + hash % 7};  // of several sizes
}

std::size_t choice_of(const std::string& stage, std::size_t choices, const std::vector<std::string>& inputs) {
  return (mix(stage + "?", inputs) >> 20) % choices;
}

RandomProgram::RandomProgram(std::mt19937& random, std::size_t stages, bool state, bool replicas)
    : random_(random),
      kind_(std::array{Kind::kAny, Kind::kAny, Kind::kWithoutScatters, Kind::kPlain}[below(4)]),
      state_(state),
      replicas_(replicas) {
  const Part whole = block({"x"}, stages, 0);
  meaning_ = whole.meaning;
  out_ = whole.out;
}

void RandomProgram::rewire() {
  static const std::vector<std::string> kPorts{".piece", ".out",  ".a",     ".b",   ".left",
                                               ".right", ".done", ".again", ".next"};
  const std::size_t port = below(kPorts.size());  // drawn before the stage, in every compiler's build
  const std::string from = "s" + std::to_string(below(stages_.size())) + kPorts[port];
  std::string& line = stages_[below(stages_.size())];
  const std::size_t open = line.find('[');
  if (open == std::string::npos) return;
  if (below(2) == 0) {
    line.insert(open + 1, from + ", ");
  } else {
    const std::size_t end = std::min(line.find(',', open), line.find(']', open));
    line.replace(open + 1, end - open - 1, from);
  }
}

std::string RandomProgram::text() const {
  return "woa: 1\ngraph: random\ninputs: {x: {type: bytes, max: 64}}\n" + body();
}

std::string RandomProgram::body() const {
  std::string text = "stages:\n";
  for (const std::string& stage : stages_) text += stage;
  return text + "outputs: {y: " + list(out_) + "}\n";
}

std::string RandomProgram::kernel_of(std::size_t stage) const {
  const std::string& line = stages_.at(stage);
  const std::size_t begin = line.find("kernel: ") + 8;
  return line.substr(begin, line.find(',', begin) - begin);
}

std::optional<std::string> RandomProgram::expect(const std::string& x) const {
  x_ = x;
  last_.clear();
  try {
    return meaning_(x);
  } catch (const TooManyTurns&) {
    return std::nullopt;
  }
}

std::string RandomProgram::add(const std::string& kernel, const std::string& inputs) {
  const std::string name = "s" + std::to_string(stages_.size());
  stages_.push_back("  " + name + ": {kernel: " + kernel + ", in: {" + inputs + "}" + placement() + "}\n");
  return name;
}

// Chooses a controller, and how many replicas.
std::string RandomProgram::placement() {
  const std::string on = below(3) == 0 ? "" : ", on: \"cpu:" + std::to_string(below(3)) + "\"";
  return on +
         (kind_ != Kind::kPlain && replicas_ && below(3) == 0 ? ", replicas: " + std::to_string(1 + below(4)) : "");
}

RandomProgram::Part RandomProgram::block(const Writers& in, std::size_t budget, int depth) {
  if (budget < 2) return single(in);
  const std::size_t any = kind_ == Kind::kAny ? 9 : 8;
  switch (below(kind_ == Kind::kPlain ? 4 : depth < 3 ? any : 5)) {
    case 0: return series(in, budget, depth);
    case 1: return parallel(in, budget, depth, false);
    case 2: return parallel(in, budget, depth, true);
    case 3: return optional(in);
    case 4: return branch(in, budget, depth);
    case 5: return self_loop(in, budget > 3);
    case 6: return absent_loop(in);
    case 7: return loop(in, budget, depth);
    default: return scatter(in, budget, depth);
  }
}

RandomProgram::Part RandomProgram::single(const Writers& in) {
  const std::string s = add("copy", "in: " + list(in));
  return {{s + ".out"}, [s](const std::string& v) { return value_of(s, 0, {v}); }};
}

RandomProgram::Part RandomProgram::series(const Writers& in, std::size_t budget, int depth) {
  const Part first = block(in, budget / 2, depth), second = block(first.out, budget - budget / 2, depth);
  return {second.out, [=](const std::string& v) { return second.meaning(first.meaning(v)); }};
}

RandomProgram::Part RandomProgram::branch(const Writers& in, std::size_t budget, int depth) {
  const std::string s = add("route", "in: " + list(in));
  Part left = block({s + ".left"}, budget / 2, depth);
  if (below(2) == 0) left = with_input(left);
  Part right{{s + ".right"}, [](const std::string& v) { return v; }};
  if (below(2) == 0) right = block(right.out, budget / 2, depth);
  Writers out = left.out;
  out.insert(out.end(), right.out.begin(), right.out.end());
  return {out, [=](const std::string& v) {
            const std::size_t way = choice_of(s, 2, {v});
            return (way == 0 ? left : right).meaning(value_of(s, static_cast<std::uint32_t>(way), {v}));
          }};
}

// Joins `part` with the graph's input, which is held, and never read if the part is not reached.
RandomProgram::Part RandomProgram::with_input(const Part& part) {
  const std::string j = add("join2", "a: " + list(part.out) + ", b: " + held({"x"}));
  return {{j + ".out"}, [=, this](const std::string& v) { return value_of(j, 0, {part.meaning(v), x_}); }};
}

RandomProgram::Part RandomProgram::parallel(const Writers& in, std::size_t budget, int depth, bool hold) {
  const std::string s = add("split", "in: " + list(in));
  Part a = block({s + ".a"}, budget / 2, depth), b{{s + ".b"}, [](const std::string&v) { return v; }};
  if (below(2) == 0) b = block(b.out, budget / 2, depth);
  const std::string j = add("join2", "a: " + list(a.out) + ", b: " + (hold ? held(b.out) : list(b.out)));
  return {{j + ".out"}, [=](const std::string& v) {
            const std::string left = a.meaning(value_of(s, 0, {v}));
            return value_of(j, 0, {left, b.meaning(value_of(s, 1, {v}))});
          }};
}

RandomProgram::Part RandomProgram::optional(const Writers& in) {
  const std::string m = add("maybe", "in: " + list(in)), o = add("orelse", "in: " + m + ".out");
  return {{o + ".out"}, [=](const std::string& v) {
            const bool written = choice_of(m, 2, {v}) == 0;
            return value_of(o, 0, {written ? value_of(m, 0, {v}) : "absent"});
          }};
}

// cut -> body for each piece -> paste; some pieces may get lost on the way, and there may be none. The body may be
// empty.
RandomProgram::Part RandomProgram::scatter(const Writers& in, std::size_t budget, int depth) {
  constexpr std::size_t kMax = 4;  // of tests/support/kernels/cut
  const std::string c = add("cut", "in: " + list(in));
  Part body{{c + ".piece"}, [](const std::string& v) { return v; }};
  ++scatters_around_;
  if (below(5) != 0) body = block(body.out, budget - 1, depth + 1);
  if (--scatters_around_ == 0 && state_ && below(2) == 0) body = tally(body);
  const std::string m = below(3) == 0 ? add("maybe", "in: " + list(body.out)) : "";
  const std::string p = add("paste", "pieces: " + (m.empty() ? list(body.out) : "[" + m + ".out]"));
  return {{p + ".out"}, [=](const std::string& v) {
            std::vector<std::string> pieces;
            for (std::uint32_t e = 0; e < choice_of(c, kMax + 1, {v}); ++e) {
              const std::string piece = body.meaning(value_of(c, e, {v}));
              const bool kept = m.empty() || choice_of(m, 2, {piece}) == 0;
              pieces.push_back(m.empty() ? piece : kept ? value_of(m, 0, {piece}) : "absent");
            }
            return value_of(p, 0, pieces);
          }};
}

// Its output tells which elements it saw before, in which order.
RandomProgram::Part RandomProgram::tally(const Part& before) {
  const std::string t = add("tally", "in: " + list(before.out));
  return {{t + ".out"}, [=, this](const std::string& v) {
            const std::string seen = before.meaning(v);
            std::string& last = last_[t];
            return last = value_of(t, 0, {seen, last});
          }};
}

RandomProgram::Part RandomProgram::self_loop(const Writers& in, bool two_exits) {
  const std::string name = "s" + std::to_string(stages_.size());
  const std::size_t max = 1 + below(4), ways = two_exits ? 3 : 2;
  const Writers all = with_loop(in, name + ".again", "l" + std::to_string(loops_++), max);
  add(two_exits ? "triple" : "step", (two_exits ? "in: " : "x: ") + list(all));
  Writers out{name + ".done"};
  if (two_exits) out.push_back(name + ".next");
  return {out, [=](std::string v) {
            for (std::size_t turn = 0; turn <= max; ++turn) {
              const std::size_t way = choice_of(name, ways, {v});
              v = value_of(name, static_cast<std::uint32_t>(way), {v});
              if (way != 0) return v;
            }
            throw TooManyTurns();
          }};
}

// head -> step -> maybe -> head: a turn may begin with an absent token.
RandomProgram::Part RandomProgram::absent_loop(const Writers& in) {
  const std::string name = "l" + std::to_string(loops_++);
  const std::size_t max = 1 + below(4), at = stages_.size();
  const std::string head = "s" + std::to_string(at);
  stages_.emplace_back();  // its inputs are known last
  const std::string step = add("route", "in: " + head + ".out"), m = add("maybe", "in: " + step + ".left");
  stages_[at] = "  " + head + ": {kernel: orelse, in: {in: " + list(with_loop(in, m + ".out", name, max)) + "}" +
                placement() + "}\n";
  return {{step + ".right"}, [=](std::string v) {
            for (std::size_t turn = 0; turn <= max; ++turn) {
              const std::string seen = value_of(head, 0, {v});
              const std::size_t way = choice_of(step, 2, {seen});
              v = value_of(step, static_cast<std::uint32_t>(way), {seen});
              if (way != 0) return v;
              v = choice_of(m, 2, {v}) == 0 ? value_of(m, 0, {v}) : "absent";
            }
            throw TooManyTurns();
          }};
}

// head -> body -> step -> head; with a value that is held for all turns, made before the loop or in each turn.
RandomProgram::Part RandomProgram::loop(const Writers& in, std::size_t budget, int depth) {
  const std::string name = "l" + std::to_string(loops_++);
  const std::size_t max = 1 + below(4), at = stages_.size();
  const bool per_turn = below(2) == 0;
  const std::string head = "s" + std::to_string(at);
  stages_.emplace_back();  // its inputs are known last
  const Part body = block({head + (per_turn ? ".a" : ".out")}, budget - 1, depth + 1);
  const std::string step = add("step2", "x: " + list(body.out) + ", y: " + held({per_turn ? head + ".b" : "x"}));
  stages_[at] = "  " + head + ": {kernel: " + (per_turn ? "split" : "copy") +
                ", in: {in: " + list(with_loop(in, step + ".again", name, max)) + "}" + placement() + "}\n";
  return {{step + ".done"}, [=, this](std::string v) {
            for (std::size_t turn = 0; turn <= max; ++turn) {
              const std::string kept = per_turn ? value_of(head, 1, {v}) : x_;
              const std::vector<std::string> inputs{body.meaning(value_of(head, 0, {v})), kept};
              const std::size_t way = choice_of(step, 2, inputs);
              v = value_of(step, static_cast<std::uint32_t>(way), inputs);
              if (way != 0) return v;
            }
            throw TooManyTurns();
          }};
}

}  // namespace woa::test
