#include "compiler/place/device_params.h"

#include <algorithm>
#include <limits>

#include "runtime/base/scalar.h"

namespace woa {
namespace {

bool is_wide(const ParamPlan& param) {
  if (param.type != ParamType::kInt || !param.secret_env.empty()) return false;
  using Limits = std::numeric_limits<std::int32_t>;
  const std::optional<std::int64_t> value = parse_signed(param.value);
  return value && (*value < Limits::min() || *value > Limits::max());
}

Place place_of(const GraphStage& stage, const ParamPlan& param) {
  const auto use = std::ranges::find(stage.decl->params, param.name, &ParamUse::name);
  return use == stage.decl->params.end() ? stage.place : use->place;
}

}  // namespace

void check_device_params(const Graph& graph, Report& report) {
  for (const GraphStage& stage : graph.stages) {
    if (stage.kernel == nullptr || graph.controllers[stage.controller].kind != ControllerKind::kGpu) continue;
    for (const ParamPlan& param : stage.params) {
      if (!is_wide(param)) continue;
      report.error(problem::kParamRange, place_of(stage, param),
                   cat("parameter ", quote(param.name), " is ", quote(param.value), ", and stage ", quote(stage.name),
                       " runs on ", quote(graph.controllers[stage.controller].name), ", whose ints have 32 bits"),
                   "give a value from -2147483648 to 2147483647, or pin the stage to `cpu`");
    }
  }
}

}  // namespace woa
