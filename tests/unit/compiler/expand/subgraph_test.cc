// Sub-graphs and includes: a graph with them is the graph that one gets by writing their stages out.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "compiler/expand/includes.h"
#include "compiler/expand/subgraphs.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

// A plan, stages and edges by name, in the order of the plan.
std::string describe(const Plan& plan) {
  std::string text;
  for (const StagePlan& stage : plan.stages) {
    text += stage.name + " " + stage.kernel + " " + plan.controllers[stage.controller].name;
    for (const ParamPlan& param : stage.params) text += " " + param.name + "=" + param.value;
    text += "\n";
  }
  for (const EdgePlan& edge : plan.edges) {
    const StagePlan &from = plan.stages[edge.from_stage], &to = plan.stages[edge.to_stage];
    text += from.name + "." + from.outputs[edge.from_port].name + " -> " + to.name + "." +
            to.inputs[edge.to_port].name + " keep " + std::to_string(edge.keep) + " step " + std::to_string(edge.step) +
            " hold " + std::to_string(to.inputs[edge.to_port].hold) + " blocks " + std::to_string(edge.min_blocks) +
            " lane " + edge.lane + "\n";
  }
  for (const LoopPlan& loop : plan.loops) text += loop.name + " " + std::to_string(loop.max) + "\n";
  return text;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// `written` uses `__` where the flat graph of `used` has `/`.
void check_same(const std::string& used, const std::string& written) {
  CHECK(describe(test::compile_good(used)) == replace_all(describe(test::compile_good(written)), "__", "/"));
}

TEST_CASE("a loop may go through a sub-graph, whose input is a merge for every reader") {
  const std::string graphs =
      "graphs:\n  twin:\n    inputs: {in: {type: bytes}, extra: {type: bytes}}\n    stages:\n"
      "      a: {kernel: copy, in: {in: in}}\n      b: {kernel: join2, in: {a: in, b: {from: extra, hold: true}}}\n"
      "      j: {kernel: join2, in: {a: a.out, b: b.out}}\n    outputs: {out: j.out}\n";
  check_same(
      graphs +
          "stages:\n  t: {graph: twin, in: {in: [x, {from: s.again, loop: {max: 9}}], extra: x}}\n"
          "  s: {kernel: step, in: {x: t.out}}\noutputs: {y: s.done}\n",
      "stages:\n  t__a: {kernel: copy, in: {in: [x, {from: s.again, loop: {max: 9, name: t}}]}}\n"
      "  t__b: {kernel: join2, in: {a: [x, {from: s.again, loop: {max: 9, name: t}}], b: {from: x, hold: true}}}\n"
      "  t__j: {kernel: join2, in: {a: t__a.out, b: t__b.out}}\n"
      "  s: {kernel: step, in: {x: t__j.out}}\noutputs: {y: s.done}\n");
}

TEST_CASE("a loop edge may stand at a sub-graph's own input, and loops of two uses are two loops") {
  const std::string graphs =
      "graphs:\n  count:\n    inputs: {in: {type: bytes}}\n    params: {n: {type: int, default: 4}}\n    stages:\n"
      "      s: {kernel: step, in: {x: [in, {from: s.again, loop: {max: {param: n}, name: l}}]}}\n"
      "    outputs: {out: s.done}\n"
      "  turn:\n    inputs: {in: {type: bytes}, back: {type: bytes}}\n    stages:\n"
      "      c: {kernel: copy, in: {in: [in, {from: back, loop: {max: 3}}]}}\n    outputs: {out: c.out}\n";
  check_same(graphs +
                 "stages:\n  a: {graph: count, in: {in: x}}\n  b: {graph: count, in: {in: a.out}, params: {n: 6}}\n"
                 "  t: {graph: turn, in: {in: b.out, back: s.again}}\n  s: {kernel: step, in: {x: t.out}}\n"
                 "outputs: {y: s.done}\n",
             "stages:\n  a__s: {kernel: step, in: {x: [x, {from: a__s.again, loop: {max: 4, name: a__l}}]}}\n"
             "  b__s: {kernel: step, in: {x: [a__s.done, {from: b__s.again, loop: {max: 6, name: b__l}}]}}\n"
             "  t__c: {kernel: copy, in: {in: [b__s.done, {from: s.again, loop: {max: 3, name: t__c}}]}}\n"
             "  s: {kernel: step, in: {x: t__c.out}}\noutputs: {y: s.done}\n");
}

TEST_CASE("an output of alternatives is a merge wherever it is read") {
  const std::string graphs =
      "graphs:\n  way:\n    inputs: {in: {type: bytes}}\n    stages:\n      r: {kernel: route, in: {in: in}}\n"
      "      c: {kernel: copy, in: {in: r.left}}\n    outputs: {out: [c.out, r.right]}\n"
      "  ways:\n    inputs: {in: {type: bytes}}\n    stages:\n      w: {graph: way, in: {in: in}}\n"
      "    outputs: {out: w.out}\n";
  check_same(graphs +
                 "stages:\n  w: {graph: ways, in: {in: x}}\n  r: {kernel: route, in: {in: {from: w.out, lane: l}}}\n"
                 "  m: {kernel: copy, in: {in: w.out}}\noutputs: {y: [r.left, r.right], z: m.out}\n",
             "stages:\n  w__w__r: {kernel: route, in: {in: x}}\n  w__w__c: {kernel: copy, in: {in: w__w__r.left}}\n"
             "  r: {kernel: route, in: {in: [{from: w__w__c.out, lane: l}, {from: w__w__r.right, lane: l}]}}\n"
             "  m: {kernel: copy, in: {in: [w__w__c.out, w__w__r.right]}}\n"
             "outputs: {y: [r.left, r.right], z: m.out}\n");
}

TEST_CASE("a pin and a lane of the use hold where the sub-graph says nothing else") {
  const std::string graphs =
      "graphs:\n  two:\n    inputs: {in: {type: bytes}}\n    stages:\n"
      "      a: {kernel: copy, in: {in: {from: in, lane: own}}}\n"
      "      b: {kernel: copy, in: {in: {from: a.out, lane: own}}, on: \"cpu:1\"}\n    outputs: {out: b.out}\n"
      "  four:\n    inputs: {in: {type: bytes}}\n    stages:\n      p: {graph: two, in: {in: in}}\n"
      "      q: {graph: two, in: {in: p.out}, on: gpu}\n    outputs: {out: q.out}\n";
  check_same(graphs + "stages: {f: {graph: four, in: {in: {from: x, lane: outer}}, on: fpga}}\noutputs: {y: f.out}\n",
             "stages:\n  f__p__a: {kernel: copy, in: {in: {from: x, lane: outer}}, on: fpga}\n"
             "  f__p__b: {kernel: copy, in: {in: {from: f__p__a.out, lane: own}}, on: \"cpu:1\"}\n"
             "  f__q__a: {kernel: copy, in: {in: {from: f__p__b.out, lane: own}}, on: gpu}\n"
             "  f__q__b: {kernel: copy, in: {in: {from: f__q__a.out, lane: own}}, on: \"cpu:1\"}\noutputs: {y: "
             "f__q__b.out}\n");
}

TEST_CASE("replicas of the use are those of the stages inside that have none") {
  const std::string graphs =
      "graphs:\n  two:\n    inputs: {in: {type: bytes}}\n    stages:\n      a: {kernel: copy, in: {in: in}}\n"
      "      b: {kernel: copy, in: {in: a.out}, replicas: 2}\n      c: {kernel: copy, in: {in: b.out}, replicas: 1}\n"
      "    outputs: {out: c.out}\n"
      "  outer:\n    inputs: {in: {type: bytes}}\n    stages: {t: {graph: two, in: {in: in}}}\n    outputs: {out: "
      "t.out}\n";
  check_same(graphs + "stages: {o: {graph: outer, in: {in: x}, replicas: 4}}\noutputs: {y: o.out}\n",
             "stages:\n  o__t__a: {kernel: copy, in: {in: x}, replicas: 4}\n"
             "  o__t__b: {kernel: copy, in: {in: o__t__a.out}, replicas: 2}\n"
             "  o__t__c: {kernel: copy, in: {in: o__t__b.out}}\noutputs: {y: o__t__c.out}\n");
}

TEST_CASE("parameters come from the use, the command line or the default, also through several sub-graphs") {
  const std::string graphs =
      "graphs:\n  fit:\n    inputs: {jpeg: {type: bytes}}\n"
      "    params: {w: {type: int, default: 5}, f: {type: string, default: nearest}}\n    stages:\n"
      "      d: {kernel: decode, in: {jpeg: jpeg}}\n"
      "      r: {kernel: resize, in: {image: d.image}, params: {width: {param: w}, height: {param: w}, filter: {param: "
      "f}}}\n"
      "    outputs: {image: r.image}\n"
      "  outer:\n    inputs: {jpeg: {type: bytes}}\n    params: {side: {type: int}}\n    stages:\n"
      "      f: {graph: fit, in: {jpeg: jpeg}, params: {w: {param: side}}}\n    outputs: {image: f.image}\n"
      "stages:\n  a: {graph: fit, in: {jpeg: x}}\n  b: {graph: outer, in: {jpeg: x}, params: {side: 7}}\n"
      "  c: {graph: outer, in: {jpeg: x}, params: {side: 8}}\noutputs: {a: a.image, b: b.image, c: c.image}\n";
  CompileOptions options = test::fixture_options();
  options.params = {{"a.f", "bilinear"}, {"c.side", "9"}, {"b/f.w", "10"}, {"c/f/r.height", "11"}};
  const Plan plan = test::compile_good(graphs, options);
  const auto value = [&](const std::string& stage, const std::string& name) {
    for (const ParamPlan& param : test::stage_of(plan, stage).params) {
      if (param.name == name) return param.value;
    }
    return std::string("none");
  };
  CHECK(value("a/r", "width") == "5");
  CHECK(value("a/r", "filter") == "bilinear");
  CHECK(value("b/f/r", "width") == "10");
  CHECK(value("c/f/r", "width") == "9");
  CHECK(value("c/f/r", "height") == "11");
  CHECK(value("c/f/r", "filter") == "nearest");
}

// Sub-graphs at random, each using earlier ones, beside the same stages written out by a generator of its own.
class RandomSubgraphs {
 public:
  explicit RandomSubgraphs(unsigned seed) : random_(seed) {}

  std::pair<std::string, std::string> make() {
    std::string graphs = "graphs:\n";
    for (int g = 0; g < 4; ++g) graphs += define(g);
    std::string used = "stages:\n", written = "stages:\n", from = "x";
    const int uses = 1 + pick(3);
    for (int u = 0; u < uses; ++u) {
      const int g = pick(4);
      const std::string name = "u" + std::to_string(u);
      used += "  " + name + ": {graph: g" + std::to_string(g) + ", in: {in: " + (u == 0 ? "x" : from) + "}}\n";
      last_ = write(g, name + "__", u == 0 ? "x" : last_, written);
      from = name + ".out";
    }
    return {graphs + used + "outputs: {y: " + from + "}\n", written + "outputs: {y: " + last_ + "}\n"};
  }

 private:
  struct Part {
    int graph = -1;  // -1: a kernel
    bool loop = false;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::string define(int g) {
    std::string text = "  g" + std::to_string(g) + ":\n    inputs: {in: {type: bytes}}\n    stages:\n";
    std::vector<Part>& parts = parts_.emplace_back();
    std::string from = "in";
    const int count = 1 + pick(3);
    for (int p = 0; p < count; ++p) {
      const Part part{g > 0 && pick(2) == 0 ? pick(g) : -1, pick(2) == 0};
      parts.push_back(part);
      const std::string name = "p" + std::to_string(p);
      text += "      " + name + ": ";
      if (part.graph >= 0) {
        text += "{graph: g" + std::to_string(part.graph) + ", in: {in: " + from + "}}\n";
        from = name + ".out";
      } else if (part.loop) {
        text += "{kernel: step, in: {x: [" + from + ", {from: " + name + ".again, loop: {max: 2}}]}}\n";
        from = name + ".done";
      } else {
        text += "{kernel: copy, in: {in: " + from + "}}\n";
        from = name + ".out";
      }
    }
    return text + "    outputs: {out: " + from + "}\n";
  }

  // Appends the stages of a use; returns what writes its output.
  std::string write(int g, const std::string& prefix, std::string from, std::string& text) {
    const std::vector<Part>& parts = parts_[static_cast<std::size_t>(g)];
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::string name = prefix + "p" + std::to_string(p);
      if (parts[p].graph >= 0) {
        from = write(parts[p].graph, name + "__", from, text);
      } else if (parts[p].loop) {
        text += "  " + name + ": {kernel: step, in: {x: [" + from + ", {from: " + name + ".again, loop: {max: 2}}]}}\n";
        from = name + ".done";
      } else {
        text += "  " + name + ": {kernel: copy, in: {in: " + from + "}}\n";
        from = name + ".out";
      }
    }
    return from;
  }

  std::mt19937 random_;
  std::vector<std::vector<Part>> parts_;
  std::string last_;
};

TEST_CASE("random nested sub-graphs give the plan of the graph that is written out") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const auto [used, written] = RandomSubgraphs(seed).make();
    check_same(used, written);
  }
}

// A folder of this test's own.
class Files {
 public:
  Files() : folder_(fs::temp_directory_path() / ("woa-includes-" + std::to_string(std::random_device()()))) {
    fs::create_directories(folder_);
  }
  ~Files() { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  void link(const std::string& name, const std::string& from) const {
    fs::create_symlink(folder_ / name, folder_ / from);
  }
  [[nodiscard]] std::string codes(const std::string& includes) const {
    const std::string text =
        test::graph_text("stages: {s: {kernel: copy, in: {in: x}}}\noutputs: {y: s.out}\nincludes: " + includes + "\n");
    const Compilation result = compile_text(text, "graph.yaml", folder_, test::fixture_options());
    INFO(test::say(result));
    std::string all;
    for (const Diagnostic& diagnostic : result.diagnostics) all += (all.empty() ? "" : " ") + diagnostic.code;
    return all;
  }

 private:
  fs::path folder_;
};

TEST_CASE("the number, the depth and the size of included files are bounded") {
  const Files files;
  std::string list = "[";
  for (std::size_t i = 0; i <= kMaxIncludedFiles; ++i) {
    files.write("wide" + std::to_string(i) + ".yaml", "woa: 1\n");
    files.write("deep" + std::to_string(i) + ".yaml", "woa: 1\nincludes: [deep" + std::to_string(i + 1) + ".yaml]\n");
    if (i < kMaxIncludedFiles) list += "wide" + std::to_string(i) + ".yaml, ";
  }
  CHECK(files.codes(list + "wide0.yaml]") == "");
  CHECK(files.codes(list + "wide" + std::to_string(kMaxIncludedFiles) + ".yaml]") == "E0121");
  CHECK(files.codes("[deep0.yaml]") == "E0121");
  CHECK(files.codes("[deep" + std::to_string(kMaxIncludedFiles + 2 - kMaxIncludeDepth) + ".yaml]") == "E0101");
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    files.write(std::string(name) + ".yaml", "woa: 1\n#" + std::string(15U << 20, ' ') + "\n");
  }
  CHECK(files.codes("[a.yaml, b.yaml, c.yaml, d.yaml]") == "");
  CHECK(files.codes("[a.yaml, b.yaml, c.yaml, d.yaml, e.yaml]") == "E0121");
}

TEST_CASE("a link to an included file is that file") {
  const Files files;
  files.write("a.yaml",
              "woa: 1\ngraphs: {g: {inputs: {in: {type: bytes}}, stages: {s: {kernel: copy, in: {in: in}}}, "
              "outputs: {out: s.out}}}\n");
  files.link("a.yaml", "link.yaml");
  CHECK(files.codes("[a.yaml, ./a.yaml, link.yaml]") == "");
}

TEST_CASE("a parameter that the command line misspells is not missing, too") {
  CompileOptions options = test::fixture_options();
  options.params = {{"a.width", "3"}};
  CHECK(test::codes(test::graph_text("graphs:\n  some:\n    inputs: {in: {type: bytes}}\n    params: {n: {type: int}}\n"
                                     "    stages: {c: {kernel: copy, in: {in: in}}}\n    outputs: {out: c.out}\n"
                                     "stages: {a: {graph: some, in: {in: x}}}\noutputs: {y: a.out}\n"),
                    options) == "E0501");
}

TEST_CASE("as many stages as may come of sub-graphs, and one more") {
  const auto graph = [](std::uint64_t stages) {
    std::string many =
        "graphs:\n  many:\n    inputs: {in: {type: bytes}}\n    stages:\n      s0: {kernel: copy, in: {in: in}}\n";
    for (int i = 1; i < 998; ++i)
      many += "      s" + std::to_string(i) + ": {kernel: copy, in: {in: s" + std::to_string(i - 1) + ".out}}\n";
    many += "    outputs: {out: s997.out}\nstages:\n  u0: {graph: many, in: {in: x}}\n";
    std::uint64_t count = 1'000, last = 0;
    for (; count + 1'000 <= stages; count += 1'000, ++last)
      many += "  u" + std::to_string(last + 1) + ": {graph: many, in: {in: u" + std::to_string(last) + ".out}}\n";
    std::string from = "u" + std::to_string(last) + ".out";
    for (; count < stages; ++count) {
      many += "  c" + std::to_string(count) + ": {kernel: copy, in: {in: " + from + "}}\n";
      from = "c" + std::to_string(count) + ".out";
    }
    return test::graph_text(many + "outputs: {y: " + from + "}\n");
  };
  CHECK(test::codes(graph(60'000)) == "");
  CHECK(test::codes(graph(CompileOptions().max_stages + 1)) == "E0254");
}

TEST_CASE("lists of writers that double from level to level are refused, not written out") {
  std::string text =
      "graphs:\n  g0: {inputs: {in: {type: bytes}}, stages: {s: {kernel: route, in: {in: in}}}, "
      "outputs: {a: [s.left, s.right], b: [s.left, s.right]}}\n";
  for (int i = 1; i < 31; ++i) {
    text += "  g" + std::to_string(i) + ": {inputs: {in: {type: bytes}}, stages: {s: {graph: g" +
            std::to_string(i - 1) + ", in: {in: in}}}, outputs: {a: [s.a, s.b], b: [s.a, s.b]}}\n";
  }
  const std::string found =
      test::codes(test::graph_text(text + "stages: {s: {graph: g30, in: {in: x}}}\noutputs: {y: s.a, z: s.b}\n"));
  CHECK(found == "E0254");
}

}  // namespace
}  // namespace woa
