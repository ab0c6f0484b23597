#include "compiler/parse/graph_file.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "compiler/parse/reader.h"
#include "runtime/plan/plan.h"

namespace woa {
namespace {

constexpr std::uint64_t kMaxTurns = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kWriterForm = "`STAGE.PORT` or the name of a graph input";

// The text of a value, without the quotes around it.
Place inside_quotes(const YamlNode& node) {
  Place place = node.place;
  if (place.length == node.text.size() + 2) ++place.column, place.length -= 2;
  return place;
}

bool read_reference(const YamlNode& node, WriterRef& ref, Report& report) {
  ref.place = inside_quotes(node);
  if (node.kind != YamlNode::Kind::kScalar) {
    report.error(problem::kWrongShape, node.place, "a writer must be a single value", cat("write ", kWriterForm));
    return false;
  }
  const std::size_t dot = node.text.find('.');
  const bool stage = dot != std::string::npos;
  if (stage) ref.stage = node.text.substr(0, dot);
  ref.port = stage ? node.text.substr(dot + 1) : node.text;
  if (is_name(ref.port) && (!stage || is_name(ref.stage))) return true;
  report.error(problem::kBadName, node.place, cat(quote(node.text), " names no writer"), cat("write ", kWriterForm));
  return false;
}

// The NAME of `{param: NAME}`; nothing, after a report, if it is no name.
std::optional<std::string> read_param_ref(const YamlNode& node, Report& report) {
  const MapReader map(&node, "the use of a parameter", {"param"}, report);
  const YamlNode* name = map.need("param", "param: NAME");
  return name == nullptr ? std::nullopt : read_name(*name, "the name of a parameter", report);
}

void read_loop_max(const YamlNode& node, LoopMark& loop, Report& report) {
  loop.max_place = node.place;
  if (node.kind == YamlNode::Kind::kMap) {
    loop.max_param = read_param_ref(node, report).value_or("");
  } else if (const auto turns = read_integer(node, "`max`", 1, kMaxTurns, report)) {
    loop.max = static_cast<std::uint32_t>(*turns);
  }
}

LoopMark read_loop(const YamlNode& node, Report& report) {
  LoopMark loop{node.place, {}, {}};
  const std::size_t errors = report.errors();
  const MapReader map(&node, "a loop", {"max", "name"}, report);
  if (const YamlNode* name = map.get("name")) loop.name = read_name(*name, "the name of a loop", report).value_or("");
  if (const YamlNode* max = map.get("max")) read_loop_max(*max, loop, report);
  loop.broken = report.errors() != errors;
  return loop;
}

std::optional<WriterRef> read_writer(const YamlNode& node, Report& report) {
  WriterRef ref;
  if (node.kind != YamlNode::Kind::kMap) return read_reference(node, ref, report) ? std::optional(ref) : std::nullopt;
  const std::size_t errors = report.errors();
  const MapReader map(&node, "an input", {"from", "loop", "hold", "lane"}, report);
  const YamlNode* from = map.need("from", "from: STAGE.PORT");
  if (const YamlNode* hold = map.get("hold")) ref.hold = read_bool(*hold, "`hold`", report).value_or(false);
  ref.unclear = report.errors() != errors;
  if (const YamlNode* loop = map.get("loop")) ref.loop = read_loop(*loop, report);
  if (const YamlNode* lane = map.get("lane")) ref.lane = read_name(*lane, "the name of a lane", report).value_or("");
  if (from == nullptr || !read_reference(*from, ref, report)) return std::nullopt;
  return ref;
}

PortUse read_port_use(const YamlNode& key, const YamlNode& value, Report& report) {
  PortUse use{key.text, key.place, {}};
  if (value.kind == YamlNode::Kind::kList && value.items.empty()) {
    report.error(problem::kWrongShape, value.place, "an empty list of writers", cat("write ", kWriterForm));
  }
  const bool list = value.kind == YamlNode::Kind::kList;
  for (std::size_t i = 0; i < (list ? value.items.size() : 1); ++i) {
    auto writer = read_writer(list ? value.items[i] : value, report);
    use.complete = use.complete && writer;
    if (writer) use.writers.push_back(std::move(*writer));
  }
  return use;
}

std::vector<PortUse> read_port_uses(const YamlNode* node, std::string_view what, std::string_view hint,
                                    Report& report) {
  std::vector<PortUse> uses;
  if (node == nullptr || !expect_map(*node, what, hint, report)) return uses;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    if (read_name(node->keys[i], "the name of a port", report)) {
      uses.push_back(read_port_use(node->keys[i], node->items[i], report));
    }
  }
  return uses;
}

// Nothing, after a report, if a key and its value have run together.
std::optional<ParamUse> read_param(const YamlNode& key, const YamlNode& value, Report& report) {
  const std::size_t blank = key.text.find(' ');
  if (value.kind == YamlNode::Kind::kNull && blank != std::string::npos) {
    report.error(problem::kWrongShape, key.place, cat(quote(key.text), " has no value"),
                 cat("a colon may be missing: ", quote(cat(key.text.substr(0, blank), ":", key.text.substr(blank)))));
    return std::nullopt;
  }
  ParamUse use{key.text, key.place, value.place};
  if (value.kind == YamlNode::Kind::kMap) {
    use.param = read_param_ref(value, report).value_or("");
  } else {
    use.value = read_text(value, cat("parameter ", quote(key.text)), report);
  }
  return use;
}

std::vector<ParamUse> read_params(const YamlNode* node, Report& report) {
  std::vector<ParamUse> params;
  if (node == nullptr || !expect_map(*node, "`params`", "`{width: 1280}`", report)) return params;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    if (auto param = read_param(node->keys[i], node->items[i], report)) params.push_back(std::move(*param));
  }
  return params;
}

void read_replicas(const MapReader& map, StageDecl& stage, Report& report) {
  if (const YamlNode* replicas = map.get("replicas")) {
    stage.replicas_place = replicas->place;
    const auto count = read_integer(*replicas, "`replicas`", 1, kMaxReplicas, report);
    if (count) stage.replicas = static_cast<std::uint32_t>(*count);
  }
  const YamlNode* unordered = map.get("unordered");
  if (unordered == nullptr || !read_bool(*unordered, "`unordered`", report).value_or(false)) return;
  report.error(problem::kNotSupported, unordered->place,
               "`unordered` would change nothing: replicas never wait for one another, and tokens are matched by "
               "instance, not by arrival",
               "leave it out");
}

std::optional<PortBound> read_bound(const YamlNode& key, const YamlNode& value, Report& report) {
  if (!read_name(key, "the name of a port", report)) return std::nullopt;
  const auto bytes = read_size(value, cat("the bound of ", quote(key.text)), report);
  if (!bytes) return std::nullopt;
  if (*bytes == 0) {
    report.error(problem::kBadValue, value.place, "a bound of 0: no token would fit", "write a size of at least 1");
    return std::nullopt;
  }
  if (*bytes > kMaxPortBytes) {
    report.error(problem::kBadBound, value.place, "the bound of a port is over 64 GiB", "write at most `64GiB`");
    return std::nullopt;
  }
  return PortBound{key.text, key.place, *bytes};
}

void read_bounds(const YamlNode* node, StageDecl& stage, Report& report) {
  if (node == nullptr || !expect_map(*node, "`max` of a stage", "`{PORT: 64MiB}`", report)) return;
  if (!stage.graph.empty()) {
    report.error(problem::kBadBound, node->place,
                 cat("stage ", quote(stage.name), " uses a sub-graph, which has no bounds of its own"),
                 cat("set `max` at the stages inside ", quote(stage.graph)));
    return;
  }
  for (std::size_t i = 0; i < node->keys.size(); ++i)
    if (auto bound = read_bound(node->keys[i], node->items[i], report)) stage.max.push_back(std::move(*bound));
}

void read_isolation(const MapReader& map, StageDecl& stage, Report& report) {
  if (const YamlNode* isolate = map.get("isolate")) {
    stage.isolation_place = isolate->place;
    stage.isolate = read_bool(*isolate, "`isolate`", report);
  }
  if (const YamlNode* limit = map.get("limit")) {
    stage.isolation_place = limit->place;
    stage.limit_ns = read_duration(*limit, "`limit`", report);
  }
  if (stage.limit_ns && stage.isolate == false)
    report.error(problem::kWrongShape, stage.isolation_place,
                 cat("stage ", quote(stage.name), " has a `limit`, which only an isolated kernel can have"),
                 "remove `isolate: false`, or `limit`");
  if (!stage.graph.empty() && (stage.isolate || stage.limit_ns))
    report.error(problem::kWrongShape, stage.isolation_place,
                 cat("stage ", quote(stage.name), " uses a sub-graph, which is not isolated itself"),
                 cat("set `isolate` and `limit` at the stages inside ", quote(stage.graph)));
}

// Reads `kernel` or `graph`.
void read_what(const MapReader& map, StageDecl& stage, Report& report) {
  const YamlNode* graph = map.get("graph");
  const YamlNode* kernel =
      graph != nullptr || map.misspelt("graph") ? map.get("kernel") : map.need("kernel", "kernel: NAME");
  if (graph != nullptr && kernel != nullptr) {
    report.error(problem::kWrongShape, kernel->place,
                 cat("stage ", quote(stage.name), " has both `kernel` and `graph`, but runs one of them"),
                 "remove one; `graph` names a sub-graph", {{graph->place, "the sub-graph"}});
  } else if (graph != nullptr) {
    stage.graph = read_name(*graph, "the name of a sub-graph", report).value_or("");
    stage.kernel_place = graph->place;
  } else if (kernel != nullptr) {
    stage.kernel = read_name(*kernel, "the name of a kernel", report).value_or("");
    stage.kernel_place = kernel->place;
  }
}

StageDecl read_stage(const YamlNode& key, const YamlNode& value, Report& report) {
  StageDecl stage;
  stage.name = key.text;
  stage.place = stage.kernel_place = stage.on_place = stage.replicas_place = key.place;
  const MapReader map(value.kind == YamlNode::Kind::kNull ? nullptr : &value, cat("stage ", quote(key.text)),
                      {"kernel", "graph", "in", "params", "on", "replicas", "needs", "max", "isolate", "limit"}, report,
                      {"unordered"});
  if (value.kind == YamlNode::Kind::kNull) {
    report.error(problem::kMissingKey, key.place, cat("stage ", quote(key.text), " is empty"),
                 "write `{kernel: NAME, in: {PORT: WRITER}}`");
  }
  read_replicas(map, stage, report);
  read_what(map, stage, report);
  const std::size_t errors = report.errors();
  stage.in = read_port_uses(map.get("in"), "`in`", "`{PORT: STAGE.PORT}`", report);
  stage.in_complete = map.is_map() && report.errors() == errors && !map.misspelt("in");
  const std::size_t errors_before_params = report.errors();
  stage.params = read_params(map.get("params"), report);
  stage.params_complete = map.is_map() && report.errors() == errors_before_params && !map.misspelt("params");
  if (const YamlNode* on = map.get("on")) {
    stage.on = read_text(*on, "`on`", report).value_or("");
    stage.on_place = on->place;
    if (on->kind == YamlNode::Kind::kScalar && stage.on.empty())
      report.error(problem::kBadPin, on->place, "`on` is an empty text, which names no controller",
                   "write a controller (`cpu:1`) or its kind, or leave `on` out");
  }
  stage.needs = read_needs(map.get("needs"), report);
  read_bounds(map.get("max"), stage, report);
  read_isolation(map, stage, report);
  return stage;
}

void read_stages(const YamlNode* node, GraphBody& graph, Report& report) {
  if (node == nullptr || !expect_map(*node, "`stages`", "`NAME: {kernel: ..., in: {...}}`", report)) return;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& key = node->keys[i];
    if (!read_name(key, "the name of a stage", report)) continue;
    if (key.text == "source" || key.text == "sink" || key.text == "host") {
      report.error(problem::kBadName, key.place, cat("the stage name ", quote(key.text), " is taken by the runtime"),
                   "choose another name");
      continue;
    }
    graph.stages.push_back(read_stage(key, node->items[i], report));
  }
}

void read_inputs(const YamlNode* node, GraphFile& graph, Report& report) {
  if (node == nullptr || !expect_map(*node, "`inputs`", "`NAME: {type: bytes, max: 16MiB}`", report)) return;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& key = node->keys[i];
    if (!read_name(key, "the name of a graph input", report)) continue;
    GraphInput input{key.text, key.place, {}};
    const MapReader map(&node->items[i], cat("graph input ", quote(key.text)), {"type", "max", "dims"}, report);
    const YamlNode* dims = map.get("dims");
    if (map.is_map()) input.type = read_port_type(map, read_dimension_bounds(dims, report), report);
    if (input.type) check_dimensions(dims, {*input.type}, report);
    const bool bounded = !input.type || input.type->max_bytes != 0 || map.misspelt("max");
    if (node->items[i].kind == YamlNode::Kind::kNull || !bounded) {
      report.error(problem::kMissingKey, key.place, cat("graph input ", quote(key.text), " has no bound"),
                   "write `{type: bytes, max: 16MiB}`");
      input.type.reset();
    }
    graph.inputs.push_back(std::move(input));
  }
}

// Inputs of a sub-graph have no `max`: their writers bound the tokens.
void read_subgraph_inputs(const YamlNode* node, SubgraphDecl& graph, Report& report) {
  if (node == nullptr || !expect_map(*node, "`inputs`", "`NAME: {type: bytes}`", report)) return;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& key = node->keys[i];
    if (!read_name(key, "the name of an input", report)) continue;
    GraphInput input{key.text, key.place, {}};
    const MapReader map(&node->items[i], cat("input ", quote(key.text)), {"type"}, report);
    if (map.is_map()) input.type = read_port_type(map, {}, report);
    if (node->items[i].kind == YamlNode::Kind::kNull) {
      report.error(problem::kMissingKey, key.place, cat("input ", quote(key.text), " has no type"),
                   "write `{type: bytes}`, or the type that its readers have");
    }
    graph.inputs.push_back(std::move(input));
  }
}

SubgraphDecl read_subgraph(const YamlNode& key, const YamlNode& value, Report& report) {
  SubgraphDecl graph;
  const std::size_t errors = report.errors();
  graph.name = key.text;
  graph.place = key.place;
  const MapReader map(&value, cat("sub-graph ", quote(key.text)), {"inputs", "params", "stages", "outputs"}, report);
  if (value.kind == YamlNode::Kind::kNull) {
    report.error(problem::kMissingKey, key.place, cat("sub-graph ", quote(key.text), " is empty"),
                 "write `{inputs: {...}, stages: {...}, outputs: {...}}`");
  }
  graph.params = read_param_decls(map.get("params"), report);
  for (const ParamDecl& param : graph.params) {
    if (!param.secret) continue;
    report.error(problem::kUnknownKey, key.place,
                 cat("parameter ", quote(param.name), " of sub-graph ", quote(key.text), " is marked secret"),
                 "leave it out: a kernel takes its secrets from the environment itself");
  }
  read_subgraph_inputs(map.need("inputs", "inputs: {NAME: {type: bytes}}"), graph, report);
  graph.outputs =
      read_port_uses(map.need("outputs", "outputs: {NAME: STAGE.PORT}"), "`outputs`", "`{NAME: STAGE.PORT}`", report);
  graph.all_declared = report.errors() == errors;
  read_stages(map.need("stages", "stages: {NAME: {kernel: ...}}"), graph, report);
  graph.complete = report.errors() == errors;
  return graph;
}

bool has_key(const YamlNode& map, std::string_view key) {
  return std::any_of(map.keys.begin(), map.keys.end(), [&](const YamlNode& k) { return k.text == key; });
}

void read_graphs(const YamlNode* node, GraphLibrary& library, Report& report) {
  if (node == nullptr) return;
  const bool map = expect_map(*node, "`graphs`", "`NAME: {inputs: {...}, stages: {...}}`", report);
  if (map && has_key(*node, "stages") && has_key(*node, "outputs")) {
    report.error(problem::kMissingKey, node->place, "`graphs` holds what a sub-graph does, but no name of one",
                 "write `NAME: {inputs: {...}, stages: {...}, outputs: {...}}`");
    library.all_named = false;
    return;
  }
  library.all_named = library.all_named && map;
  for (std::size_t i = 0; i < (map ? node->keys.size() : 0); ++i) {
    const bool named = read_name(node->keys[i], "the name of a sub-graph", report).has_value();
    library.all_named = library.all_named && named;
    if (named) library.graphs.push_back(read_subgraph(node->keys[i], node->items[i], report));
  }
}

// Calls take(path, place) for each path of a list; true if all could be read.
bool read_paths(const YamlNode* node, std::string_view what, std::string_view item_what, std::string_view hint,
                Report& report, const auto& take) {
  if (node == nullptr) return true;
  if (!expect_list(*node, what, hint, report)) return false;
  bool all = true;
  for (const YamlNode& item : node->items) {
    auto path = read_text(item, item_what, report);
    all = all && path;
    if (path) take(std::move(*path), item.place);
  }
  return all;
}

void read_library_keys(const MapReader& map, GraphLibrary& library, Report& report) {
  const bool included = read_paths(map.get("includes"), "`includes`", "the path of a file", "`[parts.yaml]`", report,
                                   [&](std::string path, const Place& place) {
                                     library.includes.push_back({std::move(path), place});
                                   });
  const bool kernels = read_paths(map.get("kernels"), "`kernels`", "the path of a kernel.yaml",
                                  "`[my_kernel/kernel.yaml]`", report, [&](std::string path, const Place& place) {
                                    library.kernels.push_back({std::move(path), place});
                                  });
  library.all_named = included && !map.misspelt("graphs") && !map.misspelt("includes");
  library.all_kernels = kernels && included && !map.misspelt("kernels") && !map.misspelt("includes");
  read_graphs(map.get("graphs"), library, report);
}

void read_options(const MapReader& map, GraphFile& graph, Report& report) {
  if (const YamlNode* window = map.get("window")) {
    if (const auto n = read_integer(*window, "`window`", 1, kMaxWindow, report)) {
      graph.window = static_cast<std::uint32_t>(*n);
    }
  }
  if (const YamlNode* deadline = map.get("deadline")) graph.timeout_ns = read_duration(*deadline, "`deadline`", report);
}

}  // namespace

Place WriterRef::stage_place() const {
  Place part = place;
  if (part.length > port.size() + 1) part.length -= static_cast<std::uint32_t>(port.size()) + 1;
  return part;
}

Place WriterRef::port_place() const {
  Place part = place;
  if (part.length <= port.size()) return part;
  part.column += part.length - static_cast<std::uint32_t>(port.size());
  part.length = static_cast<std::uint32_t>(port.size());
  return part;
}

std::optional<GraphFile> read_graph(std::uint32_t source, Report& report) {
  const std::size_t errors = report.errors();
  const auto root =
      read_root(source, "woa", "a graph file", "`woa: 1`, `graph: NAME`, `inputs:`, `stages:`, `outputs:`", report);
  if (!root) return std::nullopt;
  if (has_key(*root, "graphs") && !has_key(*root, "stages")) {
    report.error(problem::kMissingKey, root->place, "this file has sub-graphs, but no `stages` that use them",
                 "add `stages: {NAME: {graph: ...}}`, or check a graph that includes this file");
    return std::nullopt;
  }
  const MapReader map(
      &*root, "a graph file",
      {"woa", "graph", "inputs", "stages", "outputs", "kernels", "window", "deadline", "includes", "graphs"}, report);
  GraphFile graph;
  graph.source = source;
  check_version(map, "woa", report);
  if (const YamlNode* name = map.need("graph", "graph: NAME")) {
    graph.name = read_name(*name, "the name of a graph", report).value_or("unnamed");
  }
  read_library_keys(map, graph, report);
  read_inputs(map.get("inputs"), graph, report);
  read_stages(map.need("stages", "stages: {NAME: {kernel: ...}}"), graph, report);
  graph.outputs = read_port_uses(map.get("outputs"), "`outputs`", "`{NAME: STAGE.PORT}`", report);
  read_options(map, graph, report);
  graph.complete = report.errors() == errors;
  return graph;
}

std::optional<GraphLibrary> read_library(std::uint32_t source, Report& report) {
  const auto root = read_root(source, "woa", "an included file", "`woa: 1`, `graphs: {NAME: ...}`", report);
  if (!root) return std::nullopt;
  if (has_key(*root, "stages")) {
    report.error(problem::kWrongShape, root->place, "this is a graph of its own, which cannot be included",
                 "put what is to be used elsewhere under `graphs: {NAME: {inputs, stages, outputs}}` in a file without "
                 "`stages`");
    return std::nullopt;
  }
  const MapReader map(&*root, "an included file", {"woa", "includes", "kernels", "graphs"}, report);
  GraphLibrary library;
  check_version(map, "woa", report);
  read_library_keys(map, library, report);
  return library;
}

}  // namespace woa
