// The fields of a plan file's body, which is a message (message.h). A change of meaning raises kPlanVersion.
#pragma once

#include <string>

#include "runtime/plan/message.h"
#include "runtime/plan/plan.h"

namespace woa {

using message::AnyText, message::Enumeration, message::Fixed, message::FromMinusOne, message::Like, message::Unless,
    message::up_to;

inline std::string place_of(const ControllerPlan& m) { return "controller '" + m.name + "'"; }
inline std::string place_of(const ParamPlan& m) { return "param '" + m.name + "'"; }
inline std::string place_of(const StagePlan& m) { return "stage '" + m.name + "'"; }

void fields(auto& f, Like<ControllerPlan> auto& m) {
  f(1, "name", m.name);
  f(2, "kind", Enumeration{m.kind, up_to<ControllerKind::kFpga>, "kind"});
  f(3, "backend", m.backend);
  f(4, "workers", m.workers);
  f(5, "writes_packets", m.traits.writes_packets);
  f(6, "memory", Enumeration{m.traits.memory, is_memory, "memory"});
  f(7, "publishes", Enumeration{m.traits.publishes, up_to<Publisher::kWorker>, "'publishes'"});
  f(8, "registers", m.traits.registers);
  f(9, "joins", m.traits.joins);
}

void fields(auto& f, Like<Dimension> auto& m) {
  f(1, "name", m.name);
  f(2, "size", m.size);
  f(3, "max", m.max);
}

void fields(auto& f, Like<PortType> auto& m) {
  f(1, "element", m.element);
  f(2, "dims", m.dims);
  f(3, "max_bytes", m.max_bytes);
}

void fields(auto& f, Like<InputPortPlan> auto& m) {
  f(1, "name", m.name);
  f(2, "type", m.type);
  f(3, "hold", m.hold);
  f(4, "hold_mask", Fixed{m.hold_mask});
  f(5, "optional", m.optional);
  f(6, "gather", m.gather);
  f(7, "index_shift", m.index_shift);
  f(8, "index_bits", m.index_bits);
  f(9, "renewed", m.renewed);
}

void fields(auto& f, Like<OutputPortPlan> auto& m) {
  f(1, "name", m.name);
  f(2, "type", m.type);
  f(3, "one_of", m.one_of);
  f(4, "in_place", Unless{m.in_place, m.in_place < 0});
  f(5, "optional", m.optional);
  f(6, "many", m.many);
  f(7, "index_shift", m.index_shift);
  f(8, "index_bits", m.index_bits);
}

void fields(auto& f, Like<ParamPlan> auto& m) {
  f(1, "name", m.name);
  f(2, "value", AnyText{m.value});  // 3 was: it is a file
  f(4, "secret_env", m.secret_env);
  f(5, "type", Enumeration{m.type, up_to<ParamType::kFile>, "type"});
  f(6, "choice", FromMinusOne{m.choice});
}

void fields(auto& f, Like<VariantPlan> auto& m) {
  f(1, "kind", m.kind);
  f(2, "source", AnyText{m.source});
  f(3, "entry", m.entry);
  f(4, "global", m.global);
  f(5, "core", m.core);
  f(6, "clock_mhz", m.clock_mhz);
  f(7, "has_size", m.has_size);
  f(8, "block", m.block);
  f(9, "shared_bytes", m.shared_bytes);
  f(10, "resident", m.resident);
}

void fields(auto& f, Like<StagePlan> auto& m) {  // but program_kernel
  f(1, "name", m.name);
  f(2, "role", Enumeration{m.role, up_to<StageRole::kRelay>, "role"});
  f(3, "kernel", m.kernel);
  f(4, "kernel_file", AnyText{m.kernel_file});
  f(5, "library", AnyText{m.library});
  f(6, "variant", m.variant);
  f(7, "controller", m.controller);
  f(8, "params", m.params);
  f(9, "inputs", m.inputs);
  f(10, "outputs", m.outputs);
  f(11, "stateful", Enumeration{m.stateful, up_to<Stateful::kRun>, "'stateful'"});
  f(12, "scratch_bytes", m.scratch_bytes);
  f(13, "declaration", m.declaration);
  f(14, "headers", Enumeration{m.headers, up_to<HeaderWriter::kDevice>, "'headers'"});
  f(15, "publishes", Enumeration{m.publishes, up_to<Publisher::kWorker>, "'publishes'"});
  f(16, "serial", m.serial);
  f(17, "isolated", m.isolated);
  f(18, "limit_ns", m.limit_ns);
  f(19, "state_bytes", m.state_bytes);
}

void fields(auto& f, Like<EdgePlan> auto& m) {
  f(1, "from_stage", m.from_stage);
  f(2, "from_port", m.from_port);
  f(3, "to_stage", m.to_stage);
  f(4, "to_port", m.to_port);
  f(5, "keep", Fixed{m.keep});
  f(6, "step", Fixed{m.step});
  f(7, "loop", m.loop);
  f(8, "min_blocks", m.min_blocks);
  f(9, "blocks", m.blocks);
  f(10, "inline_bytes", m.inline_bytes);
  f(11, "lane", m.lane);
  f(12, "replicas", m.choice.replicas);
  f(13, "replica", m.choice.replica);
  f(14, "choice_shift", m.choice.shift);
  f(15, "choice_bits", m.choice.bits);
  f(16, "count", m.count);
  f(17, "claimed", m.claimed);
  f(18, "on_card", m.on_card);
}

void fields(auto& f, Like<LoopPlan> auto& m) {
  f(1, "name", m.name);
  f(2, "shift", m.shift);
  f(3, "bits", m.bits);
  f(4, "max", m.max);
}

void fields(auto& f, Like<Plan> auto& m) {
  f(1, "graph", m.graph);
  f(2, "model", m.model);
  f(3, "window", m.window);
  f(4, "timeout_ns", m.timeout_ns);
  f(5, "controllers", m.controllers);
  f(6, "stages", m.stages);
  f(7, "edges", m.edges);
  f(8, "loops", m.loops);
  f(9, "raises_window", m.raises_window);
  f(10, "raises_blocks", m.raises_blocks);
}

// A file's body. The proofs are the compiler's: bytes of another message (compiler/certificate/certificate_fields.h).
template <class P, class Text>
struct PlanBody {
  P& plan;
  Text& proofs;
};
template <class P, class Text>
void fields(auto& f, const PlanBody<P, Text>& m) {
  fields(f, m.plan);
  f(11, "proofs", AnyText{m.proofs});
}

}  // namespace woa
