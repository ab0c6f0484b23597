// An editor's use of compiler/schema: keys to complete and words about them. The schemas and the compiler know the same
// keys.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/parse/kernel_file.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kRoot = WOA_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Json schema(const std::string& kind) {
  return Json::parse(text_of(kRoot / "compiler/schema" / (kind + ".schema.json")));
}

// Calls `look` with each schema that is part of `part`, and with whether it only restricts what others describe.
void walk(const Json& part, bool restricts, const std::function<void(const Json&, bool)>& look) {
  look(part, restricts);
  for (const char* key : {"properties", "definitions"})
    for (const Json& each : part.value(key, Json::object())) walk(each, restricts, look);
  for (const char* key : {"anyOf", "oneOf", "allOf"})
    for (const Json& each : part.value(key, Json::array())) walk(each, restricts, look);
  for (const char* key : {"items", "additionalProperties", "propertyNames"})
    if (part.contains(key) && part[key].is_object()) walk(part[key], restricts, look);
  for (const char* key : {"if", "then", "else", "not"})
    if (part.contains(key)) walk(part[key], true, look);
}

TEST_CASE("the schemas are of draft-07: their keywords, and references that lead somewhere") {
  const std::set<std::string> keywords{"$schema",
                                       "$id",
                                       "$ref",
                                       "title",
                                       "description",
                                       "examples",
                                       "type",
                                       "enum",
                                       "const",
                                       "required",
                                       "properties",
                                       "propertyNames",
                                       "minProperties",
                                       "additionalProperties",
                                       "definitions",
                                       "items",
                                       "minItems",
                                       "maxItems",
                                       "uniqueItems",
                                       "pattern",
                                       "minimum",
                                       "maximum",
                                       "anyOf",
                                       "oneOf",
                                       "allOf",
                                       "not",
                                       "if",
                                       "then",
                                       "else"};
  const std::set<std::string> types{"object", "array", "string", "integer", "number", "boolean", "null"};
  for (const char* kind : {"graph", "machine", "kernel"}) {
    const Json root = schema(kind);
    CHECK(root["$schema"] == "http://json-schema.org/draft-07/schema#");
    walk(root, false, [&](const Json& part, bool) {
      for (const auto& [key, value] : part.items()) {
        INFO(kind << ": " << part.dump());
        CHECK(keywords.contains(key));
        if (key == "$ref") CHECK(root.contains(Json::json_pointer(value.get<std::string>().substr(1))));
        if (key == "type")
          for (const Json& type : value.is_array() ? value : Json::array({value})) CHECK(types.contains(type));
      }
    });
  }
}

TEST_CASE("every key is explained") {
  for (const char* kind : {"graph", "machine", "kernel"}) {
    std::size_t known = 0;
    walk(schema(kind), false, [&](const Json& part, bool restricts) {
      if (restricts) return;
      const Json keys = part.value("properties", Json::object());
      for (const auto& [key, value] : keys.items()) {
        INFO(kind << ": " << key);
        CHECK(value.value("description", "").size() >= 8);
        ++known;
      }
    });
    CHECK(known >= 25);
  }
}

TEST_CASE("the kernels that are offered are those that are shipped") {
  std::vector<std::string> shipped;
  for (const auto& entry : fs::directory_iterator(kRoot / "kernels"))
    if (fs::exists(entry.path() / "kernel.yaml")) shipped.push_back(entry.path().filename());
  std::ranges::sort(shipped);
  CHECK(schema("graph")["definitions"]["stage"]["properties"]["kernel"]["examples"] == Json(shipped));
}

// The keys between backticks, behind `accepted keys:`.
std::set<std::string> accepted_keys(const std::vector<Diagnostic>& diagnostics) {
  std::set<std::string> keys;
  for (const Diagnostic& diagnostic : diagnostics) {
    const std::size_t list = diagnostic.fix.find("accepted keys: ");
    if (diagnostic.text.find("unknown key `zzz`") == std::string::npos || list == std::string::npos) continue;
    std::istringstream words(diagnostic.fix.substr(list));
    for (std::string word, between = "x"; std::getline(words, between, '`') && std::getline(words, word, '`');)
      keys.insert(word);
  }
  return keys;
}

std::set<std::string> properties(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object["properties"].items()) keys.insert(key);
  return keys;
}

TEST_CASE("the schema of graphs has the keys that the compiler accepts") {
  const auto keys = [](const std::string& text) {
    return accepted_keys(compile_text(text, "graph.yaml", "folder", test::fixture_options()).diagnostics);
  };
  const Json root = schema("graph"), parts = root["definitions"];
  const std::string begin = "woa: 1\ngraph: g\n";
  CHECK(keys(begin + "zzz: 1\n") == properties(root));
  CHECK(keys(begin + "inputs: {x: {zzz: 1}}\n") == properties(parts["graphInput"]));
  const std::string use = "stages: {s: {graph: p}}\n";
  CHECK(keys(begin + use + "graphs: {p: {zzz: 1}}\n") == properties(parts["subgraph"]));
  CHECK(keys(begin + use + "graphs: {p: {inputs: {x: {zzz: 1}}}}\n") ==
        properties(parts["subgraph"]["properties"]["inputs"]["additionalProperties"]));
  std::set<std::string> stage = properties(parts["stage"]);
  CHECK(stage.erase("unordered") == 1);  // refused, with a message of its own
  CHECK(keys(begin + "stages: {s: {zzz: 1}}\n") == stage);
  const Json edge = parts["edge"]["anyOf"][1];
  CHECK(keys(begin + "stages: {s: {kernel: copy, in: {in: {zzz: 1}}}}\n") == properties(edge));
  CHECK(keys(begin + "stages: {s: {kernel: copy, in: {in: {from: x, loop: {zzz: 1}}}}}\n") ==
        properties(edge["properties"]["loop"]));
}

TEST_CASE("the schema of machine files has the keys that the compiler accepts") {
  const fs::path file = fs::temp_directory_path() / ("woa-schema-" + std::to_string(::getpid()) + ".yaml");
  const auto keys = [&](const std::string& text) {
    std::ofstream(file) << text;
    return accepted_keys(read_machine_file(file).diagnostics);
  };
  const Json root = schema("machine"), parts = root["definitions"];
  const std::string begin = "woa_machine: 1\n";
  CHECK(keys(begin + "zzz: 1\n") == properties(root));
  CHECK(keys(begin + "controllers: {\"cpu:0\": {zzz: 1}}\n") == properties(parts["controller"]));
  CHECK(keys(begin + "controllers: {\"cpu:0\": {}}\nlinks: [{zzz: 1}]\n") == properties(parts["links"]["items"]));
  CHECK(keys(begin + "controllers: {\"cpu:0\": {}}\ndefault_link: {zzz: 1}\n") ==
        properties(root["properties"]["default_link"]));
  fs::remove(file);
}

TEST_CASE("the schema of machine files offers the back-ends of the table") {
  const Json root = schema("machine");
  std::set<std::string> offered, known;
  for (const Json& name : root["definitions"]["controller"]["properties"]["backend"]["enum"])
    if (name.is_string()) offered.insert(name);
  for (const KnownBackend& backend : kBackends)
    if (backend.kind != ControllerKind::kHost) known.emplace(backend.name);
  CHECK(offered == known);
}

TEST_CASE("the schema of kernels has the keys that the compiler accepts") {
  const auto keys = [](const std::string& text) {
    Report report;
    (void)read_kernel(report.add_source("kernel.yaml", "woa_kernel: 1\n" + text), report);
    return accepted_keys(report.take());
  };
  const Json root = schema("kernel"), parts = root["definitions"];
  const Json variants = root["properties"]["variants"]["properties"];
  CHECK(keys("zzz: 1\n") == properties(root));
  CHECK(keys("in: {x: {zzz: 1}}\n") == properties(parts["input"]));
  CHECK(keys("in: {x: {type: bytes}}\nout: {y: {zzz: 1}}\n") == properties(parts["output"]));
  CHECK(keys("in: {x: {type: bytes}}\nparams: {p: {zzz: 1}}\n") == properties(parts["param"]));
  for (const char* kind : {"cpu", "opencl", "cuda", "rtl"})
    CHECK(keys(std::string("in: {x: {type: bytes}}\nvariants: {") + kind + ": {zzz: 1}}\n") ==
          properties(variants[kind]));
  CHECK(keys("in: {x: {type: bytes}}\nvariants: {cpu: {resources: {zzz: 1}}}\n") == properties(parts["resources"]));
  CHECK(keys("in: {x: {type: bytes}}\nvariants: {rtl: {core: c, clock_mhz: 1, resources: {xc7: {}, zzz: 1}}}\n") ==
        properties(parts["families"]));
}

}  // namespace
}  // namespace woa
