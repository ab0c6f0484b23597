// A kernel has run: check what it wrote against its kernel.yaml, send it on, free what it consumed.
#include <algorithm>

#include "runtime/controller/active_firing.h"
#include "runtime/controller/controller.h"

namespace woa {
std::size_t Controller::poll_backend() noexcept {
  if (free_firings_.size() == firings_.size()) return 0;  // nothing is running
  const std::size_t count = backend_.poll(done_);
  for (std::size_t k = 0; k < count; ++k) complete(static_cast<ActiveFiring&>(*done_[k]));
  if (count > 0) retry_ready_ = true;
  return count;
}

void Controller::complete(ActiveFiring& firing) noexcept {
  firing.activity->end();
  if (firing.lost) {
    fail_run({firing.code, "stage '" + stage(firing.stage).name + "': " + firing.message});
    return free_firing(firing);
  }
  if (firing.poison) {  // poison that the device passed on
    commit_device_poison(firing);
    return free_firing(firing);
  }
  StageInstance& entry = books_[firing.stage].instances[firing.instance % kMaxWindow];
  --entry.running;
  const bool unwanted = entry.dead || firing.instance < oldest_;
  if (device_forwards_) {
    // Whatever the device wrote must go out: its sequence numbers are taken. Consumers drop what they no longer want.
    if (firing.code == Code::kOk) {
      commit_outputs(firing);
    } else {
      for (const PortClaim& claim : firing.claims) outputs_->hold_block(claim, 0);
      for (const FiringRoute& route : firing.routes) outputs_->return_credit(route.edge, firing.instance);
      outputs_->abort_counts(firing.stage, {firing.instance, firing.tag});
      commit_device_poison(firing);
      if (!unwanted) mark_dead(firing.stage, entry);
    }
  } else {
    Status status = firing.code == Code::kOk ? check_outputs(firing) : Status(firing.code, firing.message);
    if (status.ok() && !unwanted) {
      commit_outputs(firing);
    } else {
      outputs_->abort(firing.stage, {firing.instance, firing.tag}, firing.claims);
      if (!status.ok() && !unwanted)
        kill_stage(firing.stage, firing.instance, status.code(), firing.stage, status.message());
    }
  }
  count_firing(firing);  // not sooner: its reader waits for the output
  finish(firing);
}

void Controller::finish(ActiveFiring& firing) noexcept {
  StageInstance& entry = books_[firing.stage].instances[firing.instance % kMaxWindow];
  for (const Token& token : firing.tokens) {
    if (token.present()) release(token);
  }
  for (const Token& token : firing.elements) release(token);
  firing.elements.clear();
  if (stage(firing.stage).stateful == Stateful::kRun) books_[firing.stage].run_state_busy = false;
  make_next_ready(firing);
  if (entry.running == 0 && (entry.dead || firing.instance < oldest_)) {
    drop_held(firing.stage, firing.instance);
    if (firing.instance < oldest_) drop_state(firing.stage, entry);
  }
  free_firing(firing);
}

void Controller::free_firing(ActiveFiring& firing) noexcept {
  firing.running = false;
  free_firings_.push_back(&firing);
  retry_ready_ = true;
}

namespace {

// A scatter's port: the first `count` elements, no others.
Status check_elements(const OutputPortPlan& port, const FiringOutput& output) {
  if (output.count > output.elements.size())
    return {Code::kBrokenContract, "the kernel wrote " + std::to_string(output.count) + " elements to output '" +
                                       port.name + "'; at most " + std::to_string(output.elements.size()) +
                                       " were expected"};
  for (std::size_t e = 0; e < output.elements.size(); ++e) {
    if (output.elements[e].written == (e < output.count)) continue;
    return {Code::kBrokenContract, "the kernel counts " + std::to_string(output.count) + " elements of output '" +
                                       port.name + "', but element " + std::to_string(e) +
                                       (e < output.count ? " is not written" : " is written, too")};
  }
  return {};
}

}  // namespace

// Rule 2: every port once, an optional one perhaps not, of a one_of group exactly one.
Status Controller::check_outputs(const ActiveFiring& firing) const {
  const StagePlan& plan = stage(firing.stage);
  for (const auto& group : table_[firing.stage].groups) {
    if (plan.outputs[group.front()].many != 0) {
      WOA_RETURN_IF_ERROR(check_elements(plan.outputs[group.front()], firing.outputs[group.front()]));
      continue;
    }
    std::uint32_t written = 0;
    for (const std::uint32_t p : group) {
      if (firing.outputs[p].written) ++written;
      if (firing.outputs[p].written || plan.outputs[p].optional)  // a token goes out, if only an absent one
        WOA_RETURN_IF_ERROR(check_loops(firing.stage, p, firing.tag));
    }
    if (written == 1 || plan.outputs[group.front()].optional) continue;
    const std::string& name = plan.outputs[group.front()].name;
    if (plan.outputs[group.front()].one_of < 0)
      return {Code::kBrokenContract, "the kernel did not write output '" + name + "'"};
    return {Code::kBrokenContract, "the kernel wrote " + std::to_string(written) + " ports of the one_of group of '" +
                                       name + "'; exactly one was expected"};
  }
  return {};
}

// Rule 3: turn max + 1 of a loop fails the firing that tries it.
Status Controller::check_loops(std::uint32_t stage_id, std::uint32_t port, std::uint64_t tag) const {
  for (const LoopPlan* loop : table_[stage_id].loops[port]) {
    const std::uint64_t turn = (tag >> loop->shift) & ((std::uint64_t{1} << loop->bits) - 1);
    if (turn < loop->max) continue;
    return {Code::kLoopLimit, "loop '" + loop->name + "' would take turn " + std::to_string(turn + 1) +
                                  ", but its max is " + std::to_string(loop->max)};
  }
  return {};
}

void Controller::commit_outputs(ActiveFiring& firing) noexcept {
  ActivationPacket header;
  header.instance = firing.instance;
  header.deadline = firing.deadline;
  std::size_t next = 0;  // claim
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p) {
    const std::size_t claim = next;
    next += std::max(stage(firing.stage).outputs[p].many, 1U);
    if (device_forwards_) {
      outputs_->hold_block(firing.claims[claim], static_cast<std::uint32_t>(layout_.out_edges[firing.stage][p].size()));
    } else if (stage(firing.stage).outputs[p].many != 0) {
      commit_elements(firing, p, claim, header);
    } else if (firing.outputs[p].written || stage(firing.stage).outputs[p].optional) {
      header.flags = firing.outputs[p].written ? std::uint8_t{0} : static_cast<std::uint8_t>(kAbsent);
      header.payload_bytes = firing.outputs[p].written ? firing.outputs[p].payload_bytes : 0;
      outputs_->commit(firing.stage, p, 0, firing.claims[claim], firing.tag, header);
      if (setup_.trace_limit > 0) trace_writes(firing, p, 0, header.payload_bytes);
      outputs_->commit_count(firing.stage, p, 0, firing.tag, header);  // to relays that wait for it
      // Whoever reads it gives the block back, by way of this stage.
      if (const std::int32_t input = layout_.passed_input[firing.stage][p]; input >= 0)
        firing.tokens[static_cast<std::size_t>(input)].header.region = kPassedOn;
    } else {
      outputs_->abort_one(firing.stage, p, 0, firing.claims[claim], {firing.instance, firing.tag});
    }
  }
  for (const FiringRoute& route : firing.routes) {
    if (Status status = outputs_->commit_sealed(route.edge, route.header, {}); !status.ok())
      return fail_run(std::move(status));
    if (setup_.trace_limit > 0) trace_write(firing, route.edge, route.header.payload_bytes);
  }
  for (std::uint32_t p = 0; device_forwards_ && p < firing.outputs.size(); ++p)
    outputs_->commit_count(firing.stage, p, 0, firing.tag, header);
}

void Controller::commit_elements(ActiveFiring& firing, std::uint32_t port, std::size_t claim,
                                 ActivationPacket& header) noexcept {
  const FiringOutput& output = firing.outputs[port];
  for (std::uint32_t e = 0; e < output.elements.size(); ++e) {
    const PortClaim& at = firing.claims[claim + e];
    if (e >= output.count) {
      outputs_->abort_one(firing.stage, port, e, at, {firing.instance, firing.tag});
      continue;
    }
    header.flags = 0;
    header.payload_bytes = output.elements[e].payload_bytes;
    outputs_->commit(firing.stage, port, e, at, firing.tag, header);
    if (setup_.trace_limit > 0) trace_writes(firing, port, e, header.payload_bytes);
  }
  outputs_->commit_count(firing.stage, port, output.count, firing.tag, header);
}

void Controller::trace_writes(const ActiveFiring& firing, std::uint32_t port, std::uint32_t element,
                              std::uint64_t bytes) {
  for (const std::uint32_t e : outputs_->takers(firing.stage, port, element, {firing.instance, firing.tag}))
    trace_write(firing, e, bytes);
}

void Controller::trace_write(const ActiveFiring& firing, std::uint32_t edge, std::uint64_t bytes) {
  add_trace({TraceEvent::Kind::kWrite, firing.worker, firing.ended_ns, firing.ended_ns, firing.stage, edge,
             firing.instance, firing.tag, bytes, 0});
}

// The kernel's run, and what it read; its inputs are still there.
void Controller::trace_firing(const ActiveFiring& firing) {
  std::uint64_t bytes = 0;
  for (const FiringInput& input : firing.inputs) bytes += input.payload.size();
  add_trace({TraceEvent::Kind::kFiring, firing.worker, firing.started_ns, firing.ended_ns, firing.stage, kNone,
             firing.instance, firing.tag, bytes, firing.cycles});
}

void Controller::count_firing(const ActiveFiring& firing) noexcept {
  StageStats& stats = stats_.stages[firing.stage];
  ++stats.firings;
  if (firing.timed) {
    const std::uint64_t ns = firing.ended_ns - firing.started_ns;
    stats.busy_ns +=
        ns + (firing.stands_for - 1) * std::min(ns, kShortKernel_ns);  // one that was interrupted is no rule
  }
  stats_.cycles += firing.cycles;
  if (setup_.trace_limit > 0) trace_firing(firing);
  for (std::uint32_t p = 0; p < firing.inputs.size(); ++p) {
    if (firing.inputs[p].copied_bytes == 0) continue;
    const Token& own = firing.tokens[p];
    const Token* token = own.present() ? &own : matches_.held(firing.stage, p, firing.instance, firing.tag);
    if (token != nullptr) stats_.edges[token->edge].copied_bytes += firing.inputs[p].copied_bytes;
  }
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p) {
    if (firing.outputs[p].copied_bytes == 0) continue;
    stats_.edges[layout_.out_edges[firing.stage][p].front()].copied_bytes += firing.outputs[p].copied_bytes;
  }
}

}  // namespace woa
