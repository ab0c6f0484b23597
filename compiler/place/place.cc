#include "compiler/place/place.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "compiler/place/needs.h"
#include "runtime/plan/isolation.h"

namespace woa {
namespace {

std::string_view beyond(const KernelDecl& kernel, const KnownBackend& backend) {
  return first_beyond(features_of(kernel.inputs, kernel.outputs, kernel.stateful), backend.runs);
}

class Placer {
 public:
  Placer(Graph& graph, const Machine& machine, Report& report) : graph_(graph), machine_(machine), report_(report) {
    graph_.controllers.push_back(make_controller("host", default_backend(ControllerKind::kHost)));
    for (const MachineController& controller : machine_.controllers)
      by_kind_[controller.plan.kind].push_back(&controller);
    // A machine file without a cpu gets one, as `on: cpu` says, unless the file's links lead elsewhere.
    if (by_kind_[ControllerKind::kCpu].empty() && is_reached(default_cpu_))
      by_kind_[ControllerKind::kCpu].push_back(&default_cpu_);
  }

  void run() {
    for (std::uint32_t s = kSinkStage + 1; s < graph_.stages.size(); ++s) {
      GraphStage& stage = graph_.stages[s];
      if (stage.decl->on.empty()) {
        if (stage.kernel != nullptr) choose(stage);
      } else {
        pin(stage);
      }
      check_isolation(stage);
    }
  }

 private:
  void assign(GraphStage& stage, const ControllerPlan& controller) {
    const auto [used, added] = used_.emplace(controller.name, static_cast<std::uint32_t>(graph_.controllers.size()));
    if (added) graph_.controllers.push_back(controller);
    stage.controller = used->second;
  }

  [[nodiscard]] std::vector<std::string> controller_names() const {
    std::vector<std::string> names;
    for (const MachineController& controller : machine_.controllers) names.push_back(controller.plan.name);
    return names;
  }

  [[nodiscard]] bool is_reached(const MachineController& controller) const {
    const auto [to, from] = machine_.reach(controller.plan.name);
    return to && from;
  }

  // For a controller that the machine file does not list; compiler/parse/machine_file.cc reports those that it lists.
  void report_unreached(const std::string& name, const Place& place) {
    report_.error(problem::kUnreachable, place,
                  cat(quote(name), " cannot be reached: the machine file lists links, and none between ", quote(name),
                      " and `host`, where every instance begins and ends"),
                  cat("pin the stage to one of its controllers: ", quote_list(controller_names()),
                      "; or add `{between: [host, cpu], latency: ..., bandwidth: ...}` to `links`, or `default_link`"));
  }

  void pin(GraphStage& stage) {
    const std::string& on = stage.decl->on;
    const Place& place = stage.decl->on_place;
    const std::optional<ControllerName> name = parse_controller(on);
    if (!name) {
      report_.error(
          problem::kBadPin, place, cat("`on` is ", quote(on), ", which names no controller"),
          cat("write a controller (`cpu:1`) or leave it out; ", suggest(on, {"cpu", "gpu", "fpga"}, "kinds")));
      return;
    }
    if (name->kind == ControllerKind::kHost) {
      report_.error(problem::kHostPin, place, "a stage cannot run on the host, which runs the source and the sink only",
                    "write `cpu`, or leave `on` out");
      return;
    }
    const std::optional<MachineController> controller = name->number ? find(*name) : first_that_may(stage, name->kind);
    const MachineController meant = controller.value_or(default_controller(name->kind, 0));
    if (!has_variant(stage, meant)) {
      report_no_variant(stage, meant.plan, place);
    } else if (!controller) {
      report_.error(problem::kUnknownController, place, cat("the machine has no ", quote(on)),
                    cat("its controllers: ", quote_list(controller_names()), "; a machine file may add others"));
    } else if (machine_.find(controller->plan.name) == nullptr && !is_reached(*controller)) {
      report_unreached(controller->plan.name, place);
    } else if (const NeedUse* missing = missing_need(stage, *controller)) {
      report_pin_lacks(stage, *missing, controller->plan.name, place, machine_, report_);
    } else {
      assign(stage, controller->plan);
    }
  }

  [[nodiscard]] std::optional<MachineController> find(const ControllerName& name) const {
    const MachineController wanted = default_controller(name.kind, *name.number);
    if (const MachineController* controller = machine_.find(wanted.plan.name)) return *controller;
    return name.kind == ControllerKind::kCpu || machine_.open ? std::optional(wanted) : std::nullopt;
  }

  // The first controller of the kind with all that the stage needs; the first that runs its kernel if none has it, else
  // the kind's first; nothing if the kind has none.
  [[nodiscard]] std::optional<MachineController> first_that_may(const GraphStage& stage, ControllerKind kind) {
    const std::vector<const MachineController*> able = able_to_run(stage, kind);
    if (able.empty()) return by_kind_[kind].empty() ? std::nullopt : std::optional(*by_kind_[kind].front());
    const auto may =
        std::find_if(able.begin(), able.end(), [&](const auto* c) { return missing_need(stage, *c) == nullptr; });
    return **(may == able.end() ? able.begin() : may);
  }

  [[nodiscard]] static bool has_variant(const GraphStage& stage, const MachineController& controller) {
    return stage.kernel == nullptr || may_run(stage, controller.plan);
  }

  [[nodiscard]] std::vector<const MachineController*> able_to_run(const GraphStage& stage, ControllerKind kind) {
    std::vector<const MachineController*> able = by_kind_[kind];
    std::erase_if(able, [&](const MachineController* controller) { return !has_variant(stage, *controller); });
    return able;
  }

  void report_no_variant(const GraphStage& stage, const ControllerPlan& controller, const Place& place) {
    const KnownBackend* const backend = find_backend(controller.backend);
    if (is_isolated(stage) && runs_on(*stage.kernel, controller)) return report_not_isolated(stage, controller, place);
    if (backend != nullptr && stage.kernel->variants.contains(backend->variant))
      return report_beyond(stage, *backend, place);
    report_.error(problem::kNoVariant, place,
                  cat("kernel ", quote(stage.kernel->name), " of stage ", quote(stage.name), " has no variant ",
                      quote(variant_of(controller.backend)), ", which ", quote(to_string(controller.kind)), " needs"),
                  or_other_backend(stage, controller) + where_it_runs(stage));
  }

  void report_not_isolated(const GraphStage& stage, const ControllerPlan& controller, const Place& place) {
    report_.error(
        problem::kNotIsolated, place,
        cat("stage ", quote(stage.name),
            " is isolated, which only stages on cpu controllers can be, and it is pinned to ", quote(controller.name)),
        "pin it to `cpu`, or remove `isolate` and `limit`");
  }

  void check_isolation(const GraphStage& stage) {
    if (!is_isolated(stage)) return;
    const KernelDecl& kernel = *stage.kernel;
    const std::string why =
        why_not_isolated(kernel.name, stage.program_kernel != 0, kernel.stateful, kernel.state_bytes);
    if (!why.empty())
      report_.error(problem::kNotIsolated, stage.place, cat("stage ", quote(stage.name), " cannot be isolated"), why);
  }

  // The way out for a kernel that another back-end of the controller's kind runs; empty: it has no variant for one.
  [[nodiscard]] static std::string or_other_backend(const GraphStage& stage, const ControllerPlan& controller) {
    for (const KnownBackend& other : kBackends)
      if (other.kind == controller.kind && runs_on(*stage.kernel, make_controller(controller.name, other)))
        return cat("give the controller that back-end in a machine file: `\"", controller.name,
                   "\": {backend: ", other.name, "}`; or ");
    return {};
  }

  [[nodiscard]] static std::string where_it_runs(const GraphStage& stage) {
    std::vector<std::string> kinds;
    for (const ControllerKind kind : kKernelKinds) {
      if (runs_on(*stage.kernel, kind)) kinds.emplace_back(to_string(kind));
    }
    return kinds.empty() ? "add the variant `cpu` to its kernel.yaml, which does all that kernels may do"
                         : cat("pin the stage to a kind that the kernel runs on: ", quote_list(kinds));
  }

  void report_beyond(const GraphStage& stage, const KnownBackend& backend, const Place& place) {
    report_.error(
        problem::kBeyondBackend, place,
        cat("kernel ", quote(stage.kernel->name), " of stage ", quote(stage.name), " ", beyond(*stage.kernel, backend),
            ", which its variant ", quote(backend.variant), " cannot on ", quote(to_string(backend.kind))),
        where_it_runs(stage));
  }

  void choose(GraphStage& stage) {
    const NeedUse* missing = nullptr;
    for (const ControllerKind kind : kKernelKinds) {
      const std::vector<const MachineController*> able = able_to_run(stage, kind);
      if (able.empty()) continue;
      const std::size_t first = kind == ControllerKind::kCpu ? dealt_++ : 0;
      for (std::size_t i = 0; i < able.size(); ++i) {
        const MachineController& controller = *able[(first + i) % able.size()];
        const NeedUse* lacks = missing_need(stage, controller);
        if (lacks == nullptr) return assign(stage, controller.plan);
        missing = lacks;
      }
    }
    if (missing != nullptr) return report_nobody_has(stage, *missing, machine_, report_);
    if (std::ranges::none_of(kKernelKinds, [&](ControllerKind kind) { return runs_on(*stage.kernel, kind); }))
      for (const KnownBackend& backend : kBackends)
        if (stage.kernel->variants.contains(backend.variant)) return report_beyond(stage, backend, stage.place);
    report_.error(problem::kUnknownController, stage.place,
                  cat("the machine has no controller that kernel ", quote(stage.kernel->name), " runs on"),
                  cat("its controllers: ", quote_list(controller_names())));
  }

  Graph& graph_;
  const Machine& machine_;
  Report& report_;
  const MachineController default_cpu_ = default_controller(ControllerKind::kCpu, 0);
  std::map<ControllerKind, std::vector<const MachineController*>> by_kind_;  // in the order of the file
  std::size_t dealt_ = 0;
  std::unordered_map<std::string, std::uint32_t> used_;
};

}  // namespace

const Resources* modelled_on(const GraphStage& stage, const ControllerPlan& controller) {
  return stage.profile == nullptr ? nullptr : modelled_on(*stage.profile, controller);
}

bool is_isolated(const GraphStage& stage) {
  if (stage.kernel == nullptr || stage.decl == nullptr) return false;
  return stage.decl->limit_ns || stage.decl->isolate.value_or(stage.kernel->isolate);
}

bool may_run(const GraphStage& stage, const ControllerPlan& controller) {
  if (controller.kind != ControllerKind::kCpu && is_isolated(stage)) return false;
  return modelled_on(stage, controller) != nullptr || runs_on(*stage.kernel, controller);
}

Resources resources_on(const GraphStage& stage, const MachineController& controller) {
  if (stage.kernel == nullptr) return {};
  if (const Resources* modelled = modelled_on(stage, controller.plan)) return *modelled;
  const auto found = stage.kernel->resources.find(variant_of(controller.plan.backend));
  return found == stage.kernel->resources.end() ? Resources() : use_on(found->second, controller.family);
}

std::string core_on(const GraphStage& stage, const ControllerPlan& controller) {
  if (controller.kind != ControllerKind::kFpga || !may_run(stage, controller)) return {};
  std::string core = stage.kernel->name;
  if (const Resources* modelled = modelled_on(stage, controller))
    for (const auto& [resource, amount] : *modelled) core += cat(" ", resource, "=", amount);
  return core;
}

bool runs_on(const KernelDecl& kernel, const ControllerPlan& controller) {
  const KnownBackend* const backend = find_backend(controller.backend);
  return backend != nullptr && kernel.variants.contains(backend->variant) && beyond(kernel, *backend).empty();
}

bool runs_on(const KernelDecl& kernel, ControllerKind kind) {
  return std::ranges::any_of(kBackends, [&](const KnownBackend& backend) {
    return backend.kind == kind && kernel.variants.contains(backend.variant) && beyond(kernel, backend).empty();
  });
}

std::string_view beyond(const KernelDecl& kernel, ControllerKind kind) {
  std::string_view why;
  for (const KnownBackend& backend : kBackends) {
    if (backend.kind != kind || !kernel.variants.contains(backend.variant)) continue;
    why = beyond(kernel, backend);
    if (why.empty()) return why;
  }
  return why;
}

void place(Graph& graph, const Machine& machine, Report& report) { Placer(graph, machine, report).run(); }

}  // namespace woa
