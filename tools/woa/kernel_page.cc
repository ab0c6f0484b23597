#include "tools/woa/kernel_page.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "runtime/base/quantities.h"
#include "tools/woa/columns.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

using nlohmann::json;

json or_null(const std::optional<std::string>& text) { return text ? json(*text) : json(nullptr); }
json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json bound_json(std::uint64_t max_bytes) { return max_bytes == 0 ? json(nullptr) : json(max_bytes); }

json input_json(const PortDescription& port) {
  return {{"name", port.name},
          {"type", port.type},
          {"max_bytes", bound_json(port.max_bytes)},
          {"optional", port.optional},
          {"gather", port.gather}};
}

json output_json(const PortDescription& port) {
  return {{"name", port.name},
          {"type", port.type},
          {"max_bytes", bound_json(port.max_bytes)},
          {"optional", port.optional},
          {"many", port.many == 0 ? json(nullptr) : json(port.many)},
          {"one_of", or_null(port.one_of)},
          {"in_place", or_null(port.in_place)}};
}

json param_json(const ParamDescription& param) {
  return {{"name", param.name},
          {"type", param.type},
          {"required", !param.value && param.env.empty()},
          {"default", or_null(param.value)},
          {"min", or_null(param.min)},
          {"max", or_null(param.max)},
          {"choices", param.choices},
          {"secret_env", or_null(param.env)}};
}

// By family, if the parts are those of families.
json resources_json(const VariantDescription& variant) {
  if (variant.resources.empty()) return json::object();
  const auto all = variant.resources.find("");
  return all == variant.resources.end() ? json(variant.resources) : json(all->second);
}

json variant_json(const VariantDescription& variant) {
  json said{{"kind", variant.kind}, {"size", variant.has_size}, {"resources", resources_json(variant)}};
  if (!variant.source.empty())
    said.update({{"source", variant.source}, {"entry", variant.entry}, {"global", variant.global}});
  if (variant.kind == "cuda")
    said.update({{"block", variant.block}, {"shared_bytes", variant.shared_bytes}, {"resident", variant.resident}});
  if (variant.kind == "rtl") said.update({{"core", variant.core}, {"clock_mhz", variant.clock_mhz}});
  return said;
}

json place_json(const PlaceDescription& place) {
  return {{"kind", place.kind}, {"backend", place.backend}, {"beyond", or_null(place.beyond)}};
}

template <class Item>
json list_json(const std::vector<Item>& items, json (*each)(const Item&)) {
  json list = json::array();
  for (const Item& item : items) list.push_back(each(item));
  return list;
}

using Rows = std::vector<Cells>;

// `title`, then the rows, indented.
void print_rows(const char* title, const Rows& rows) {
  if (rows.empty()) return;
  std::printf("\n%s\n", title);
  for (const std::string& line : in_columns(rows)) std::printf("  %s\n", printable_lines(line).c_str());
}

void add(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

std::vector<std::string> port_row(const PortDescription& port) {
  std::string more;
  if (port.max_bytes != 0) add(more, "at most " + bytes_text(port.max_bytes));
  if (port.optional) add(more, "optional");
  if (port.gather) add(more, "gathers a scatter");
  if (port.many != 0) add(more, "scatters up to " + std::to_string(port.many));
  if (!port.one_of.empty()) add(more, "one of " + port.one_of);
  if (!port.in_place.empty()) add(more, "may be written over " + port.in_place);
  return {port.name, port.type, more};
}

std::string choices_text(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "" : "|") + choice;
  return text;
}

std::vector<std::string> param_row(const ParamDescription& param) {
  std::string more;
  if (!param.env.empty()) {
    more = "secret: from the environment variable " + param.env;
  } else if (!param.value) {
    more = "required";
  } else {
    more = "default " + (param.value->empty() ? std::string("none") : *param.value);
  }
  if (param.min && param.max) {
    add(more, *param.min + " to " + *param.max);
  } else if (param.min) {
    add(more, "at least " + *param.min);
  } else if (param.max) {
    add(more, "at most " + *param.max);
  }
  return {param.name, param.choices.empty() ? param.type : choices_text(param.choices), more};
}

std::string block_text(const std::vector<std::uint32_t>& block) {
  std::string text;
  for (const std::uint32_t extent : block) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

std::vector<std::string> variant_row(const VariantDescription& variant) {
  std::string more = variant.has_size ? "output sized per firing" : "each output's max is reserved";
  if (!variant.source.empty()) add(more, variant.source);
  if (variant.kind == "cuda") add(more, "blocks of " + block_text(variant.block));
  if (variant.shared_bytes != 0) add(more, bytes_text(variant.shared_bytes) + " shared");
  if (variant.resident) add(more, "resident");
  if (variant.kind == "rtl") add(more, "core " + variant.core + " at " + std::to_string(variant.clock_mhz) + " MHz");
  for (const auto& [family, resources] : variant.resources) {
    std::string parts;
    for (const auto& [name, amount] : resources)
      if (amount != 0)
        add(parts, name == "memory" ? "memory " + bytes_text(amount) : std::to_string(amount) + " " + name);
    if (!parts.empty()) add(more, family.empty() ? parts : family + " (" + parts + ")");
  }
  return {variant.kind, more};
}

Cells place_row(const PlaceDescription& place) {
  return {place.kind + ":N", place.backend, place.beyond.empty() ? "" : "no: the kernel " + place.beyond};
}

template <class Item>
Rows rows_of(const std::vector<Item>& items, Cells (*each)(const Item&)) {
  Rows rows;
  std::ranges::transform(items, std::back_inserter(rows), each);
  return rows;
}

// A stage for a graph, with the parameters that must be given.
std::string example(const KernelListing& kernel) {
  std::string inputs, params;
  for (const PortDescription& port : kernel.description->inputs) add(inputs, port.name + ": FROM");
  for (const ParamDescription& param : kernel.description->params)
    if (!param.value && param.env.empty())
      add(params, param.name + ": " + (param.choices.empty() ? "VALUE" : param.choices.front()));
  return "STAGE: {kernel: " + kernel.name + ", in: {" + inputs + "}" +
         (params.empty() ? "" : ", params: {" + params + "}") + "}";
}

void print_page(const KernelListing& kernel) {
  std::printf("%s: %s\n", kernel.name.c_str(), printable_lines(kernel.summary).c_str());
  if (!kernel.reason.empty())
    std::printf("\nunavailable here: %s: %s\n", printable_lines(kernel.reason).c_str(), kernel.fix.c_str());
  if (!kernel.description) return;
  const KernelDescription& said = *kernel.description;
  print_rows("inputs", rows_of(said.inputs, port_row));
  print_rows("outputs", rows_of(said.outputs, port_row));
  Rows dims;
  for (const auto& [name, most] : said.dims) dims.push_back({name, "at most " + std::to_string(most)});
  print_rows("dimensions", dims);
  print_rows("parameters", rows_of(said.params, param_row));
  print_rows("variants", rows_of(said.variants, variant_row));
  print_rows("may run on", rows_of(said.places, place_row));
  Rows facts;
  if (said.stateful != "no")
    facts.push_back({"state", "kept for each " + said.stateful +
                                  (said.state_bytes == 0 ? "" : ", " + bytes_text(said.state_bytes))});
  if (said.isolate) facts.push_back({"isolated", "runs in a process of its own"});
  if (said.serial) facts.push_back({"serial", "one firing at a time"});
  if (said.scratch_bytes != 0) facts.push_back({"scratch", bytes_text(said.scratch_bytes) + " for each firing"});
  for (const std::string& need : said.needs) facts.push_back({"needs", need});
  print_rows("beside", facts);
  print_rows("as a stage", {{example(kernel)}});
}

}  // namespace

json to_json(const KernelListing& kernel) {
  json said{{"name", kernel.name}, {"summary", kernel.summary}, {"available", kernel.reason.empty()}};
  if (!kernel.reason.empty()) said.update({{"reason", kernel.reason}, {"fix", kernel.fix}});
  if (!kernel.description) return said;
  const KernelDescription& description = *kernel.description;
  said["inputs"] = list_json(description.inputs, input_json);
  said["outputs"] = list_json(description.outputs, output_json);
  said["dims"] = description.dims;
  said["params"] = list_json(description.params, param_json);
  said["variants"] = list_json(description.variants, variant_json);
  said["places"] = list_json(description.places, place_json);
  said["stateful"] = description.stateful;
  said["state_bytes"] = description.state_bytes;
  said["serial"] = description.serial;
  said["isolate"] = description.isolate;
  said["scratch_bytes"] = description.scratch_bytes;
  said["needs"] = description.needs;
  return said;
}

std::optional<KernelListing> find_kernel(const std::string& name) {
  for (KernelListing& kernel : list_kernels(kernel_path()))
    if (kernel.name == name) return std::move(kernel);
  return std::nullopt;
}

std::string nearest_kernel(const std::string& name) {
  std::vector<std::string> names;
  for (const KernelListing& kernel : list_kernels(kernel_path())) names.push_back(kernel.name);
  return nearest(name, names);
}

int explain_kernel(const KernelListing& kernel, bool as_json) {
  if (as_json) {
    json said = to_json(kernel);
    said["ok"] = true;
    print_json(said);
  } else {
    print_page(kernel);
  }
  return kDone;
}

}  // namespace woa::tools
