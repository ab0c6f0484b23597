// The rewrites of a `woa` plan, one per file. `plan` has passed validate(); Plan::model is left unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::call_models {

// `callers`, if not null: by stage, the relay that calls it, or 0 for stages on the host.
Plan to_hub(const Plan& plan, std::vector<std::uint32_t>* callers = nullptr);
Plan to_fused(const Plan& plan);
// kUnsupported: the model cannot run the graph; the message names the stage, and why.
Result<Plan> to_nested(const Plan& plan);
Result<Plan> to_polled(const Plan& plan);

// The parts of rewrites: relay stages, edges through them, and signals.
//
// A signal is a packet without payload that says that a token was written, or that a relay fired. It travels as the
// count of a scatter without elements: on an edge with EdgePlan::count, to an input of a relay that gathers. The signal
// of a scatter has the number of elements.

// A stage on `controller` that passes on the tokens of `inputs`, one output per input.
StagePlan make_relay(std::string name, std::uint32_t controller, std::vector<InputPortPlan> inputs);
// An edge that passes tokens on unchanged. The caller sets its blocks.
EdgePlan edge_from(std::uint32_t stage, std::uint32_t port, std::uint32_t to_stage, std::uint32_t to_port);
// An input for the tokens of an output; nothing is held or gathered.
InputPortPlan input_for(const OutputPortPlan& output, const std::string& name);

// The number of a tag bit that no counter uses: signals are matched without it. kUnsupported: all 64 are taken.
Result<std::uint32_t> free_tag_bit(const Plan& plan);
InputPortPlan signal_input(const std::string& name, std::uint32_t tag_bit);
// Has room for as many signals as `like` has for tokens.
EdgePlan signal_from(std::uint32_t stage, std::uint32_t port, std::uint32_t to_stage, std::uint32_t to_port,
                     const EdgePlan& like);

// The first input that is not held: every firing consumes a token of it.
std::uint32_t consumed_input(const StagePlan& stage);

}  // namespace woa::call_models
