#include "compiler/parse/declaration.h"

#include "runtime/base/fnv_hash.h"

namespace woa {
namespace {

// Version of the hashed contents and their order. Any change to them raises it, so that old digests do not match.
constexpr std::string_view kFormOfDigest = "kernel declaration 3";

void add(FnvHash& hash, const PortType& type) {
  hash.add(type.element);
  hash.add(type.dims.size());
  for (const Dimension& dim : type.dims) hash.add(dim.name), hash.add(dim.size), hash.add(dim.max);
  hash.add(type.max_bytes);
}

void add(FnvHash& hash, const std::optional<std::string>& text) {
  hash.add(text ? 1 : 0);
  if (text) hash.add(*text);
}

void add_ports(FnvHash& hash, const KernelDecl& kernel) {
  hash.add(kernel.inputs.size());
  for (const InputPortPlan& port : kernel.inputs) {
    hash.add(port.name), add(hash, port.type);
    hash.add(port.optional ? 1 : 0), hash.add(port.gather);
  }
  hash.add(kernel.outputs.size());
  for (const OutputPortPlan& port : kernel.outputs) {
    hash.add(port.name), add(hash, port.type);
    hash.add(std::to_string(port.one_of)), hash.add(std::to_string(port.in_place));
    hash.add(port.optional ? 1 : 0), hash.add(port.many);
  }
}

std::optional<std::string> normal(const ParamDecl& param, const std::optional<std::string>& value) {
  return value ? normal_value(param.type, *value) : std::nullopt;
}

void add_params(FnvHash& hash, const KernelDecl& kernel) {
  hash.add(kernel.params.size());
  for (const ParamDecl& param : kernel.params) {
    hash.add(param.name), hash.add(to_string(param.type)), hash.add(param.env);
    for (const auto* value : {&param.value, &param.min, &param.max}) add(hash, normal(param, *value));
    hash.add(param.choices.size());
    for (const std::string& choice : param.choices) hash.add(choice);
  }
}

void add(FnvHash& hash, const VariantPlan& variant) {
  hash.add(variant.kind), hash.add(variant.source), hash.add(variant.entry), hash.add(variant.core);
  hash.add(variant.global.size());
  for (const std::string& dimension : variant.global) hash.add(dimension);
  hash.add(variant.clock_mhz), hash.add(variant.has_size ? 1 : 0);
  hash.add(variant.block.size());
  for (const std::uint32_t threads : variant.block) hash.add(threads);
  hash.add(variant.shared_bytes), hash.add(variant.resident ? 1 : 0);
}

}  // namespace

KernelDeclaration declaration_of(const KernelDecl& kernel, const VariantPlan& variant) {
  FnvHash hash;
  hash.add(kFormOfDigest), hash.add(kernel.name), hash.add(kernel.library);
  hash.add(static_cast<std::uint64_t>(kernel.stateful)), hash.add(kernel.serial ? 1 : 0),
      hash.add(kernel.scratch_bytes);
  add_ports(hash, kernel);
  add_params(hash, kernel);
  add(hash, variant);
  if (kernel.state_bytes != 0) hash.add("state"), hash.add(kernel.state_bytes);
  std::vector<ParamPlan> params;
  for (const ParamDecl& param : kernel.params) params.push_back({param.name, "", param.type, param.env});
  return {hash.text(), describe_interface(kernel.inputs, kernel.outputs, params)};
}

}  // namespace woa
