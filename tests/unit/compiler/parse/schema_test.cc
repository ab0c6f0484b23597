// The schemas under compiler/schema and the compiler say the same of a file's shape: of every example, of every bad
// graph and kernel of the golden tests, of graphs that were changed at random, and of thousands of files with a value
// in every spelling.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "compiler/parse/kernel_file.h"
#include "compiler/parse/machine_file.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kRoot = WOA_SOURCE_DIR;
const fs::path kGolden = kRoot / "tests/golden/compiler";
// Reported where a value, a key or a node has the wrong form.
const std::set<std::string> kShapeCodes{"E0110", "E0111", "E0112", "E0113", "E0115", "E0116", "E0119"};
// A file that cannot be read to its end, or that JSON cannot express (a key twice).
const std::set<std::string> kNotJson{"E0101", "E0102", "E0103", "E0104", "E0105",
                                     "E0106", "E0107", "E0108", "E0109", "E0114"};

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool matches(const std::string& text, const std::regex& form) { return std::regex_match(text, form); }

// A scalar as editors read it, by the core schema of YAML 1.2. A number of whole value is an integer in any spelling,
// as in JSON.
Json scalar(const YAML::Node& node) {
  static const std::regex kNumber("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
  static const std::regex kOctal("0o[0-7]+"), kHexadecimal("0x[0-9a-fA-F]+");
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (matches(text, kOctal)) return std::stoll(text.substr(2), nullptr, 8);
  if (matches(text, kHexadecimal)) return std::stoll(text.substr(2), nullptr, 16);
  if (!matches(text, kNumber)) return text;
  const double number = std::stod(text);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::trunc(number) == number && std::abs(number) <= kExact) return static_cast<std::int64_t>(number);
  return number;
}

Json to_json(const YAML::Node& node) {
  if (node.IsScalar()) return scalar(node);
  if (node.IsNull()) return nullptr;
  Json json = node.IsMap() ? Json::object() : Json::array();
  for (const auto& item : node) {
    if (node.IsMap()) {
      json[item.first.Scalar()] = to_json(item.second);
    } else {
      json.push_back(to_json(item));
    }
  }
  return json;
}

std::string file_of(const std::string& kind) { return "compiler/schema/" + kind + ".schema.json"; }

class SchemaOf {
 public:
  explicit SchemaOf(const std::string& kind) {
    const auto json = nlohmann::json::parse(read(kRoot / file_of(kind)));
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schema_);
  }
  bool accepts(const Json& file) {
    const nlohmann::json plain = file;
    return validator_.validate(schema_, valijson::adapters::NlohmannJsonAdapter(plain), nullptr);
  }

 private:
  valijson::Schema schema_;
  valijson::Validator validator_{valijson::Validator::kStrongTypes};  // keeps the patterns that it compiled
};

// The compiler's problems with the shape of the graph file itself; `unreadable`: JSON cannot express the file.
struct Shape {
  std::string problems;
  bool unreadable = false;
};

Shape shape_of(const std::vector<Diagnostic>& diagnostics) {
  Shape shape;
  for (const Diagnostic& diagnostic : diagnostics) {
    shape.unreadable = shape.unreadable || kNotJson.contains(diagnostic.code);
    if (kShapeCodes.contains(diagnostic.code)) shape.problems += format(diagnostic, false);
    // Reported for their meaning, but a matter of form, too.
    const bool other_form = diagnostic.code == "E0203" || diagnostic.code == "E0601" || diagnostic.code == "E0603" ||
                            diagnostic.text.starts_with("`global` lists") ||
                            (diagnostic.code == "E0117" && diagnostic.text.find("unordered") != std::string::npos);
    if (other_form) shape.problems += format(diagnostic, false);
  }
  return shape;
}

Shape shape_of(const std::string& text, const fs::path& folder, const std::vector<fs::path>& kernel_path) {
  CompileOptions options;
  options.kernel_path = kernel_path;
  std::vector<Diagnostic> diagnostics = compile_text(text, "graph.yaml", folder, options).diagnostics;
  std::erase_if(diagnostics, [](const Diagnostic& diagnostic) { return diagnostic.file != "graph.yaml"; });
  return shape_of(diagnostics);
}

std::string kind_of(const fs::path& example) {
  if (example.filename() == "kernel.yaml") return "kernel";
  return example.parent_path().filename() == "machines" ? "machine" : "graph";
}

std::vector<fs::path> examples(const std::string& kind) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "graphs"))
    if (entry.path().extension() == ".yaml" && kind_of(entry.path()) == kind) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

TEST_CASE("the schemas accept every example, and every example names its own in both ways") {
  for (const auto& [kind, fewest] : {std::pair("graph", 14U), std::pair("machine", 4U), std::pair("kernel", 1U)}) {
    SchemaOf schema(kind);
    CHECK(examples(kind).size() >= fewest);
    for (const fs::path& path : examples(kind)) {
      INFO(path);
      CHECK(schema.accepts(to_json(YAML::LoadFile(path))));
      const std::string text = read(path);
      const std::string name = fs::relative(kRoot / file_of(kind), path.parent_path()).string();
      CHECK(text.starts_with("# yaml-language-server: $schema=" + name + "\n# $schema: " + name + "\n"));
    }
  }
}

TEST_CASE("the schema of kernels rejects what the compiler rejects for its shape, and nothing that it accepts") {
  SchemaOf schema("kernel");
  std::size_t accepted = 0, rejected = 0;
  for (const char* folder : {"kernels", "tests/golden/compiler", "tests/support/kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().filename() != "kernel.yaml" || !entry.is_regular_file()) continue;
      const std::string text = read(entry.path());
      Report report;
      (void)read_kernel(report.add_source("kernel.yaml", text), report);
      const Shape shape = shape_of(report.take());
      if (shape.unreadable) continue;
      INFO(entry.path() << "\n" << shape.problems);
      CHECK(schema.accepts(to_json(YAML::Load(text))) == shape.problems.empty());
      ++(shape.problems.empty() ? accepted : rejected);
    }
  }
  CHECK(accepted >= 40);
  CHECK(rejected >= 7);
}

TEST_CASE("the schema rejects what the compiler rejects for its shape, and nothing that it accepts") {
  SchemaOf schema("graph");
  // Cases that are wrong because of other lines, or that both reject, but not for their shape.
  const std::set<std::string> meaning{
      "type-of-input",   // a bound that the dimensions do not reach
      "subgraph-loops",  // `max` by a parameter whose value is 0
      "bad-hold",        // `hold` and `loop` on one edge
      // Numbers with a unit that are too large, and a number that JSON writes in two ways.
      "size-overflow", "size-too-large", "type-too-large", "time-overflow",
      "version-written-otherwise"};  // 0x1: numbers are decimal, which a schema does not see
  std::size_t rejected = 0;
  for (const auto& entry : fs::directory_iterator(kGolden)) {
    if (!fs::exists(entry.path() / "graph.yaml") || meaning.contains(entry.path().filename())) continue;
    const std::string text = read(entry.path() / "graph.yaml");
    const Shape shape = shape_of(text, entry.path(), {kGolden / "kernels"});
    if (shape.unreadable) continue;
    INFO(entry.path().filename() << "\n" << shape.problems);
    const bool accepted = schema.accepts(to_json(YAML::Load(text)));
    CHECK(accepted == shape.problems.empty());
    rejected += accepted ? 0U : 1U;
  }
  CHECK(rejected >= 10);
}

// Changes one thing somewhere in a graph.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void change(Json& graph) {
    std::vector<Json*> nodes;
    collect(graph, nodes);
    Json& node = *nodes[pick(nodes.size())];
    switch (pick(4)) {
      case 0: node = value(); break;
      case 1: add_or_remove(node); break;
      case 2: node = Json::array({node}); break;
      default: rename(node); break;
    }
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  static void collect(Json& node, std::vector<Json*>& nodes) {
    nodes.push_back(&node);
    if (!node.is_structured()) return;
    for (Json& item : node) collect(item, nodes);
  }

  Json value() {
    const std::array<Json, 23> values{
        true,         1,       0,       64,      65,    "1",     "0", "x",        "a-b",  "1bad",  "s.out",
        "a.b.c",      "64KiB", "500ms", "bytes", "cpu", "tpu:1", 1.5, "u8[h, 3]", "u8[]", nullptr, Json::object(),
        Json::array()};
    return values[pick(values.size())];
  }

  std::string key() {
    const std::array<const char*, 14> keys{"woa", "graph", "inputs", "stages", "kernel", "in",   "from",
                                           "max", "type",  "params", "on",     "source", "loop", "no name"};
    return keys[pick(keys.size())];
  }

  void add_or_remove(Json& node) {
    if (node.is_object() && !node.empty() && pick(2) == 0) {
      node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(pick(node.size()))));
    } else if (node.is_object()) {
      node[key()] = value();
    } else if (node.is_array()) {
      node.push_back(value());
    }
  }

  void rename(Json& node) {
    if (!node.is_object() || node.empty()) return;
    const auto item = std::next(node.begin(), static_cast<std::ptrdiff_t>(pick(node.size())));
    Json value = item.value();
    node.erase(item);
    node[key()] = std::move(value);
  }

  std::mt19937 random_;
};

// True for sizes that are too small, or bounds that nothing gives: right in shape, wrong in meaning.
bool is_meaning(const std::string& problems) {
  return problems.find("has no bound") != std::string::npos ||
         problems.find("more than its bound") != std::string::npos;
}

TEST_CASE("schema and compiler agree on examples that were changed at random") {
  SchemaOf schema("graph");
  std::vector<Json> graphs;
  for (const fs::path& path : examples("graph")) {
    Json graph = to_json(YAML::LoadFile(path));
    if (graph.contains("stages")) graphs.push_back(std::move(graph));
  }
  std::size_t rejected = 0, compared = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    Json graph = graphs[seed % graphs.size()];
    Mutator mutator(seed);
    mutator.change(graph);
    const std::string text = graph.dump();
    const Shape shape = shape_of(text, kRoot / "graphs", {kRoot / "kernels"});
    if (shape.unreadable || is_meaning(shape.problems)) continue;
    INFO("seed " << seed << "\n" << text << "\n" << shape.problems);
    const bool accepted = schema.accepts(graph);
    CHECK(accepted == shape.problems.empty());
    rejected += accepted ? 0U : 1U;
    ++compared;
  }
  CHECK(rejected >= 250);
  CHECK(compared - rejected >= 75);
}

// Values in every spelling that YAML and JSON have for them. Octal and hexadecimal numbers are left out: see below.
const std::vector<std::string>& spellings() {
  static const std::vector<std::string> kSpellings{"0",          "1",          "+1",       "-1",
                                                   "01",         "007",        "08",       "64",
                                                   "+064",       "65",         "1024",     "1025",
                                                   "1.0",        "1.",         "+1.0",     "1.5",
                                                   ".5",         "1e1",        "1E1",      "1e+1",
                                                   "6.4e1",      "1e-1",       "10e-1",    "1e2",
                                                   "0e0",        "-0",         "-0.0",     "0.0",
                                                   "4294967295", "4294967296", "\"1\"",    "'1'",
                                                   "\"+1\"",     "\"01\"",     "\"1.0\"",  "\"1e1\"",
                                                   "\"-0\"",     "\"-1\"",     "\"0\"",    "\"64\"",
                                                   "\"65\"",     "\" 1\"",     "\"1 \"",   "\"4294967296\"",
                                                   "true",       "True",       "TRUE",     "tRUE",
                                                   "false",      "False",      "FALSE",    "\"true\"",
                                                   "'True'",     "\"FALSE\"",  "yes",      "no",
                                                   "on",         "off",        "y",        "null",
                                                   "~",          "Null",       "nUll",     "\"null\"",
                                                   "\"~\"",      "64KiB",      "+64KiB",   "\"64KiB\"",
                                                   "\"+64KiB\"", "64 KiB",     "64kib",    "64K",
                                                   "64B",        "0B",         "00KiB",    "1.5KiB",
                                                   "1e1KiB",     "-1KiB",      "16MiB",    "5ms",
                                                   "05ms",       "+5ms",       "5 ms",     "5sec",
                                                   "1e1ms",      "0ms",        "5m",       "\"5ms\"",
                                                   "1min",       "250MHz",     "+250MHz",  "0MHz",
                                                   "700W",       "8GB/s",      "+8GB/s",   "0GB/s",
                                                   "10Gbit/s",   "1_000",      "0b1",      "a",
                                                   "a-b",        "1bad",       "cpu",      "gpu",
                                                   "cpu:0",      "cpu:1023",   "cpu:1024", "cpu:01",
                                                   "cpu:+1",     "tpu:1",      "host",     "int",
                                                   "bytes",      "instance",   "run",      "{}",
                                                   "[]",         "[1]",        "{max: 2}", "\"\""};
  return kSpellings;
}

// Files that the compiler accepts with some value in place of the `@`.
std::vector<std::string> graph_places() {
  const std::string graph = "inputs: {x: {type: bytes, max: 64}}\noutputs: {y: s.out}\n";
  const std::string stage = "woa: 1\ngraph: g\n" + graph + "stages: {s: {kernel: copy, in: {in: ";
  const std::string wide =
      "woa: 1\ngraph: g\nstages: {s: {kernel: copy, in: {in: x}}}\noutputs: {y: s.out}\ninputs: {x: {";
  const std::string plain = "woa: 1\ngraph: g\n" + graph + "stages: {s: {kernel: copy, in: {in: x}}}\n";
  const std::string part =
      plain +
      "graphs: {p: {inputs: {i: {type: bytes}}, outputs: {o: t.out}, stages: {t: {kernel: copy, in: {in: i}}}, "
      "params: {n: {";
  return {"woa: @\ngraph: g\n" + graph + "stages: {s: {kernel: copy, in: {in: x}}}\n",
          "woa: 1\ngraph: @\n" + graph + "stages: {s: {kernel: copy, in: {in: x}}}\n",
          plain + "window: @\n",
          plain + "deadline: @\n",
          stage + "x}, replicas: @}}\n",
          stage + "x}, unordered: @}}\n",
          stage + "x}, max: @}}\n",
          stage + "x}, max: {in: @}}}\n",
          stage + "x}, on: @}}\n",
          stage + "{from: x, hold: @}}}}\n",
          stage + "{from: x, lane: @}}}}\n",
          stage + "@}}}\n",
          stage + "{from: @}}}}\n",
          stage + "[x, {from: s.out, loop: {max: @}}]}}}\n",
          stage + "[x, {from: s.out, loop: {max: 2, name: @}}]}}}\n",
          stage + "x}, params: {p: @}}}\n",
          stage + "x}, needs: @}}\n",
          wide + "type: bytes, max: @}}\n",
          wide + "type: @, max: 64}}\n",
          wide + "type: \"u8[n]\", dims: {n: {max: @}}}}\n",
          part + "type: @}}}}\n",
          part + "type: int, min: @}}}}\n",
          part + "type: float, max: @}}}}\n",
          part + "type: bool, max: @}}}}\n"};
}

std::vector<std::string> kernel_places() {
  const std::string kernel = "woa_kernel: 1\nname: k\nlibrary: l.so\n";
  const std::string ports = "in: {i: {type: bytes}}\nout: {o: {type: bytes, max: 64}}\n";
  const std::string cpu = "variants: {cpu: {}}\n";
  const std::string cuda = kernel + ports + "variants: {cuda: {size: true, source: k.cu, entry: k, global: [bytes], ";
  return {"woa_kernel: @\nname: k\nlibrary: l.so\n" + ports + cpu,
          "woa_kernel: 1\nname: @\nlibrary: l.so\n" + ports + cpu,
          kernel + ports + cpu + "summary: @\n",
          kernel + ports + cpu + "stateful: @\n",
          kernel + ports + cpu + "scratch: @\n",
          kernel + ports + "variants: {cpu: {size: @}}\n",
          kernel + ports + "variants: {cpu: {resources: {memory: @}}}\n",
          kernel + ports + "variants: {cpu: {resources: {luts: @}}}\n",
          kernel + ports + "variants: {cpu: {resources: {sms: @}}}\n",
          cuda + "block: [@]}}\n",
          cuda + "block: @}}\n",
          cuda + "shared: @}}\n",
          cuda + "resident: @}}\n",
          kernel + ports + "variants: {rtl: {size: true, core: c, clock_mhz: @}}\n",
          kernel + ports + "variants: {rtl: {size: true, core: c, clock_mhz: 1, resources: @}}\n",
          kernel + ports + "variants: {rtl: {size: true, core: c, clock_mhz: 1, resources: {luts: @}}}\n",
          kernel + ports + "variants: {rtl: {size: true, core: c, clock_mhz: 1, resources: {xc7: @}}}\n",
          kernel + ports + "variants: {rtl: {size: true, core: c, clock_mhz: 1, resources: {xcup: {luts: @}}}}\n",
          kernel + cpu + "in: {i: {type: bytes, max: @}}\n",
          kernel + cpu + "in: {i: {type: bytes, gather: @}}\n",
          kernel + cpu + "in: {i: {type: bytes}}\nout: {o: {type: bytes, max: 8, optional: @}}\n",
          kernel + cpu + "in: {i: {type: bytes}}\nout: {o: {type: bytes, max: 8, one_of: @}}\n",
          kernel + cpu + "in: {i: {type: bytes}}\nout: {o: {type: bytes, max: 8, many: {max: @}}}\n",
          kernel + cpu + "in: {i: {type: \"u8[n]\"}}\ndims: {n: {max: @}}\n",
          kernel + ports + cpu + "params: {p: {type: int, max: @}}\n",
          kernel + ports + cpu + "params: {p: {type: float, min: @}}\n",
          kernel + ports + cpu + "params: {p: {type: string, default: @}}\n"};
}

std::vector<std::string> machine_places() {
  const std::string machine = "woa_machine: 1\ncontrollers: {\"cpu:0\": {";
  return {"woa_machine: @\ncontrollers: {\"cpu:0\": {}}\n",
          machine + "workers: @}}\n",
          machine + "memory: @}}\n",
          machine + "sms: @}}\n",
          "woa_machine: 1\ncontrollers: {\"fpga:0\": {family: @}}\n",
          "woa_machine: 1\ncontrollers: {\"gpu:0\": {backend: cuda, registers: @}}\n",
          machine + "price: @}}\n",
          machine + "power: @}}\n",
          machine + "clock: @}}\n",
          "woa_machine: 1\ncontrollers: {\"cpu:0\": {}}\ncores: {c: @}\n",
          "woa_machine: 1\ncontrollers: {\"cpu:0\": {}}\ndefault_link: {latency: @, bandwidth: 1GB/s}\n",
          "woa_machine: 1\ncontrollers: {\"cpu:0\": {}}\ndefault_link: {latency: 1us, bandwidth: @}\n"};
}

std::vector<std::string> places(const std::string& kind) {
  return kind == "graph" ? graph_places() : kind == "kernel" ? kernel_places() : machine_places();
}

Shape shape_of(const std::string& kind, const std::string& text) {
  if (kind == "graph") return shape_of(text, kGolden, {kGolden / "kernels"});
  Report report;
  const std::uint32_t source = report.add_source(kind + ".yaml", text);
  if (kind == "kernel") {
    (void)read_kernel(source, report);
  } else {
    (void)read_machine(source, report);
  }
  return shape_of(report.take());
}

TEST_CASE("schema and compiler agree on every spelling of a value in every kind of place") {
  std::size_t compared = 0, rejected = 0;
  for (const std::string kind : {"graph", "kernel", "machine"}) {
    SchemaOf schema(kind);
    for (const std::string& place : places(kind)) {
      std::size_t accepted_here = 0;
      for (const std::string& spelling : spellings()) {
        std::string text = place;
        text.replace(text.find('@'), 1, spelling);
        const Shape shape = shape_of(kind, text);
        if (shape.unreadable || is_meaning(shape.problems)) continue;
        INFO(text << "\n" << shape.problems);
        const bool accepted = schema.accepts(to_json(YAML::Load(text)));
        CHECK(accepted == shape.problems.empty());
        ++compared;
        ++(accepted ? accepted_here : rejected);
      }
      INFO(place);
      CHECK(accepted_here > 0);
    }
  }
  CHECK(compared >= 5'000);
  CHECK(rejected >= 2'000);
}

TEST_CASE("numbers are decimal: that one is written otherwise is all that a schema does not see") {
  SchemaOf schema("graph");
  for (const char* one : {"0x1", "0o1"}) {
    std::string text = places("graph").front();
    text.replace(text.find('@'), 1, one);
    CHECK_FALSE(shape_of("graph", text).problems.empty());
    CHECK(schema.accepts(to_json(YAML::Load(text))));
  }
}

}  // namespace
}  // namespace woa
