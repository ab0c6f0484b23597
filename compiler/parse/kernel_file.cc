#include "compiler/parse/kernel_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "compiler/parse/param_decl.h"
#include "compiler/parse/port_type.h"
#include "compiler/parse/reader.h"
#include "compiler/parse/resources.h"

namespace woa {
namespace {

constexpr std::size_t kMaxPorts = 256;
constexpr std::array<std::string_view, 4> kVariants{"cpu", "opencl", "cuda", "rtl"};
constexpr std::uint64_t kMostScratchBytes = std::uint64_t{64} << 30;  // like kMaxPortBytes

bool is_variant(std::string_view text) { return std::ranges::find(kVariants, text) != kVariants.end(); }

std::int32_t read_group(const YamlNode& node, KernelDecl& kernel, Report& report) {
  const std::optional<std::string> name = read_name(node, "the name of a group", report);
  if (!name) return -1;
  const auto found = std::find(kernel.groups.begin(), kernel.groups.end(), *name);
  const auto group = static_cast<std::int32_t>(found - kernel.groups.begin());
  if (found == kernel.groups.end()) kernel.groups.push_back(*name);
  return group;
}

// The number of the input of that name, or -1. Inputs are read before outputs.
std::int32_t read_in_place(const YamlNode& node, const KernelDecl& kernel, bool all_inputs, Report& report) {
  const std::optional<std::string> name = read_name(node, "the name of an input", report);
  if (!name) return -1;
  const auto found = std::find_if(kernel.inputs.begin(), kernel.inputs.end(),
                                  [&](const InputPortPlan& input) { return input.name == *name; });
  if (found != kernel.inputs.end()) return static_cast<std::int32_t>(found - kernel.inputs.begin());
  if (!all_inputs) return -1;
  std::vector<std::string> names;
  for (const InputPortPlan& input : kernel.inputs) names.push_back(input.name);
  report.error(problem::kBadKernel, node.place, cat("`in_place` names ", quote(*name), ", which is no input"),
               suggest(*name, names, "inputs"));
  return -1;
}

// Two outputs cannot overwrite one input, unless a firing writes only one of them.
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

void read_output_port(const YamlNode& key, const YamlNode& value, const DimensionBounds& bounds, bool all_inputs,
                      KernelDecl& kernel, Report& report) {
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
    port.in_place = read_in_place(*input, kernel, all_inputs, report);
    if (port.in_place >= 0) check_in_place(port, *input, kernel, report);
  }
  if (const YamlNode* many = map.get("many")) read_many(*many, port, report);
  kernel.outputs.push_back(std::move(port));
}

// True if all could be read; else the file's other references to ports are not checked.
bool read_ports(const YamlNode* node, std::string_view what, Report& report, const auto& read) {
  if (node == nullptr) return true;
  if (!expect_map(*node, what, "`NAME: {type: bytes, max: 1MiB}`", report)) return false;
  if (node->keys.size() > kMaxPorts) {
    report.error(problem::kTooMany, node->place, cat(what, " has more than ", kMaxPorts, " ports"), "split the kernel");
    return false;
  }
  bool all = true;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode &key = node->keys[i], &port = node->items[i];
    const bool readable = read_name(key, "the name of a port", report) &&
                          expect_map(port, cat("port ", quote(key.text)), "`{type: bytes, max: 1MiB}`", report);
    all = all && readable;
    if (readable) read(key, port);
  }
  return all;
}

// The work size: names of the first output's dimensions.
void read_global(const YamlNode& node, const KernelDecl& kernel, bool all_ports, VariantPlan& variant, Report& report) {
  if (!expect_list(node, "`global`", "`[width, height]`", report)) return;
  if (node.items.empty() || node.items.size() > kMaxWorkDims)
    report.error(problem::kBadKernel, node.place, cat("`global` lists ", node.items.size(), " dimensions"),
                 cat("list 1 to ", kMaxWorkDims, ", such as `[width, height]` or `[bytes]`"));
  const PortType& type = kernel.outputs.front().type;  // without an element: it could not be read
  std::vector<std::string> known;
  for (const Dimension& dim : type.dims)
    if (!dim.name.empty()) known.push_back(dim.name);
  known.emplace_back("bytes");
  for (const YamlNode& item : node.items) {
    const auto name = read_name(item, "the name of a dimension", report);
    if (!name) continue;
    variant.global.push_back(*name);
    if (!all_ports || type.element.empty() || std::ranges::find(known, *name) != known.end()) continue;
    report.error(
        problem::kUnknownDimension, item.place,
        cat("`global` names ", quote(*name), ", which is no dimension of output ", quote(kernel.outputs.front().name)),
        suggest(*name, known, "dimensions"));
  }
}

// The function of a variant for a GPU, and how much work a firing is.
void read_function(const MapReader& map, std::string_view source_hint, const KernelDecl& kernel, bool all_ports,
                   VariantPlan& variant, Report& report) {
  if (const YamlNode* source = map.need("source", source_hint)) {
    variant.source = read_text(*source, "`source`", report).value_or("");
    report.add_named(source->place.source, variant.source);
  }
  if (const YamlNode* entry = map.need("entry", "entry: FUNCTION")) {
    variant.entry = read_name(*entry, "the name of a function", report).value_or("");
  }
  const YamlNode* global = map.need("global", "global: [bytes]");
  if (global != nullptr) read_global(*global, kernel, all_ports, variant, report);
}

void read_opencl(const YamlNode& node, const KernelDecl& kernel, bool all_ports, VariantPlan& variant, Report& report) {
  const MapReader map(&node, "variant `opencl`", {"size", "source", "entry", "global", "resources"}, report);
  read_function(map, "source: NAME.cl", kernel, all_ports, variant, report);
}

std::vector<std::uint32_t> default_block(std::size_t dims) {
  if (dims == 3) return {8, 8, 4};
  if (dims == 2) return {16, 16};
  return {256};
}

// Threads of a block, along the work's `dims` dimensions.
std::vector<std::uint32_t> read_block(const YamlNode& node, std::size_t dims, Report& report) {
  constexpr std::uint32_t kMostThirdExtent = 64;  // that any GPU runs
  std::vector<std::uint32_t> block;
  if (!expect_list(node, "`block`", "`[16, 16]`", report)) return block;
  if (node.items.empty() || node.items.size() > dims) {
    report.error(problem::kBadKernel, node.place,
                 cat("`block` lists ", node.items.size(), " extents, for ", dims, " dimensions of `global`"),
                 "list one for each, or leave `block` out");
    return block;
  }
  std::uint64_t threads = 1;
  for (const YamlNode& item : node.items) {
    block.push_back(static_cast<std::uint32_t>(
        read_integer(item, "an extent of `block`", 1, kMaxBlockThreads, report).value_or(1)));
    threads *= block.back();
  }
  if (threads > kMaxBlockThreads)
    report.error(problem::kBadKernel, node.place,
                 cat("`block` has ", threads, " threads, and no GPU runs more than ", kMaxBlockThreads, " in a block"),
                 "list smaller extents, such as `[16, 16]`");
  if (block.size() == kMaxWorkDims && block.back() > kMostThirdExtent)
    report.error(problem::kBadKernel, node.place,
                 cat("the third extent of `block` is ", block.back(), ", and no GPU runs more than ", kMostThirdExtent),
                 "list a smaller one");
  return block;
}

void read_cuda(const YamlNode& node, const KernelDecl& kernel, bool all_ports, VariantPlan& variant, Report& report) {
  const MapReader map(&node, "variant `cuda`",
                      {"size", "source", "entry", "global", "block", "shared", "resident", "resources"}, report);
  read_function(map, "source: NAME.cu", kernel, all_ports, variant, report);
  std::filesystem::path file = variant.source;
  if (const YamlNode* source = map.get("source"); source != nullptr && file.extension() != ".cu")
    report.error(problem::kBadValue, source->place, cat("`source` is ", quote(source->text), ", expected CUDA C++"),
                 "name a file that ends in `.cu`; its PTX lies beside it, with `.ptx` instead");
  report.add_named(node.place.source, file.replace_extension(".ptx").string());
  const YamlNode* block = map.get("block");
  const std::size_t dims = variant.global.size();
  variant.block = block == nullptr || dims == 0 ? default_block(dims) : read_block(*block, dims, report);
  if (const YamlNode* shared = map.get("shared")) {
    constexpr std::uint64_t kMostSharedBytes = std::uint64_t{227} << 10;  // that any GPU gives a block
    const std::uint64_t bytes = read_size(*shared, "`shared`", report).value_or(0);
    if (bytes > kMostSharedBytes)
      report.error(problem::kBadKernel, shared->place,
                   cat("`shared` is ", quote(shared->text), ", and no GPU gives a block more than 227 KiB"),
                   "write at most `227KiB`");
    variant.shared_bytes = static_cast<std::uint32_t>(std::min(bytes, kMostSharedBytes));
  }
  const YamlNode* resident = map.get("resident");
  variant.resident = resident != nullptr && read_bool(*resident, "`resident`", report).value_or(false);
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

void read_variant(const YamlNode& key, const YamlNode& value, bool all_ports, KernelDecl& kernel, Report& report) {
  const std::size_t errors = report.errors();
  VariantPlan variant;
  variant.kind = key.text;
  if (key.text == "cpu") {
    const MapReader map(&value, "variant `cpu`", {"size", "resources"}, report);
  } else if (value.kind != YamlNode::Kind::kMap) {
    expect_map(value, cat("variant ", quote(key.text)), "`{size: true, ...}`", report);
    return;
  } else if (key.text == "opencl") {
    read_opencl(value, kernel, all_ports, variant, report);
  } else if (key.text == "cuda") {
    read_cuda(value, kernel, all_ports, variant, report);
  } else {
    read_rtl(value, variant, report);
  }
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    if (value.keys[i].text == "size") variant.has_size = read_bool(value.items[i], "`size`", report).value_or(false);
    if (value.keys[i].text == "resources") {
      kernel.resources.emplace(key.text, read_variant_use(value.items[i], key.text == "rtl", report));
    }
  }
  if (variant.resident && kernel.resources[key.text][""].try_emplace("sms", 1).first->second == 0)
    report.error(problem::kBadKernel, key.place,
                 "variant `cuda` is `resident`, which keeps a multiprocessor, but `sms` is 0",
                 "remove `sms` or `resident`");
  if (key.text != "cpu" && !variant.has_size && report.errors() == errors) {
    report.error(problem::kBadKernel, key.place, cat("variant ", quote(key.text), " needs a `size` function"),
                 "add `size: true` and the function; the launch takes the output's extents from it");
  }
  kernel.variants.emplace(key.text, std::move(variant));
}

// Reports what variants for devices do not support.
void check_devices(const YamlNode& node, const KernelDecl& kernel, Report& report) {
  const KernelFeatures features = features_of(kernel.inputs, kernel.outputs, kernel.stateful);
  const auto beyond_any = [&](bool KernelFeatures::*feature) {
    return features.*feature && std::ranges::any_of(kBackends, [&](const KnownBackend& backend) {
             return kernel.variants.contains(backend.variant) && !(backend.runs.*feature);
           });
  };
  if (beyond_any(&KernelFeatures::counted)) {
    report.error(
        problem::kBadKernel, node.place,
        "only a kernel whose one variant is `cpu` has `optional`, `many` or `gather` ports: others see one token "
        "of each",
        "leave the other variants out, or those words");
  }
  if (beyond_any(&KernelFeatures::ports)) {
    report.error(problem::kBadKernel, node.place, "a kernel with an `rtl` variant has one or two inputs and one output",
                 "leave the variant out, or join the ports");
  }
  if (kernel.variants.contains("rtl") && features.pair && kernel.inputs[1].type.prefix_bytes() != 0) {
    report.error(problem::kBadKernel, node.place,
                 cat("the second input of a kernel with an `rtl` variant has no varying dimensions, and ",
                     quote(kernel.inputs[1].name), " is ", to_string(kernel.inputs[1].type)),
                 "swap the inputs, or leave the variant out");
  }
}

void read_variants(const YamlNode* node, bool all_ports, KernelDecl& kernel, Report& report) {
  if (node == nullptr || !expect_map(*node, "`variants`", "`{cpu: {}}`", report)) return;
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const YamlNode& key = node->keys[i];
    if (!is_variant(key.text)) {
      report.error(problem::kUnknownKey, key.place, cat("unknown variant ", quote(key.text)),
                   suggest(key.text, {kVariants.begin(), kVariants.end()}, "variants"));
    } else {
      read_variant(key, node->items[i], all_ports, kernel, report);
    }
  }
  if (kernel.variants.empty()) {
    report.error(problem::kBadKernel, node->place, "a kernel needs a variant", "add `cpu: {}`");
  }
  if (all_ports) check_devices(*node, kernel, report);
}

void read_stateful(const YamlNode* node, KernelDecl& kernel, Report& report) {
  if (node == nullptr || !read_text(*node, "`stateful`", report)) return;
  if (node->text == "no" || parse_bool(node->text) == false) return;
  if (node->text == "instance") {
    kernel.stateful = Stateful::kInstance;
  } else if (node->text == "run") {
    kernel.stateful = Stateful::kRun;
  } else {
    report.error(problem::kBadValue, node->place, cat("`stateful` is ", quote(node->text)),
                 "write `no`, `instance` or `run`");
  }
}

std::uint64_t read_memory(const YamlNode& node, std::string_view key, Report& report) {
  const std::uint64_t bytes = read_size(node, cat("`", key, "`"), report).value_or(0);
  if (bytes > kMostScratchBytes)
    report.error(problem::kBadValue, node.place, cat("`", key, "` is ", quote(node.text), ", over 64 GiB"),
                 "write at most `64GiB`");
  return bytes;
}

void read_state(const YamlNode* node, KernelDecl& kernel, Report& report) {
  if (node == nullptr) return;
  kernel.state_bytes = read_memory(*node, "state", report);
  if (kernel.stateful == Stateful::kNo)
    report.error(problem::kBadKernel, node->place, "`state` is the size of a state that the kernel does not keep",
                 "add `stateful: instance` or `stateful: run`, or remove `state`");
}

std::vector<PortType> types_of(const KernelDecl& kernel) {
  std::vector<PortType> types;
  for (const InputPortPlan& port : kernel.inputs) types.push_back(port.type);
  for (const OutputPortPlan& port : kernel.outputs) types.push_back(port.type);
  return types;
}

// Reports what functions of the program do not have.
void check_program_kernel(const MapReader& map, Report& report) {
  if (const YamlNode* library = map.get("library"))
    report.error(problem::kBadKernel, library->place, "a kernel of the program has its functions there, and no library",
                 "remove `library`");
  const YamlNode* variants = map.get("variants");
  if (variants == nullptr) return;
  for (const YamlNode& key : variants->keys)
    if (key.text != "cpu" && is_variant(key.text))
      report.error(problem::kBadKernel, key.place,
                   cat("a kernel of the program runs on cpu controllers alone, and has no variant ", quote(key.text)),
                   "leave the variant out, or build a shared library of the kernel (docs/kernels.md)");
}

void read_body(const MapReader& map, KernelHome home, KernelDecl& kernel, Report& report) {
  const DimensionBounds bounds = read_dimension_bounds(map.get("dims"), report);
  const YamlNode* inputs = map.need("in", "in: {NAME: {type: bytes}}");
  const bool all_inputs = read_ports(inputs, "`in`", report,
                                     [&](const YamlNode& key, const YamlNode& value) {
                                       read_input_port(key, value, bounds, kernel, report);
                                     }) &&
                          inputs != nullptr;
  const bool all_ports = read_ports(map.get("out"), "`out`", report,
                                    [&](const YamlNode& key, const YamlNode& value) {
                                      read_output_port(key, value, bounds, all_inputs, kernel, report);
                                    }) &&
                         all_inputs && !map.misspelt("out");
  if (all_ports) check_dimensions(map.get("dims"), types_of(kernel), report);
  if (const YamlNode* in = map.get("in"); in != nullptr && in->kind == YamlNode::Kind::kMap && in->keys.empty()) {
    report.error(problem::kBadKernel, in->place, "a kernel needs an input", "add one; its tokens make the kernel run");
  }
  if (home == KernelHome::kProgram) {
    check_program_kernel(map, report);
  } else if (const YamlNode* library = map.need("library", "library: libNAME.so")) {
    kernel.library = read_text(*library, "`library`", report).value_or("");
    report.add_named(library->place.source, kernel.library);
  }
  if (const YamlNode* scratch = map.get("scratch")) kernel.scratch_bytes = read_memory(*scratch, "scratch", report);
  read_stateful(map.get("stateful"), kernel, report);
  read_state(map.get("state"), kernel, report);
  if (const YamlNode* isolate = map.get("isolate"))
    kernel.isolate = read_bool(*isolate, "`isolate`", report).value_or(false);
  if (const YamlNode* serial = map.get("serial"))
    kernel.serial = read_bool(*serial, "`serial`", report).value_or(false);
  kernel.needs = read_needs(map.get("needs"), report);
  if (kernel.outputs.empty()) {
    kernel.outputs.push_back({"done", {"bytes", {}, 0}, -1});
    kernel.outputs_are_implicit = true;
  }
  kernel.params = read_param_decls(map.get("params"), report);
  read_variants(map.need("variants", "variants: {cpu: {}}"), all_ports, kernel, report);
}

}  // namespace

std::optional<KernelDecl> read_kernel(std::uint32_t source, Report& report, KernelHome home) {
  const std::size_t errors = report.errors();
  report.set_manual(source, "docs/kernels.md");
  const auto root =
      read_root(source, "woa_kernel", "a kernel.yaml", "`woa_kernel: 1`, `name:`, `in:`, `out:`, `variants:`", report);
  if (!root) return std::nullopt;
  const MapReader map(&*root, "a kernel.yaml",
                      {"woa_kernel", "name", "summary", "in", "out", "dims", "params", "library", "stateful", "state",
                       "serial", "isolate", "scratch", "needs", "variants"},
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
  read_body(map, home, kernel, report);
  return report.errors() == errors ? std::optional(std::move(kernel)) : std::nullopt;
}

}  // namespace woa
