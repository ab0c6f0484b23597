#include "compiler/parse/kernel_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/parse/param_decl.h"
#include "compiler/parse/port_type.h"
#include "compiler/parse/reader.h"
#include "compiler/parse/resources.h"

namespace woa {
namespace {

constexpr std::size_t kMaxPorts = 256;

std::int32_t read_group(const YamlNode& node, KernelDecl& kernel, Report& report) {
  const std::optional<std::string> name = read_name(node, "the name of a group", report);
  if (!name) return -1;
  const auto found = std::find(kernel.groups.begin(), kernel.groups.end(), *name);
  const auto group = static_cast<std::int32_t>(found - kernel.groups.begin());
  if (found == kernel.groups.end()) kernel.groups.push_back(*name);
  return group;
}

// The input of that name, or -1. Inputs are read before outputs.
std::int32_t read_in_place(const YamlNode& node, const KernelDecl& kernel, Report& report) {
  const std::optional<std::string> name = read_name(node, "the name of an input", report);
  if (!name) return -1;
  const auto found = std::find_if(kernel.inputs.begin(), kernel.inputs.end(),
                                  [&](const InputPortPlan& input) { return input.name == *name; });
  if (found != kernel.inputs.end()) return static_cast<std::int32_t>(found - kernel.inputs.begin());
  std::vector<std::string> names;
  for (const InputPortPlan& input : kernel.inputs) names.push_back(input.name);
  report.error(problem::kBadKernel, node.place, cat("`in_place` names ", quote(*name), ", which is no input"),
               suggest(*name, names, "inputs"));
  return -1;
}

// Two outputs cannot be written over one input, unless never both are written.
void check_in_place(const OutputPortPlan& port, const YamlNode& node, const KernelDecl& kernel, Report& report) {
  for (const OutputPortPlan& other : kernel.outputs) {
    if (other.in_place != port.in_place || (port.one_of >= 0 && other.one_of == port.one_of)) continue;
    report.error(problem::kBadKernel, node.place,
                 cat("outputs ", quote(other.name), " and ", quote(port.name), " would be written over the same input"),
                 "remove `in_place` from one, or let both be of one `one_of` group");
  }
}

bool read_optional(const MapReader& map, Report& report) {
  const YamlNode* optional = map.get("optional");
  return optional != nullptr && read_bool(*optional, "`optional`", report).value_or(false);
}

void read_input_port(const YamlNode& key, const YamlNode& value, const DimensionBounds& bounds, KernelDecl& kernel,
                     Report& report) {
  const MapReader map(&value, cat("port ", quote(key.text)), {"type", "max", "gather", "optional"}, report);
  InputPortPlan port;
  port.name = key.text;
  port.optional = read_optional(map, report);
  const YamlNode* gather = map.get("gather");
  port.gather = gather != nullptr && read_bool(*gather, "`gather`", report).value_or(false) ? 1 : 0;
  if (const auto type = read_port_type(map, bounds, report)) port.type = *type;
  kernel.inputs.push_back(std::move(port));
}

void read_many(const YamlNode& node, OutputPortPlan& port, Report& report) {
  const MapReader map(&node, "`many`", {"max"}, report);
  const YamlNode* max = map.need("max", "max: 64");
  if (max == nullptr) return;
  port.many = static_cast<std::uint32_t>(read_integer(*max, "`max`", 1, kMaxElements, report).value_or(1));
  if (port.one_of < 0 && !port.optional && port.in_place < 0) return;
  report.error(problem::kBadKernel, node.place,
               cat("output ", quote(port.name), " is `many`, and also `one_of`, `optional` or `in_place`"),
               "a firing may write no element, and each has memory of its own: leave the other out");
}

void read_output_port(const YamlNode& key, const YamlNode& value, const DimensionBounds& bounds, KernelDecl& kernel,
                      Report& report) {
  const MapReader map(&value, cat("port ", quote(key.text)), {"type", "max", "one_of", "in_place", "many", "optional"},
                      report);
  OutputPortPlan port;
  port.name = key.text;
  port.optional = read_optional(map, report);
  if (const YamlNode* group = map.get("one_of")) {
    port.one_of = read_group(*group, kernel, report);
    if (port.optional) {
      report.error(problem::kBadKernel, group->place,
                   cat("output ", quote(key.text), " is `optional` and of a `one_of` group"),
                   "exactly one port of a group is written: remove one of the two");
    }
  }
  if (const auto type = read_port_type(map, bounds, report)) {
    port.type = *type;
    if (type->max_bytes == 0 && !map.misspelt("max")) {
      report.error(problem::kMissingKey, key.place, cat("output ", quote(key.text), " has no bound"),
                   "add `max: SIZE`; memory for it is set aside before the kernel runs");
    }
  }
  if (const YamlNode* input = map.get("in_place")) {
    port.in_place = read_in_place(*input, kernel, report);
    if (port.in_place >= 0) check_in_place(port, *input, kernel, report);
  }
  if (const YamlNode* many = map.get("many")) read_many(*many, port, report);
  kernel.outputs.push_back(std::move(port));
}

void read_ports(const YamlNode* node, std::string_view what, Report& report, const auto& read) {
  if (node == nullptr || !expect_map(*node, what, "`NAME: {type: bytes, max: 1MiB}`", report)) return;
  if (node->keys.size() > kMaxPorts) {
    report.error(problem::kTooMany, node->place, cat(what, " has more than ", kMaxPorts, " ports"), "split the kernel");
    return;
  }
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    if (!read_name(node->keys[i], "the name of a port", report)) continue;
    if (expect_map(node->items[i], cat("port ", quote(node->keys[i].text)), "`{type: bytes, max: 1MiB}`", report)) {
      read(node->keys[i], node->items[i]);
    }
  }
}

void read_opencl(const YamlNode& node, VariantPlan& variant, Report& report) {
  const MapReader map(&node, "variant `opencl`", {"size", "source", "entry", "global", "resources"}, report);
  if (const YamlNode* source = map.need("source", "source: NAME.cl")) {
    variant.source = read_text(*source, "`source`", report).value_or("");
  }
  if (const YamlNode* entry = map.need("entry", "entry: FUNCTION")) {
    variant.entry = read_name(*entry, "the name of a function", report).value_or("");
  }
  const YamlNode* global = map.need("global", "global: [bytes]");
  if (global == nullptr || !expect_list(*global, "`global`", "`[width, height]`", report)) return;
  for (const YamlNode& item : global->items) {
    if (auto name = read_name(item, "the name of a dimension", report)) variant.global.push_back(*name);
  }
}

void read_rtl(const YamlNode& node, VariantPlan& variant, Report& report) {
  const MapReader map(&node, "variant `rtl`", {"size", "core", "clock_mhz", "resources"}, report);
  if (const YamlNode* core = map.need("core", "core: NAME")) {
    variant.core = read_name(*core, "the name of a core", report).value_or("");
  }
  if (const YamlNode* clock = map.need("clock_mhz", "clock_mhz: 250")) {
    variant.clock_mhz = static_cast<std::uint32_t>(read_integer(*clock, "`clock_mhz`", 1, 100'000, report).value_or(1));
  }
}

void read_variant(const YamlNode& key, const YamlNode& value, KernelDecl& kernel, Report& report) {
  VariantPlan variant;
  variant.kind = key.text;
  if (key.text == "cpu") {
    const MapReader map(&value, "variant `cpu`", {"size", "resources"}, report);
  } else if (value.kind != YamlNode::Kind::kMap) {
    expect_map(value, cat("variant ", quote(key.text)), "`{size: true, ...}`", report);
    return;
  } else if (key.text == "opencl") {
    read_opencl(value, variant, report);
  } else {
    read_rtl(value, variant, report);
  }
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    if (value.keys[i].text == "size") variant.has_size = read_bool(value.items[i], "`size`", report).value_or(false);
    if (value.keys[i].text == "resources") {
      kernel.resources.emplace(key.text, read_resource_use(value.items[i], report));
    }
  }
  if (key.text != "cpu" && !variant.has_size) {
    report.error(problem::kBadKernel, key.place, cat("variant ", quote(key.text), " needs a `size` function"),
                 "add `size: true` and the function; the launch takes the output's extents from it");
  }
  kernel.variants.emplace(key.text, std::move(variant));
}

void read_variants(const YamlNode* node, KernelDecl& kernel, Report& report) {
  if (node == nullptr || !expect_map(*node, "`variants`", "`{cpu: {}}`", report)) return;
  const std::vector<std::string> kinds{"cpu", "opencl", "rtl"};
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& key = node->keys[i];
    if (key.text == "cuda") {
      report.error(problem::kNotSupported, key.place, "`cuda` is not supported yet by this version", "leave it out");
    } else if (std::find(kinds.begin(), kinds.end(), key.text) == kinds.end()) {
      report.error(problem::kUnknownKey, key.place, cat("unknown variant ", quote(key.text)),
                   suggest(key.text, kinds, "variants"));
    } else {
      read_variant(key, node->items[i], kernel, report);
    }
  }
  if (kernel.variants.empty()) {
    report.error(problem::kBadKernel, node->place, "a kernel needs a variant", "add `cpu: {}`");
  }
  const auto special_in = [](const InputPortPlan& port) { return port.optional || port.gather != 0; };
  const auto special_out = [](const OutputPortPlan& port) { return port.optional || port.many != 0; };
  if ((kernel.variants.contains("rtl") || kernel.variants.contains("opencl")) &&
      (std::ranges::any_of(kernel.inputs, special_in) || std::ranges::any_of(kernel.outputs, special_out))) {
    report.error(
        problem::kBadKernel, node->place,
        "only a kernel whose one variant is `cpu` has `optional`, `many` or `gather` ports: others see one token "
        "of each",
        "leave the other variants out, or those words");
  }
  if (kernel.variants.contains("rtl") && (kernel.inputs.size() != 1 || kernel.outputs.size() != 1)) {
    report.error(problem::kBadKernel, node->place, "a kernel with an `rtl` variant has one input and one output",
                 "leave the variant out, or join the ports");
  }
}

void read_stateful(const YamlNode* node, KernelDecl& kernel, Report& report) {
  if (node == nullptr || node->text == "no" || node->text == "false") return;
  if (node->text == "instance") {
    kernel.stateful = Stateful::kInstance;
  } else if (node->text == "run") {
    kernel.stateful = Stateful::kRun;
  } else {
    report.error(problem::kBadValue, node->place, cat("`stateful` is ", quote(node->text)),
                 "write `no`, `instance` or `run`");
  }
}

void read_body(const MapReader& map, KernelDecl& kernel, Report& report) {
  const DimensionBounds bounds = read_dimension_bounds(map.get("dims"), report);
  read_ports(map.need("in", "in: {NAME: {type: bytes}}"), "`in`", report,
             [&](const YamlNode& key, const YamlNode& value) { read_input_port(key, value, bounds, kernel, report); });
  read_ports(map.get("out"), "`out`", report,
             [&](const YamlNode& key, const YamlNode& value) { read_output_port(key, value, bounds, kernel, report); });
  if (const YamlNode* in = map.get("in"); in != nullptr && in->kind == YamlNode::Kind::kMap && in->keys.empty()) {
    report.error(problem::kBadKernel, in->place, "a kernel needs an input", "add one; its tokens make the kernel run");
  }
  if (const YamlNode* library = map.need("library", "library: libNAME.so")) {
    kernel.library = read_text(*library, "`library`", report).value_or("");
  }
  if (const YamlNode* scratch = map.get("scratch")) {
    kernel.scratch_bytes = read_size(*scratch, "`scratch`", report).value_or(0);
  }
  read_stateful(map.get("stateful"), kernel, report);
  kernel.needs = read_needs(map.get("needs"), report);
  if (kernel.outputs.empty()) {
    kernel.outputs.push_back({"done", {"bytes", {}, 0}, -1});
    kernel.outputs_are_implicit = true;
  }
  kernel.params = read_param_decls(map.get("params"), report);
  read_variants(map.need("variants", "variants: {cpu: {}}"), kernel, report);
}

}  // namespace

std::optional<KernelDecl> read_kernel(std::uint32_t source, Report& report) {
  const std::size_t errors = report.errors();
  report.set_manual(source, "docs/kernels.md");
  const std::optional<YamlNode> root = parse_yaml(source, report);
  if (!root || !expect_map(*root, "a kernel.yaml", "`woa_kernel: 1`, `name:`, `in:`, `out:`, `variants:`", report) ||
      !expect_kind(*root, "woa_kernel", report)) {
    return std::nullopt;
  }
  const MapReader map(&*root, "a kernel.yaml",
                      {"woa_kernel", "name", "summary", "in", "out", "dims", "params", "library", "stateful", "scratch",
                       "needs", "variants"},
                      report);
  KernelDecl kernel;
  kernel.place = {source, 0, 0, 1};
  check_version(map, "woa_kernel", report);
  if (const YamlNode* name = map.need("name", "name: NAME")) {
    kernel.name = read_name(*name, "the name of a kernel", report).value_or("");
  }
  if (const YamlNode* summary = map.get("summary")) {
    kernel.summary = read_text(*summary, "`summary`", report).value_or("");
  }
  read_body(map, kernel, report);
  return report.errors() == errors ? std::optional(std::move(kernel)) : std::nullopt;
}

}  // namespace woa
