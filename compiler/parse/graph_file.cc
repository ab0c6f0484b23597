#include "compiler/parse/graph_file.h"

#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "compiler/parse/reader.h"
#include "runtime/plan/plan.h"

namespace woa {
namespace {

constexpr std::string_view kWriterForm = "`STAGE.PORT` or the name of a graph input";

// Reports keys whose meaning is defined but not built yet.
void refuse_unsupported_keys(const MapReader& map, std::initializer_list<std::string_view> keys, Report& report) {
  for (const std::string_view key : keys) {
    const YamlNode* value = map.get(key);
    if (value == nullptr) continue;
    report.error(problem::kNotSupported, value->place, cat(quote(key), " is not supported yet by this version"),
                 "leave it out");
  }
}

bool read_reference(const YamlNode& node, WriterRef& ref, Report& report) {
  ref.place = node.place;
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

LoopMark read_loop(const YamlNode& node, Report& report) {
  LoopMark loop{node.place, {}, {}};
  const std::size_t errors = report.errors();
  const MapReader map(&node, "a loop", {"max", "name"}, report);
  if (const YamlNode* name = map.get("name")) loop.name = read_name(*name, "the name of a loop", report).value_or("");
  if (const YamlNode* max = map.get("max")) {
    const auto turns = read_integer(*max, "`max`", 1, std::numeric_limits<std::uint32_t>::max(), report);
    if (turns) loop.max = static_cast<std::uint32_t>(*turns);
  }
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

std::vector<ParamUse> read_params(const YamlNode* node, Report& report) {
  std::vector<ParamUse> params;
  if (node == nullptr || !expect_map(*node, "`params`", "`{width: 1280}`", report)) return params;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const std::string& name = node->keys[i].text;
    const std::size_t blank = name.find(' ');
    if (node->items[i].kind == YamlNode::Kind::kNull && blank != std::string::npos) {
      report.error(problem::kWrongShape, node->keys[i].place, cat(quote(name), " has no value"),
                   cat("a colon may be missing: ", quote(cat(name.substr(0, blank), ":", name.substr(blank)))));
      continue;
    }
    const auto value = read_text(node->items[i], cat("parameter ", quote(name)), report);
    params.push_back({node->keys[i].text, node->keys[i].place, node->items[i].place, value, true});
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

StageDecl read_stage(const YamlNode& key, const YamlNode& value, Report& report) {
  StageDecl stage;
  stage.name = key.text;
  stage.place = stage.kernel_place = stage.on_place = stage.replicas_place = key.place;
  const MapReader map(value.kind == YamlNode::Kind::kNull ? nullptr : &value, cat("stage ", quote(key.text)),
                      {"kernel", "in", "params", "on", "replicas", "unordered", "needs"}, report);
  if (value.kind == YamlNode::Kind::kNull) {
    report.error(problem::kMissingKey, key.place, cat("stage ", quote(key.text), " is empty"),
                 "write `{kernel: NAME, in: {PORT: WRITER}}`");
  }
  refuse_unsupported_keys(map, {"needs"}, report);
  read_replicas(map, stage, report);
  if (const YamlNode* kernel = map.need("kernel", "kernel: NAME")) {
    stage.kernel = read_name(*kernel, "the name of a kernel", report).value_or("");
    stage.kernel_place = kernel->place;
  }
  const std::size_t errors = report.errors();
  stage.in = read_port_uses(map.get("in"), "`in`", "`{PORT: STAGE.PORT}`", report);
  stage.in_complete = map.is_map() && report.errors() == errors && !map.misspelt("in");
  const std::size_t errors_before_params = report.errors();
  stage.params = read_params(map.get("params"), report);
  stage.params_complete = map.is_map() && report.errors() == errors_before_params && !map.misspelt("params");
  if (const YamlNode* on = map.get("on")) {
    stage.on = read_text(*on, "`on`", report).value_or("");
    stage.on_place = on->place;
  }
  return stage;
}

void read_stages(const YamlNode* node, GraphFile& graph, Report& report) {
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
    if (map.is_map()) input.type = read_port_type(map, read_dimension_bounds(map.get("dims"), report), report);
    const bool bounded = !input.type || input.type->max_bytes != 0 || map.misspelt("max");
    if (node->items[i].kind == YamlNode::Kind::kNull || !bounded) {
      report.error(problem::kMissingKey, key.place, cat("graph input ", quote(key.text), " has no bound"),
                   "write `{type: bytes, max: 16MiB}`");
      input.type.reset();
    }
    graph.inputs.push_back(std::move(input));
  }
}

void read_kernels(const YamlNode* node, GraphFile& graph, Report& report) {
  if (node == nullptr || !expect_list(*node, "`kernels`", "`[my_kernel/kernel.yaml]`", report)) return;
  for (const YamlNode& item : node->items) {
    if (auto path = read_text(item, "the path of a kernel.yaml", report)) graph.kernels.push_back({*path, item.place});
  }
}

void read_options(const MapReader& map, GraphFile& graph, Report& report) {
  if (const YamlNode* window = map.get("window")) {
    if (const auto n = read_integer(*window, "`window`", 1, kMaxWindow, report)) {
      graph.window = static_cast<std::uint32_t>(*n);
    }
  }
  if (const YamlNode* deadline = map.get("deadline"))
    graph.deadline_ns = read_duration(*deadline, "`deadline`", report);
}

}  // namespace

std::optional<GraphFile> read_graph(std::uint32_t source, Report& report) {
  const std::size_t errors = report.errors();
  const std::optional<YamlNode> root = parse_yaml(source, report);
  if (!root ||
      !expect_map(*root, "a graph file", "`woa: 1`, `graph: NAME`, `inputs:`, `stages:`, `outputs:`", report) ||
      !expect_kind(*root, "woa", report)) {
    return std::nullopt;
  }
  const MapReader map(
      &*root, "a graph file",
      {"woa", "graph", "inputs", "stages", "outputs", "kernels", "window", "deadline", "includes", "graphs"}, report);
  GraphFile graph;
  check_version(map, "woa", report);
  refuse_unsupported_keys(map, {"includes", "graphs"}, report);
  if (const YamlNode* name = map.need("graph", "graph: NAME")) {
    graph.name = read_name(*name, "the name of a graph", report).value_or("unnamed");
  }
  read_kernels(map.get("kernels"), graph, report);
  read_inputs(map.get("inputs"), graph, report);
  read_stages(map.need("stages", "stages: {NAME: {kernel: ...}}"), graph, report);
  graph.outputs = read_port_uses(map.get("outputs"), "`outputs`", "`{NAME: STAGE.PORT}`", report);
  read_options(map, graph, report);
  graph.complete = report.errors() == errors;
  return graph;
}

}  // namespace woa
