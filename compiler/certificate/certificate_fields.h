// The fields of the proofs that the compiler adds to a plan file, which are a message (runtime/plan/message.h). A
// change of meaning raises kPlanVersion.
#pragma once

#include "compiler/certificate/certificate.h"
#include "runtime/plan/message.h"

namespace woa {

using message::Like, message::Unless;

void fields(auto& f, Like<Invariant> auto& m) { f(1, "weights", m.weights); }

void fields(auto& f, Like<ComponentCosts> auto& m) {
  f(1, "controller", m.controller);
  f(2, "workers", m.workers);
  f(3, "resources", m.resources);
  f(4, "cores", m.cores);
  f(5, "price", m.price);
  f(6, "power_mw", m.power_mw);
  f(7, "message_ps", m.message_ps);
}

void fields(auto& f, Like<LinkCosts> auto& m) {
  f(1, "latency_ps", m.latency_ps);
  f(2, "ps_per_kib", m.ps_per_kib);
  f(3, "direct", m.direct);
  f(4, "assumed", m.assumed);
}

void fields(auto& f, Like<StageCosts> auto& m) {
  f(1, "time_ps", m.time_ps);  // 2 was: firings in thousandths
  f(3, "resources", m.resources);
  f(4, "serial", m.serial);
  f(5, "copyable", m.copyable);
  f(6, "copy", m.copy);
  f(7, "core", m.core);
  f(8, "firings", m.firings);
  f(9, "modelled", m.modelled);
}

void fields(auto& f, Like<EdgeCosts> auto& m) {
  f(1, "from", m.from);
  f(2, "to", m.to);  // 3 and 4 were: tokens in thousandths, whole bytes
  f(5, "count", m.count);
  f(6, "tokens", m.tokens);
  f(7, "bytes", m.bytes);
  f(8, "unread", m.unread);
  f(9, "unread_bytes", m.unread_bytes);
  f(10, "requests", m.requests);
  f(11, "calls", m.calls);
}

void fields(auto& f, Like<CostTable> auto& m) {
  f(1, "components", m.components);
  f(2, "cores", m.cores);
  f(3, "links", m.links);
  f(4, "stages", m.stages);
  f(5, "edges", m.edges);
  f(6, "wake_ps", m.wake_ps);
}

void fields(auto& f, Like<ProofLeaf> auto& m) {
  f(1, "fixings", m.fixings);
  f(2, "scale", m.scale);
  f(3, "sum", m.sum);
  f(4, "rows", m.rows);
  f(5, "from", m.from);
  f(6, "to", m.to);
  f(7, "closed", m.closed);
}

void fields(auto& f, Like<Prediction> auto& m) {
  f(1, "messages", m.messages);
  f(2, "calls", m.calls);
  f(3, "hops", m.hops);  // 4 was: whole bytes of payload
  f(5, "serial_ps", m.serial_ps);
  f(6, "critical_path_ps", m.critical_path_ps);
  f(7, "critical_kernels_ps", m.critical_kernels_ps);
  f(8, "period_ps", m.period_ps);
  f(9, "bottleneck", m.bottleneck);
  f(10, "payload_bytes", m.payload_bytes);
  f(11, "alone_ps", m.alone_ps);
}

void fields(auto& f, Like<Certificate> auto& m) {
  f(1, "goal.model", m.goal.model);
  f(2, "goal.objective", m.goal.objective);
  f(3, "goal.most_latency_ps", m.goal.most_latency_ps);
  f(4, "goal.most_period_ps", m.goal.most_period_ps);
  f(5, "costs", m.costs);
  f(6, "placement", m.placement);
  f(7, "status", m.status);
  f(8, "method", m.method);
  f(9, "value_ps", m.value_ps);
  f(10, "bound_ps", m.bound_ps);
  f(11, "leaves", m.leaves);
  f(12, "costs_hash", m.costs_hash);
  f(13, "goal.most_price", m.goal.most_price);
  f(14, "goal.most_power_mw", m.goal.most_power_mw);
  f(15, "prediction", m.prediction);
  f(16, "goal.copies", Unless{m.goal.copies, m.goal.copies == 1});
}

// Beside the plan, which has a message of its own.
void fields(auto& f, Like<CertifiedPlan> auto& m) {
  f(1, "invariants", m.invariants);
  f(2, "certificate", m.certificate);
}

}  // namespace woa
