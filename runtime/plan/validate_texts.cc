// Terminals show a plan's names, above all in errors: a plan made by hand must not be able to steer them. Names from
// the compiler are plain; paths, sources and values of parameters may be any text and are no names.
#include "runtime/base/text.h"
#include "runtime/plan/plain_texts.h"
#include "runtime/plan/validate.h"

namespace woa::validation {
namespace {

class Texts : public PlainTexts {
 public:
  void plan(const Plan& plan) {
    text("graph", plan.graph), text("model", plan.model);
    each("controllers", plan.controllers,
         [&](const ControllerPlan& controller) { text("name", controller.name), text("backend", controller.backend); });
    each("stages", plan.stages, [&](const StagePlan& one) { stage(one); });
    each("loops", plan.loops, [&](const LoopPlan& loop) { text("name", loop.name); });
    each("edges", plan.edges, [&](const EdgePlan& edge) { text("lane", edge.lane); });
  }

 private:
  void stage(const StagePlan& stage) {
    text("name", stage.name), text("kernel", stage.kernel), text("declaration", stage.declaration);
    within("variant", [&] {
      text("kind", stage.variant.kind), text("entry", stage.variant.entry), text("core", stage.variant.core);
      each("global", stage.variant.global, [&](const std::string& dimension) { text("name", dimension); });
    });
    each("params", stage.params,
         [&](const ParamPlan& param) { text("name", param.name), text("secret_env", param.secret_env); });
    each("inputs", stage.inputs, [&](const InputPortPlan& port) { text("name", port.name), type(port.type); });
    each("outputs", stage.outputs, [&](const OutputPortPlan& port) { text("name", port.name), type(port.type); });
  }
  void type(const PortType& type) {
    text("type.element", type.element);
    each("type.dims", type.dims, [&](const Dimension& dim) { text("name", dim.name); });
  }
};

}  // namespace

bool is_plain(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || begins_with_control(text)) return false;
    text.remove_prefix(length);
  }
  return true;
}

Status PlainTexts::status() const {
  if (found_.empty()) return {};
  return broken(found_, " has a control character or is no UTF-8 text: a terminal could take it for commands");
}

Status validate_texts(const Plan& plan) {
  Texts texts;
  texts.plan(plan);
  return texts.status();
}

}  // namespace woa::validation
