#include "compiler/place/needs.h"

#include <algorithm>
#include <vector>

namespace woa {
namespace {

bool has(const MachineController& controller, const NeedUse& need) {
  return std::find(controller.capabilities.begin(), controller.capabilities.end(), need.name) !=
         controller.capabilities.end();
}

const NeedUse* first_missing(const std::vector<NeedUse>& needs, const MachineController& controller) {
  const auto missing = std::find_if(needs.begin(), needs.end(), [&](const NeedUse& n) { return !has(controller, n); });
  return missing == needs.end() ? nullptr : &*missing;
}

// Of what nobody has, what is most like it.
std::string did_you_mean(const NeedUse& need, const Machine& machine) {
  std::vector<std::string> known;
  for (const MachineController& controller : machine.controllers)
    known.insert(known.end(), controller.capabilities.begin(), controller.capabilities.end());
  const std::string near = nearest(need.name, known);
  return near.empty() || near == need.name ? "" : cat("did you mean ", quote(near), "? ");
}

std::string who_has_what(const Machine& machine) {
  std::vector<std::string> having;
  for (const MachineController& controller : machine.controllers) {
    std::string what;
    for (const std::string& name : controller.capabilities) what += (what.empty() ? "" : ", ") + name;
    having.push_back(cat(controller.plan.name, ": ", what.empty() ? "nothing" : what));
  }
  return cat("capabilities: ", quote_list(having), "; a machine file says them");
}

std::vector<Note> asked_at(const GraphStage& stage, const NeedUse& need) {
  const auto& own = stage.decl->needs;
  const bool by_stage = !own.empty() && &need >= own.data() && &need < own.data() + own.size();
  return {{need.place, by_stage ? std::string("needed here") : cat("kernel ", quote(stage.kernel->name), " needs it")}};
}

}  // namespace

const NeedUse* missing_need(const GraphStage& stage, const MachineController& controller) {
  const NeedUse* missing = stage.decl == nullptr ? nullptr : first_missing(stage.decl->needs, controller);
  return missing != nullptr || stage.kernel == nullptr ? missing : first_missing(stage.kernel->needs, controller);
}

void report_pin_lacks(const GraphStage& stage, const NeedUse& need, const std::string& on, const Place& place,
                      const Machine& machine, Report& report) {
  report.error(problem::kNoCapability, place,
               cat("stage ", quote(stage.name), " needs ", quote(need.name), ", which ", quote(on), " does not have"),
               cat(did_you_mean(need, machine), who_has_what(machine)), asked_at(stage, need));
}

void report_nobody_has(const GraphStage& stage, const NeedUse& need, const Machine& machine, Report& report) {
  report.error(problem::kNoCapability, stage.place,
               cat("stage ", quote(stage.name), " needs ", quote(need.name),
                   ", but no controller has all that it needs", " and runs its kernel"),
               cat(did_you_mean(need, machine), who_has_what(machine)), asked_at(stage, need));
}

}  // namespace woa
