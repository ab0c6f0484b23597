// Firings of stages that a device runs behind one another (EdgePlan::on_card). The first stage's firing claims what the
// last one writes; the books of each stage are kept as if it had fired by itself. Only the first takes tokens and
// poison, so it alone says whether an instance is dead here, whichever stage failed.
#include "runtime/controller/firings.h"

namespace woa {

Fired Firings::prepare_joined(ActiveFiring& firing) noexcept {
  Fired fired = Fired::kStarted;
  each_joined(firing, [&](ActiveFiring& joined) {
    StageInstance* const entry = joined.program->instances.find(firing.instance);
    if (entry == nullptr) fired = Fired::kNotYet;
    joined.entry = entry;
    joined.set(firing.activation());
    joined.timed = firing.timed;
    joined.stands_for = firing.stands_for;
    joined.code = Code::kOk;
    joined.message.clear();
    joined.started_ns = joined.ended_ns = joined.cycles = 0;
    joined.worker = 0;
    const PortType& type = joined.program->inputs.front().plan->type;
    joined.inputs.front() = {};
    if (type.is_fixed()) joined.inputs.front().bytes = type.max_bytes;  // the device need not say it
  });
  return fired;
}

void Firings::start_joined(const ActiveFiring& firing) noexcept {
  each_joined(firing, [](ActiveFiring& joined) {
    StageProgram& stage = *joined.program;
    if (joined.timed) stage.timed_until = stage.started + joined.stands_for;
    ++stage.started;
    stage.instances.started(*joined.entry, joined.tag);
  });
}

}  // namespace woa
