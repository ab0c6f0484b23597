// The schemas under compiler/schema and the compiler say the same of a file's shape: of every example, of every bad
// graph and kernel of the golden tests, and of graphs that were changed at random.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
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

// A scalar as the core schema of YAML 1.2 takes it, which is what editors do.
Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  if (std::regex_match(text, std::regex("-?(0|[1-9][0-9]{0,17})"))) return std::stoll(text);
  if (std::regex_match(text, std::regex("-?[0-9]+\\.[0-9]+"))) return std::stod(text);
  return text;
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
    const nlohmann::json plain = nlohmann::json::parse(file.dump());
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(plain), nullptr);
  }

 private:
  valijson::Schema schema_;
};

// What the compiler finds wrong with the shape of the graph file itself; what JSON cannot say is `unreadable`.
struct Shape {
  std::string problems;
  bool unreadable = false;
};

Shape shape_of(const std::vector<Diagnostic>& diagnostics) {
  Shape shape;
  for (const Diagnostic& diagnostic : diagnostics) {
    shape.unreadable = shape.unreadable || kNotJson.contains(diagnostic.code);
    if (kShapeCodes.contains(diagnostic.code)) shape.problems += format(diagnostic, false);
    // Reported as what they mean, but a matter of form as well.
    const bool other_form = diagnostic.code == "E0203" || diagnostic.code == "E0601" || diagnostic.code == "E0603" ||
                            diagnostic.text.starts_with("`global` lists") ||
                            (diagnostic.code == "E0117" && (diagnostic.text.find("unordered") != std::string::npos ||
                                                            diagnostic.text.find("cuda") != std::string::npos));
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
  // What is wrong for what other lines say, or is rejected by both but not as a matter of shape.
  const std::set<std::string> meaning{
      "type-of-input",   // a bound that the dimensions do not reach
      "subgraph-loops",  // `max` by a parameter whose value is 0
      "bad-hold",        // `hold` and `loop` on one edge
      // Numbers with a unit that are too large, and a number that JSON writes in two ways.
      "size-overflow", "size-too-large", "type-too-large", "time-overflow", "version-written-otherwise"};
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

  // Every kind of scalar but `true`, which an editor does not take for the name that it may be.
  Json value() {
    const std::array<Json, 22> values{
        1,       0,       64,      65,    "1",     "0", "x",        "a-b",  "1bad",  "s.out",        "a.b.c",
        "64KiB", "500ms", "bytes", "cpu", "tpu:1", 1.5, "u8[h, 3]", "u8[]", nullptr, Json::object(), Json::array()};
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

// Sizes that are too small, or bounds that nothing gives: of right shape, wrong in meaning.
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
  for (unsigned seed = 0; seed < 4'000; ++seed) {
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
  CHECK(rejected >= 1'000);
  CHECK(compared - rejected >= 300);
}

}  // namespace
}  // namespace woa
