#include "runtime/plan/plan_message.h"

#include <plan.pb.h>

#include <cstring>
#include <limits>

namespace woa {
namespace {

void encode(const PortType& from, pb::PortType& to) {
  to.set_element(from.element);
  for (const Dimension& dim : from.dims) {
    pb::Dimension& d = *to.add_dims();
    d.set_name(dim.name);
    d.set_size(dim.size);
    d.set_max(dim.max);
  }
  to.set_max_bytes(from.max_bytes);
}

PortType decode(const pb::PortType& from) {
  PortType to;
  to.element = from.element();
  for (const pb::Dimension& d : from.dims()) to.dims.push_back({d.name(), d.size(), d.max()});
  to.max_bytes = from.max_bytes();
  return to;
}

void encode(const VariantPlan& from, pb::Variant& to) {
  to.set_kind(from.kind);
  to.set_source(from.source);
  to.set_entry(from.entry);
  for (const std::string& name : from.global) to.add_global(name);
  to.set_core(from.core);
  to.set_clock_mhz(from.clock_mhz);
  to.set_has_size(from.has_size);
  for (const std::uint32_t threads : from.block) to.add_block(threads);
  to.set_shared_bytes(from.shared_bytes);
  to.set_resident(from.resident);
}

VariantPlan decode(const pb::Variant& from) {
  return {.kind = from.kind(),
          .source = from.source(),
          .entry = from.entry(),
          .global = {from.global().begin(), from.global().end()},
          .core = from.core(),
          .clock_mhz = from.clock_mhz(),
          .has_size = from.has_size(),
          .block = {from.block().begin(), from.block().end()},
          .shared_bytes = from.shared_bytes(),
          .resident = from.resident()};
}

void encode_ports(const StagePlan& from, pb::Stage& to) {
  for (const ParamPlan& param : from.params) {
    pb::Param& p = *to.add_params();
    p.set_name(param.name);
    p.set_value(param.value);
    p.set_type(static_cast<std::uint32_t>(param.type));
    p.set_secret_env(param.secret_env);
    p.set_choice(static_cast<std::uint32_t>(param.choice + 1));
  }
  for (const InputPortPlan& port : from.inputs) {
    pb::InputPort& p = *to.add_inputs();
    p.set_name(port.name);
    encode(port.type, *p.mutable_type());
    p.set_hold(port.hold);
    p.set_hold_mask(port.hold_mask);
    p.set_optional(port.optional);
    p.set_gather(port.gather);
    p.set_index_shift(port.index_shift);
    p.set_index_bits(port.index_bits);
    p.set_renewed(port.renewed);
  }
  for (const OutputPortPlan& port : from.outputs) {
    pb::OutputPort& p = *to.add_outputs();
    p.set_name(port.name);
    encode(port.type, *p.mutable_type());
    p.set_one_of(port.one_of);
    if (port.in_place >= 0) p.set_in_place(static_cast<std::uint32_t>(port.in_place));
    p.set_optional(port.optional);
    p.set_many(port.many);
    p.set_index_shift(port.index_shift);
    p.set_index_bits(port.index_bits);
  }
}

void encode(const StagePlan& from, pb::Stage& to) {
  to.set_name(from.name);
  to.set_role(static_cast<std::uint32_t>(from.role));
  to.set_kernel(from.kernel);
  to.set_kernel_file(from.kernel_file);
  to.set_library(from.library);
  to.set_declaration(from.declaration);
  encode(from.variant, *to.mutable_variant());
  to.set_controller(from.controller);
  encode_ports(from, to);
  to.set_stateful(static_cast<std::uint32_t>(from.stateful));
  to.set_scratch_bytes(from.scratch_bytes);
  to.set_headers(static_cast<std::uint32_t>(from.headers));
  to.set_publishes(static_cast<std::uint32_t>(from.publishes));
}

StagePlan decode(const pb::Stage& from) {
  StagePlan to{.name = from.name(),
               .role = static_cast<StageRole>(from.role()),
               .kernel = from.kernel(),
               .kernel_file = from.kernel_file(),
               .library = from.library(),
               .declaration = from.declaration(),
               .variant = decode(from.variant()),
               .controller = from.controller(),
               .params = {},
               .inputs = {},
               .outputs = {},
               .stateful = static_cast<Stateful>(from.stateful()),
               .scratch_bytes = from.scratch_bytes(),
               .headers = static_cast<HeaderWriter>(from.headers()),
               .publishes = static_cast<Publisher>(from.publishes())};
  for (const pb::Param& p : from.params()) {
    to.params.push_back({p.name(), p.value(), static_cast<ParamType>(p.type()), p.secret_env(),
                         static_cast<std::int32_t>(p.choice() - 1U)});
  }
  for (const pb::InputPort& p : from.inputs()) {
    to.inputs.push_back({p.name(), decode(p.type()), p.hold(), p.hold_mask(), p.optional(), p.gather(), p.index_shift(),
                         p.index_bits(), p.renewed()});
  }
  for (const pb::OutputPort& p : from.outputs()) {
    to.outputs.push_back({p.name(), decode(p.type()), p.one_of()});
    if (p.has_in_place()) to.outputs.back().in_place = static_cast<std::int32_t>(p.in_place());
    to.outputs.back().optional = p.optional();
    to.outputs.back().many = p.many();
    to.outputs.back().index_shift = p.index_shift();
    to.outputs.back().index_bits = p.index_bits();
  }
  return to;
}

void encode(const EdgePlan& from, pb::Edge& to) {
  to.set_from_stage(from.from_stage);
  to.set_from_port(from.from_port);
  to.set_to_stage(from.to_stage);
  to.set_to_port(from.to_port);
  to.set_keep(from.keep);
  to.set_step(from.step);
  to.set_loop(from.loop);
  to.set_min_blocks(from.min_blocks);
  to.set_blocks(from.blocks);
  to.set_inline_bytes(from.inline_bytes);
  if (!from.lane.empty()) to.set_lane(from.lane);
  to.set_replicas(from.choice.replicas);
  to.set_replica(from.choice.replica);
  to.set_choice_shift(from.choice.shift);
  to.set_choice_bits(from.choice.bits);
  to.set_count(from.count);
  to.set_claimed(from.claimed);
  to.set_on_card(from.on_card);
}

EdgePlan decode(const pb::Edge& from) {
  return {.from_stage = from.from_stage(),
          .from_port = from.from_port(),
          .to_stage = from.to_stage(),
          .to_port = from.to_port(),
          .keep = from.keep(),
          .step = from.step(),
          .loop = from.loop(),
          .min_blocks = from.min_blocks(),
          .blocks = from.blocks(),
          .inline_bytes = from.inline_bytes(),
          .lane = from.lane(),
          .choice = {from.replicas(), from.replica(), from.choice_shift(), from.choice_bits()},
          .count = from.count(),
          .claimed = from.claimed(),
          .on_card = from.on_card()};
}

void encode(const Plan& from, pb::Plan& to) {
  to.set_graph(from.graph);
  to.set_model(from.model);
  to.set_window(from.window);
  to.set_deadline_ns(from.deadline_ns);
  for (const ControllerPlan& controller : from.controllers) {
    pb::Controller& c = *to.add_controllers();
    c.set_name(controller.name);
    c.set_kind(static_cast<std::uint32_t>(controller.kind));
    c.set_backend(controller.backend);
    c.set_workers(controller.workers);
    c.set_writes_packets(controller.traits.writes_packets);
    c.set_memory(static_cast<std::uint32_t>(controller.traits.memory));
    c.set_publishes(static_cast<std::uint32_t>(controller.traits.publishes));
    c.set_registers(controller.traits.registers);
    c.set_joins(controller.traits.joins);
  }
  for (const StagePlan& stage : from.stages) encode(stage, *to.add_stages());
  for (const EdgePlan& edge : from.edges) encode(edge, *to.add_edges());
  for (const LoopPlan& loop : from.loops) {
    pb::Loop& l = *to.add_loops();
    l.set_name(loop.name);
    l.set_shift(loop.shift);
    l.set_bits(loop.bits);
    l.set_max(loop.max);
  }
}

Plan decode(const pb::Plan& from) {
  Plan to;
  to.graph = from.graph();
  to.model = from.model();
  to.window = from.window();
  to.deadline_ns = from.deadline_ns();
  for (const pb::Controller& c : from.controllers()) {
    to.controllers.push_back({c.name(),
                              static_cast<ControllerKind>(c.kind()),
                              c.backend(),
                              c.workers(),
                              {c.writes_packets(), static_cast<MemoryKind>(c.memory()),
                               static_cast<Publisher>(c.publishes()), c.registers(), c.joins()}});
  }
  for (const pb::Stage& stage : from.stages()) to.stages.push_back(decode(stage));
  for (const pb::Edge& edge : from.edges()) to.edges.push_back(decode(edge));
  for (const pb::Loop& l : from.loops()) to.loops.push_back({l.name(), l.shift(), l.bits(), l.max()});
  return to;
}

// A cast to a byte would silently truncate a number outside an enumeration's list.
template <class Enum>
Status check_number(std::uint32_t number, Enum last, const std::string& place, std::string_view what) {
  if (number <= static_cast<std::uint32_t>(last)) return {};
  return {Code::kInvalid, "plan: " + place + ": unknown " + std::string(what) + " " + std::to_string(number)};
}

Status check_enumerations(const pb::Plan& plan) {
  for (const pb::Controller& c : plan.controllers()) {
    const std::string place = "controller '" + c.name() + "'";
    WOA_RETURN_IF_ERROR(check_number(c.kind(), ControllerKind::kFpga, place, "kind"));
    if (!is_memory(c.memory()))
      return {Code::kInvalid, "plan: " + place + ": unknown memory " + std::to_string(c.memory())};
    WOA_RETURN_IF_ERROR(check_number(c.publishes(), Publisher::kWorker, place, "'publishes'"));
  }
  for (const pb::Stage& s : plan.stages()) {
    const std::string place = "stage '" + s.name() + "'";
    WOA_RETURN_IF_ERROR(check_number(s.role(), StageRole::kRelay, place, "role"));
    WOA_RETURN_IF_ERROR(check_number(s.stateful(), Stateful::kRun, place, "'stateful'"));
    WOA_RETURN_IF_ERROR(check_number(s.headers(), HeaderWriter::kDevice, place, "'headers'"));
    WOA_RETURN_IF_ERROR(check_number(s.publishes(), Publisher::kWorker, place, "'publishes'"));
    for (const pb::Param& p : s.params())
      WOA_RETURN_IF_ERROR(check_number(p.type(), ParamType::kFile, place + ", param '" + p.name() + "'", "type"));
  }
  return {};
}

}  // namespace

std::string encode_plan_message(const Plan& plan, std::string_view proofs) {
  pb::Plan message;
  encode(plan, message);
  message.set_proofs(proofs.data(), proofs.size());
  return message.SerializeAsString();
}

Result<Plan> decode_plan_message(std::span<const std::byte> bytes, std::string* proofs) {
  pb::Plan message;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return {Code::kInvalid, "plan: the body is not a plan message; compile the graph again"};
  }
  WOA_RETURN_IF_ERROR(check_enumerations(message));
  Plan plan = decode(message);
  const std::string canonical = encode_plan_message(plan, message.proofs());
  if (canonical.size() != bytes.size() || std::memcmp(canonical.data(), bytes.data(), bytes.size()) != 0) {
    return {Code::kInvalid, "plan: the body holds fields that this version does not write; compile the graph again"};
  }
  if (proofs != nullptr) *proofs = std::move(*message.mutable_proofs());
  return plan;
}

}  // namespace woa
