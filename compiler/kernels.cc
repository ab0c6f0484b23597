// Reads kernel.yaml files for people who look a kernel up, and for the loader of a plan's kernels.
#include <algorithm>
#include <array>

#include "compiler/compiler.h"
#include "compiler/diagnostics/report.h"
#include "compiler/parse/declaration.h"
#include "compiler/parse/file_kind.h"
#include "compiler/parse/kernel_catalog.h"
#include "runtime/base/file.h"
#include "runtime/plan/backends.h"

namespace woa {
namespace {

constexpr std::array<const char*, 3> kStatefulNames{"no", "instance", "run"};  // by Stateful

PortDescription describe_type(const std::string& name, const PortType& type) {
  PortDescription said;
  said.name = name;
  said.type = to_string(type);
  said.max_bytes = type.max_bytes;
  return said;
}

PortDescription describe_input(const InputPortPlan& port) {
  PortDescription said = describe_type(port.name, port.type);
  said.optional = port.optional;
  said.gather = port.gather != 0;
  return said;
}

PortDescription describe_output(const OutputPortPlan& port, const KernelDecl& kernel) {
  PortDescription said = describe_type(port.name, port.type);
  said.optional = port.optional;
  said.many = port.many;
  if (port.one_of >= 0) said.one_of = kernel.groups.at(static_cast<std::size_t>(port.one_of));
  if (port.in_place >= 0) said.in_place = kernel.inputs.at(static_cast<std::size_t>(port.in_place)).name;
  return said;
}

void add_dims(const PortType& type, std::map<std::string, std::uint64_t>& dims) {
  for (const Dimension& dim : type.dims)
    if (!dim.name.empty() && dim.max != 0) dims[dim.name] = dim.max;
}

VariantDescription describe_variant(const VariantPlan& variant, const KernelDecl& kernel) {
  VariantDescription said{variant.kind,   variant.has_size,     variant.source,    variant.entry,
                          variant.global, variant.core,         variant.clock_mhz, {},
                          variant.block,  variant.shared_bytes, variant.resident};
  if (const auto taken = kernel.resources.find(variant.kind); taken != kernel.resources.end())
    said.resources = taken->second;
  return said;
}

std::vector<PlaceDescription> describe_places(const KernelDecl& kernel) {
  const KernelFeatures features = features_of(kernel.inputs, kernel.outputs, kernel.stateful);
  std::vector<PlaceDescription> places;
  for (const KnownBackend& backend : kBackends)
    if (kernel.variants.contains(backend.variant))
      places.push_back({std::string(to_string(backend.kind)), std::string(backend.name),
                        std::string(first_beyond(features, backend.runs))});
  return places;
}

KernelDescription describe(const KernelDecl& kernel) {
  KernelDescription said;
  said.library = kernel.library;
  said.stateful = kStatefulNames.at(static_cast<std::size_t>(kernel.stateful));
  said.serial = kernel.serial;
  said.isolate = kernel.isolate;
  said.state_bytes = kernel.state_bytes;
  said.scratch_bytes = kernel.scratch_bytes;
  for (const InputPortPlan& port : kernel.inputs) {
    said.inputs.push_back(describe_input(port));
    add_dims(port.type, said.dims);
  }
  for (const OutputPortPlan& port : kernel.outputs) {
    if (!kernel.outputs_are_implicit) said.outputs.push_back(describe_output(port, kernel));
    add_dims(port.type, said.dims);
  }
  for (const ParamDecl& param : kernel.params)
    said.params.push_back(
        {param.name, std::string(to_string(param.type)), param.value, param.min, param.max, param.choices, param.env});
  for (const NeedUse& need : kernel.needs) said.needs.push_back(need.name);
  for (const auto& [kind, variant] : kernel.variants) said.variants.push_back(describe_variant(variant, kernel));
  said.places = describe_places(kernel);
  return said;
}

KernelListing listing_of(const std::string& name, const KernelCatalog::Found& found) {
  KernelListing entry{name, "", {}, found.unavailable, "", {}};
  if (!found.unavailable.empty()) entry.fix = "install that, then `make build` again";
  if (!found.kernel) return entry;
  entry.summary = found.kernel->summary;
  for (const auto& [kind, variant] : found.kernel->variants) entry.variants.push_back(kind);
  entry.description = describe(*found.kernel);
  if (!found.unbuilt.empty()) {
    entry.reason = "there is no " + quote_path(found.unbuilt);
    entry.fix = "build it from its source (docs/kernels.md)";
  }
  return entry;
}

}  // namespace

std::vector<KernelListing> list_kernels(const std::vector<std::filesystem::path>& kernel_path) {
  Report report;
  KernelCatalog catalog(kernel_path, report);
  std::vector<KernelListing> list;
  for (const std::string& name : catalog.names()) {
    const auto* found = catalog.find(name, {});
    if (found == nullptr || (!found->kernel && found->unavailable.empty())) {
      list.push_back(
          {name, "", {}, "its kernel.yaml has errors", "give its path to `woa explain`, which names them", {}});
    } else {
      list.push_back(listing_of(name, *found));
    }
  }
  return list;
}

std::optional<KernelFile> read_kernel_file(const std::filesystem::path& file) {
  const Result<std::string> text = read_regular_file(file, kMaxYamlBytes + 1);
  if (!text.ok() || file_kind(*text) != FileKind::kKernel) return std::nullopt;
  Report report;
  const KernelCatalog::Found found = KernelCatalog({}, report).load(file, {});
  KernelFile answer;
  if (found.kernel) answer.kernel = listing_of(found.kernel->name, found);
  answer.diagnostics = report.take();
  return answer;
}

Result<KernelDeclaration> read_declaration(const std::filesystem::path& file, const std::string& variant) {
  const Result<std::string> text = read_regular_file(file, kMaxYamlBytes + 1);
  if (!text.ok()) return text.status().with_context("cannot read " + file.string());
  Report report;
  const std::optional<KernelDecl> kernel = read_kernel(report.add_source(file.string(), *text), report);
  if (!kernel) {
    const std::vector<Diagnostic> found = report.take();
    return Status(Code::kInvalid, found.empty() ? file.string() + " cannot be read" : format(found.front(), false));
  }
  const auto at = kernel->variants.find(variant);
  if (at != kernel->variants.end()) return declaration_of(*kernel, at->second);
  return Status(Code::kInvalid,
                file.string() + " has no variant '" + variant + "', which the plan is to run; compile the graph again");
}

}  // namespace woa
