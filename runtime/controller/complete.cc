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
      commit_device_poison(firing);
      if (!unwanted) mark_dead(firing.stage, entry);
    }
  } else {
    Status status = firing.code == Code::kOk ? check_outputs(firing) : Status(firing.code, firing.message);
    if (status.ok() && !unwanted) {
      commit_outputs(firing);
    } else {
      for (std::uint32_t p = 0; p < firing.claims.size(); ++p)
        outputs_->abort(firing.stage, p, firing.claims[p], firing.instance);
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
  if (stage(firing.stage).stateful == Stateful::kRun) books_[firing.stage].run_state_busy = false;
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

// Rule 2: every port once, of a one_of group exactly one.
Status Controller::check_outputs(const ActiveFiring& firing) const {
  const StagePlan& plan = stage(firing.stage);
  for (const auto& group : table_[firing.stage].groups) {
    std::uint32_t written = 0;
    for (const std::uint32_t p : group) {
      if (!firing.outputs[p].written) continue;
      ++written;
      WOA_RETURN_IF_ERROR(check_loops(firing.stage, p, firing.tag));
    }
    if (written == 1) continue;
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
  for (std::uint32_t p = 0; p < firing.claims.size(); ++p) {
    if (device_forwards_) {
      outputs_->hold_block(firing.claims[p], static_cast<std::uint32_t>(layout_.out_edges[firing.stage][p].size()));
    } else if (firing.outputs[p].written) {
      header.payload_bytes = firing.outputs[p].payload_bytes;
      outputs_->commit(firing.stage, p, firing.claims[p], firing.tag, header);
      if (setup_.trace) {
        for (const std::uint32_t e : layout_.out_edges[firing.stage][p]) trace_write(firing, e, header.payload_bytes);
      }
      // Whoever reads it gives the block back, by way of this stage.
      if (const std::int32_t input = layout_.passed_input[firing.stage][p]; input >= 0)
        firing.tokens[static_cast<std::size_t>(input)].header.region = kPassedOn;
    } else {
      outputs_->abort(firing.stage, p, firing.claims[p], firing.instance);
    }
  }
  for (const FiringRoute& route : firing.routes) {
    if (Status status = outputs_->commit_sealed(route.edge, route.header, {}); !status.ok())
      return fail_run(std::move(status));
    if (setup_.trace) trace_write(firing, route.edge, route.header.payload_bytes);
  }
}

void Controller::trace_write(const ActiveFiring& firing, std::uint32_t edge, std::uint64_t bytes) {
  add_trace({TraceEvent::Kind::kWrite, firing.lane, firing.ended_ns, firing.ended_ns, firing.stage, edge,
             firing.instance, firing.tag, bytes, 0});
}

// The kernel's run, and what it read; its inputs are still there.
void Controller::trace_firing(const ActiveFiring& firing) {
  std::uint64_t bytes = 0;
  for (const FiringInput& input : firing.inputs) bytes += input.payload.size();
  add_trace({TraceEvent::Kind::kFiring, firing.lane, firing.started_ns, firing.ended_ns, firing.stage, kNone,
             firing.instance, firing.tag, bytes, firing.cycles});
}

void Controller::commit_device_poison(ActiveFiring& firing) noexcept {
  for (const FiringRoute& route : firing.routes) {
    const std::size_t length = std::min<std::size_t>(firing.message.size(), route.header.payload_bytes);
    const std::string_view message(firing.message.data(), length);
    if (Status status = outputs_->commit_sealed(route.edge, route.header, message); !status.ok())
      return fail_run(std::move(status));
  }
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
  if (setup_.trace) trace_firing(firing);
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
