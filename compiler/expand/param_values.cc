#include "compiler/expand/param_values.h"

#include <limits>
#include <optional>

#include "compiler/parse/reader.h"

namespace woa {

ParamValues::ParamValues(const SubgraphUse& use, const ParamValues& outer, const Given& command_line,
                         const Place& command_line_place, Report& report) {
  std::unordered_map<std::string_view, const ParamUse*> in_graph;
  for (const ParamUse& param : use.stage.params) in_graph.emplace(param.name, &param);
  for (const ParamDecl& decl : use.graph.params) {
    const auto given = command_line.find(decl.name);
    if (given == command_line.end()) {
      const auto param = in_graph.find(decl.name);
      values_.emplace(decl.name,
                      value_in_graph(use, decl, param == in_graph.end() ? nullptr : param->second, outer, report));
      continue;
    }
    const auto fault = check_param(decl, given->second);
    if (fault) report.error(fault->code, command_line_place, fault->text, accepted_form(decl, decl.name + "="));
    values_.emplace(decl.name, Value{given->second, command_line_place, false, fault.has_value()});
  }
}

ParamValues::Value ParamValues::value_in_graph(const SubgraphUse& use, const ParamDecl& decl, const ParamUse* param,
                                               const ParamValues& outer, Report& report) const {
  if (param == nullptr && decl.value) return {*decl.value, seen_through(use.graph.place, use.place)};
  if (param == nullptr) {
    if (!use.stage.params_complete || use.misspelt || !decl.complete) return {{}, {}, true, true};
    report.error(
        problem::kMissingParam, seen_through(use.stage.place, use.outer_place),
        cat("stage ", quote(use.name), " needs parameter ", quote(decl.name), " (", to_string(decl.type),
            ") of sub-graph ", quote(use.graph.name)),
        cat("add `", decl.name, ": VALUE` to its `params`, or give `--param ", use.name, ".", decl.name, "=VALUE`"));
    return {{}, {}, true, true};
  }
  if (param->param.empty() && !param->value) return {{}, {}, true, true};
  if (param->param.empty()) return {*param->value, seen_through(param->place, use.outer_place)};
  Value value = outer.values_.at(param->param);
  if (value.broken) return value;
  if (const auto fault = check_param(decl, value.text)) {
    report.error(fault->code, value.place, fault->text, accepted_form(decl, ""),
                 {{seen_through(param->place, use.outer_place),
                   cat("it is passed on here, to sub-graph ", quote(use.graph.name))}});
    value.broken = true;
  }
  return value;
}

ParamUse ParamValues::settled(const ParamUse& param, std::uint32_t place_use) const {
  ParamUse settled = param;
  settled.name_place = seen_through(param.name_place, place_use);
  settled.place = seen_through(param.place, place_use);
  if (param.param.empty()) return settled;
  const Value& value = values_.at(param.param);
  settled.param.clear();
  settled.passed = true;
  if (!value.broken) settled.value = value.text;
  settled.place = value.place;
  settled.in_graph = value.in_graph;
  return settled;
}

void ParamValues::settle(LoopMark& loop, Report& report) const {
  if (loop.max_param.empty()) return;
  const Value& value = values_.at(loop.max_param);
  loop.max_param.clear();
  loop.broken = loop.broken || value.broken;
  if (value.broken) return;
  const std::optional<std::uint64_t> turns = parse_whole(value.text);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (turns && *turns >= 1 && *turns <= kMost) {
    loop.max = static_cast<std::uint32_t>(*turns);
    return;
  }
  loop.broken = true;
  report.error(problem::kBadValue, value.place,
               cat("`max` is ", quote(value.text), ", expected a whole number from 1 to ", kMost),
               "give such a number; a parameter `{type: int, min: 1}` allows no other",
               {{loop.max_place, "the bound"}});
}

}  // namespace woa
