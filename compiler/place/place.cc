#include "compiler/place/place.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace woa {
namespace {

constexpr std::array<ControllerKind, 3> kKinds{ControllerKind::kCpu, ControllerKind::kGpu, ControllerKind::kFpga};

class Placer {
 public:
  Placer(Graph& graph, const Machine& machine, Report& report) : graph_(graph), machine_(machine), report_(report) {
    graph_.controllers.push_back({"host", ControllerKind::kHost, "host", 1});
    for (const MachineController& each : machine_.controllers) {
      const ControllerPlan& controller = each.plan;
      first_.emplace(controller.kind, &controller);
      if (controller.kind == ControllerKind::kCpu) cpus_.push_back(&controller);
    }
  }

  void run() {
    for (std::uint32_t s = kSinkStage + 1; s < graph_.stages.size(); ++s) {
      GraphStage& stage = graph_.stages[s];
      if (stage.decl->on.empty()) {
        if (stage.kernel != nullptr) choose(stage);
      } else {
        pin(stage);
      }
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

  void pin(GraphStage& stage) {
    const std::string& on = stage.decl->on;
    const Place& place = stage.decl->on_place;
    const std::optional<ControllerName> name = parse_controller(on);
    if (!name) {
      report_.error(problem::kBadPin, place, cat("`on` is ", quote(on), ", which names no controller"),
                    "write a kind (`cpu`, `gpu`, `fpga`) or a controller (`cpu:1`), or leave it out");
      return;
    }
    if (name->kind == ControllerKind::kHost) {
      report_.error(problem::kHostPin, place, "a stage cannot run on the host, which runs the source and the sink only",
                    "write `cpu`, or leave `on` out");
      return;
    }
    if (!has_variant(stage, name->kind)) return report_no_variant(stage, name->kind, place);
    if (const std::optional<ControllerPlan> controller = find(*name)) {
      assign(stage, *controller);
    } else {
      report_.error(problem::kUnknownController, place, cat("the machine has no ", quote(on)),
                    cat("its controllers: ", quote_list(controller_names()), "; a machine file may add others"));
    }
  }

  [[nodiscard]] std::optional<ControllerPlan> find(const ControllerName& name) const {
    if (!name.number) {
      const auto first = first_.find(name.kind);
      if (first != first_.end()) return *first->second;
      return name.kind == ControllerKind::kCpu ? std::optional(default_controller(name.kind, 0).plan) : std::nullopt;
    }
    const ControllerPlan wanted = default_controller(name.kind, *name.number).plan;
    if (const MachineController* controller = machine_.find(wanted.name)) return controller->plan;
    return name.kind == ControllerKind::kCpu || machine_.open ? std::optional(wanted) : std::nullopt;
  }

  [[nodiscard]] static bool has_variant(const GraphStage& stage, ControllerKind kind) {
    return stage.kernel == nullptr || stage.kernel->variants.contains(variant_for(kind));
  }

  void report_no_variant(const GraphStage& stage, ControllerKind kind, const Place& place) {
    std::vector<std::string> kinds;
    for (const ControllerKind other : kKinds) {
      if (has_variant(stage, other)) kinds.emplace_back(to_string(other));
    }
    report_.error(problem::kNoVariant, place,
                  cat("kernel ", quote(stage.kernel->name), " has no variant ", quote(variant_for(kind)), ", which ",
                      quote(to_string(kind)), " needs"),
                  cat("pin the stage to a kind that the kernel runs on: ", quote_list(kinds)));
  }

  void choose(GraphStage& stage) {
    if (has_variant(stage, ControllerKind::kCpu)) {
      if (cpus_.empty()) return assign(stage, default_controller(ControllerKind::kCpu, 0).plan);
      return assign(stage, *cpus_[dealt_++ % cpus_.size()]);
    }
    for (const ControllerKind kind : kKinds) {
      const auto first = first_.find(kind);
      if (has_variant(stage, kind) && first != first_.end()) return assign(stage, *first->second);
    }
    report_.error(problem::kUnknownController, stage.place,
                  cat("the machine has no controller that kernel ", quote(stage.kernel->name), " runs on"),
                  cat("its controllers: ", quote_list(controller_names())));
  }

  Graph& graph_;
  const Machine& machine_;
  Report& report_;
  std::map<ControllerKind, const ControllerPlan*> first_;
  std::vector<const ControllerPlan*> cpus_;
  std::size_t dealt_ = 0;
  std::unordered_map<std::string, std::uint32_t> used_;
};

}  // namespace

std::string_view variant_for(ControllerKind kind) noexcept {
  switch (kind) {
    case ControllerKind::kHost: return "";
    case ControllerKind::kCpu: return "cpu";
    case ControllerKind::kGpu: return "opencl";
    case ControllerKind::kFpga: return "rtl";
  }
  return "";
}

void place(Graph& graph, const Machine& machine, Report& report) { Placer(graph, machine, report).run(); }

}  // namespace woa
