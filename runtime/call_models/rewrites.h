// The rewrites of a `woa` plan, one to a file. `plan` has passed validate(); Plan::model is left as it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::call_models {

// `callers`: if not null, by stage: the relay that calls it, or 0 for stages on the host.
Plan to_hub(const Plan& plan, std::vector<std::uint32_t>* callers = nullptr);
Plan to_fused(const Plan& plan);
// kUnsupported: a graph that it cannot be made of; the message names the stage, and why.
Result<Plan> to_nested(const Plan& plan);
Result<Plan> to_polled(const Plan& plan);

// What rewrites are made of: relay stages, edges through them, and signals.
//
// A signal is a count of nothing: a packet without payload that says that a token was written, or that a relay fired.
// It leaves on an edge with EdgePlan::count and comes to an input of a relay that gathers what nobody sends.

// A stage on `controller` that passes on what comes for `inputs`, one output per input.
StagePlan make_relay(std::string name, std::uint32_t controller, std::vector<InputPortPlan> inputs);
// An edge that takes tokens on as they are. Its blocks are yet to be set.
EdgePlan edge_from(std::uint32_t stage, std::uint32_t port, std::uint32_t to_stage, std::uint32_t to_port);
// An input for what an output writes; nothing is held or gathered.
InputPortPlan input_for(const OutputPortPlan& output, const std::string& name);

// Where the tag has a bit that nobody counts in: signals are matched without it. kUnsupported: all 64 are taken.
Result<std::uint32_t> free_tag_bit(const Plan& plan);
InputPortPlan signal_input(const std::string& name, std::uint32_t tag_bit);
// With room for as many signals as `like` has for tokens.
EdgePlan signal_from(std::uint32_t stage, std::uint32_t port, std::uint32_t to_stage, std::uint32_t to_port,
                     const EdgePlan& like);

// The stage's input that every firing consumes a token of.
std::uint32_t consumed_input(const StagePlan& stage);

}  // namespace woa::call_models
