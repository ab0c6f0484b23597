// A kernel has run: check what it wrote against its kernel.yaml, send it on, free what it consumed.
#include <algorithm>

#include "runtime/controller/firings.h"
#include "runtime/controller/output_check.h"

namespace woa {
void Firings::commit_elements(ActiveFiring& firing, std::uint32_t p, std::size_t claim, Outgoing& token) noexcept {
  OutPort& port = firing.program->outputs[p];
  const woa_output& output = firing.outputs[p];
  token.absent = false;
  for (std::uint32_t e = 0; e < port.elements; ++e) {
    const PortClaim& at = firing.claims[claim + e];
    if (e >= output.count) {
      parts_.claims.abort_element(port, e, token, at);
      continue;
    }
    port.shape.write_prefix(at.block, output.elements[e]);
    token.payload_bytes = port.shape.payload_bytes(output.elements[e]);
    parts_.sending.commit<false>(port, e, at, token);
    if (parts_.trace.on()) trace_writes(firing, p, e, token.payload_bytes);
  }
  parts_.sending.commit_count(port, output.count, token);
}

template <bool kPlain>
[[gnu::always_inline]] inline void Firings::commit(ActiveFiring& firing) noexcept {
  StageProgram& stage = *firing.program;
  Outgoing token{firing.activation(), 0, false};
  std::size_t next = 0;  // claim
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p) {
    OutPort& port = stage.outputs[p];
    const woa_output& output = firing.outputs[p];
    const PortClaim& claim = firing.claims[next];
    const bool written = output.written != 0;
    if (!kPlain && port.scatters) {
      commit_elements(firing, p, next, token);
    } else if (written || port.optional) {
      token.absent = !written;
      token.payload_bytes = written ? port.shape.payload_bytes(output) : 0;
      if (written) port.shape.write_prefix(claim.block, output);
      parts_.sending.commit<kPlain>(port, 0, claim, token);
      if (parts_.trace.on()) trace_writes(firing, p, 0, token.payload_bytes);
      if (!kPlain) parts_.sending.commit_count(port, 0, token);  // to relays that wait for it
      // Whoever reads it gives the block back, by way of this stage.
      if (!kPlain && port.passed_input >= 0) firing.tokens[static_cast<std::size_t>(port.passed_input)] = nullptr;
    } else {
      parts_.claims.abort_one(port, token, claim);
    }
    next += kPlain ? 1 : port.elements;
  }
}

// A firing for a worker costs this thread about as much as a kernel of 2 us does. The mean of the last thousand firings
// or so decides, with room between the two limits, so that a stage does not go back and forth.
void Firings::decide_place(StageProgram& stage, std::uint64_t ns, std::uint32_t firings) noexcept {
  constexpr std::uint64_t kBriefNs = 2'000, kNotBriefNs = 4'000, kLongNs = 300'000, kRecent = 1'024;
  stage.recent_ns += ns + (firings - 1) * std::min(ns, kShortKernel_ns);
  stage.recent_firings += firings;
  stage.in_call = !stage.is_apart && stage.recent_ns < stage.recent_firings * (stage.in_call ? kNotBriefNs : kBriefNs);
  stage.mean_ns = stage.recent_ns / stage.recent_firings;
  stage.is_long = stage.mean_ns >= kLongNs;
  if (stage.recent_firings < kRecent) return;
  stage.recent_ns /= 2;
  stage.recent_firings /= 2;
}

template <bool kPlain>
[[gnu::always_inline]] inline void Firings::complete_on_host(ActiveFiring& firing, bool wanted) noexcept {
  StageProgram& stage = *firing.program;
  const bool ok = firing.code == Code::kOk && outputs_fit(stage, firing.inputs, firing.outputs, firing.tag);
  if (ok && wanted) return commit<kPlain>(firing);
  parts_.claims.withdraw(stage.outputs, firing.activation(), firing.claims);
  if (ok || !wanted) return;
  (void)fail(stage, firing.instance, firing.tag,
             firing.code == Code::kOk ? why_unfit(stage, firing.inputs, firing.outputs, firing.tag)
                                      : Status(firing.code, firing.message));
}

// Whatever the device wrote must go out: its sequence numbers are taken. Consumers drop what they no longer want.
void Firings::complete_by_device(ActiveFiring& firing, bool wanted) noexcept {
  StageProgram& stage = *firing.program->last;
  ActiveFiring* failed = firing.code == Code::kOk ? nullptr : &firing;
  each_joined(firing, [&](ActiveFiring& joined) {
    if (failed == nullptr && joined.code != Code::kOk) failed = &joined;
  });
  for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
    const OutPort& port = stage.outputs[p];
    port.pool->hold(firing.claims[p].offset, failed == nullptr ? static_cast<std::uint32_t>(port.edges.size()) : 0);
  }
  if (failed == nullptr) {
    commit_sealed(firing);
    for (OutPort& port : stage.outputs) parts_.sending.commit_count(port, 0, firing.activation());
    return;
  }
  // The poison needs no credits, and takes the places in the rings.
  for (OutEdge& edge : stage.out_edges) {
    (void)edge.credits.give(firing.instance);
    if (edge.count) edge.cancel();  // its counts are not sent
  }
  commit_poison(firing, failed->message);
  if (wanted) parts_.poison.bury(*firing.program, *firing.entry);
}

[[gnu::always_inline]] inline void Firings::count(ActiveFiring& firing) noexcept {
  const StageProgram& stage = *firing.program;
  StageStats& stats = *stage.stats;
  ++stats.firings;
  if (firing.timed) {
    const std::uint64_t ns = firing.ended_ns - firing.started_ns;
    stats.busy_ns +=
        ns + (firing.stands_for - 1) * std::min(ns, kShortKernel_ns);  // one that was interrupted is no rule
    // One that was late took no time, and says nothing of the kernel.
    if (runs_in_ == RunsIn::kEither && ns != 0) decide_place(*firing.program, ns, firing.stands_for);
  }
  parts_.stats.cycles += firing.cycles;
  if (parts_.trace.on()) trace_firing(firing);
  if (runs_in_ != RunsIn::kElsewhere) return;  // the back-end does not copy
  for (const PortMemory& port : firing.memory) {
    if (port.copied_bytes != 0) return count_copies(firing);
  }
}

[[gnu::always_inline]] inline void Firings::release(ActiveFiring& firing) noexcept {
  if (firing.running) put_back(firing);
  firing.poison = false;
  parts_.matching.look_again();
}

template <bool kPlain>
[[gnu::always_inline]] inline void Firings::finish(ActiveFiring& firing) noexcept {
  StageProgram& stage = *firing.program;
  StageInstance& entry = *firing.entry;
  for (const Token* const token : firing.tokens) {
    if (token != nullptr) parts_.returns.release(*token);
  }
  if (!kPlain && stage.gathers) {
    for (const Token& token : firing.elements) parts_.returns.release(token);
    firing.elements.clear();
  }
  stage.instances.ended(entry, parts_.oldest);
  if (!kPlain && stage.number != 0) parts_.matching.make_next_ready(stage, firing.instance, firing.tag);
  if (!kPlain && stage.renews) parts_.matching.renew(stage, firing.instance);
  if (entry.running == 0 && (entry.dead || firing.instance < parts_.oldest))
    parts_.matching.release_held(stage, firing.instance);
  release(firing);
}

// Counts what ran, up to the first that failed.
void Firings::complete_joined(const ActiveFiring& firing) noexcept {
  const ActiveFiring* writer = firing.code == Code::kOk ? &firing : nullptr;
  each_joined(firing, [&](ActiveFiring& joined) {
    if (writer != nullptr) {
      const InPort& port = joined.program->inputs.front();
      if (parts_.trace.on())
        trace_write(*writer, writer->program->on_card, port.shape.payload_bytes(joined.inputs.front()));
      count(joined);
      writer = joined.code == Code::kOk ? &joined : nullptr;
    }
    joined.program->instances.ended(*joined.entry, parts_.oldest);
  });
}

template <bool kPlain>
[[gnu::noinline]] void Firings::complete_as(ActiveFiring& firing) noexcept {
  const bool wanted = !firing.entry->dead && firing.instance >= parts_.oldest;
  if (!kPlain && !firing.prepared.empty()) complete_prepared(firing);
  if (!kPlain && firing.order != 0) {
    complete_ordered(firing, wanted);
  } else if (!kPlain && firing.program->device_headers) {
    complete_by_device(firing, wanted);
  } else {
    complete_on_host<kPlain>(firing, wanted);
  }
  count(firing);  // not sooner: its reader waits for the output
  if (!kPlain) complete_joined(firing);
  finish<kPlain>(firing);
}

void Firings::complete(ActiveFiring& firing) noexcept {
  if (firing.lost) parts_.failure.set({firing.code, "stage '" + firing.program->plan->name + "': " + firing.message});
  // A poll may answer others behind a lost one.
  if (parts_.failure.any()) return release(firing);
  if (firing.poison) {  // poison that the device passed on
    commit_poison(firing, firing.message);
    return release(firing);
  }
  if (firing.program->plain) return complete_as<true>(firing);
  complete_as<false>(firing);
}

std::size_t Firings::poll_running() noexcept {
  const std::size_t count = parts_.backend.poll(done_);
  for (std::size_t k = 0; k < count; ++k) complete(static_cast<ActiveFiring&>(*done_[k]));
  if (waiting_ != nullptr && !parts_.failure.any()) start_waiting();
  if (lost_device_.order != 0) blame_first();
  return count;
}

void Firings::commit_sealed(ActiveFiring& firing) noexcept {
  const auto& writer = firing.joined.empty() ? firing : static_cast<ActiveFiring&>(*firing.joined.back());
  for (const FiringRoute& route : firing.routes) {
    OutEdge& edge = *parts_.programs.out_edge(route.edge);
    if (Status status = parts_.sending.commit_sealed(edge, route.header, {}); !status.ok())
      return parts_.failure.set(std::move(status));
    if (parts_.trace.on()) trace_write(writer, route.edge, route.header.payload_bytes);
  }
}

void Firings::commit_poison(ActiveFiring& firing, std::span<const char> text) noexcept {
  for (const FiringRoute& route : firing.routes) {
    const std::size_t length = std::min<std::size_t>(text.size(), route.header.payload_bytes);
    OutEdge& edge = *parts_.programs.out_edge(route.edge);
    if (Status status = parts_.sending.commit_sealed(edge, route.header, std::as_bytes(text.first(length)));
        !status.ok())
      return parts_.failure.set(std::move(status));
  }
}

void Firings::count_copies(ActiveFiring& firing) noexcept {
  const StageProgram& stage = *firing.program;
  for (std::uint32_t p = 0; p < firing.inputs.size(); ++p) {
    const std::uint64_t copied = firing.input_memory[p].copied_bytes;
    if (copied == 0) continue;
    const InPort& port = stage.inputs[p];
    const Token* const token = port.hold ? parts_.matching.held(port, firing.instance, firing.tag) : firing.tokens[p];
    if (token != nullptr) parts_.stats.edges[token->edge].copied_bytes += copied;
  }
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p) {
    if (firing.output_memory[p].copied_bytes != 0)
      stage.last->outputs[p].copied_for().stats->copied_bytes += firing.output_memory[p].copied_bytes;
  }
  std::ranges::fill(firing.memory, PortMemory{});
}

void Firings::trace_writes(const ActiveFiring& firing, std::uint32_t port, std::uint32_t element, std::uint64_t bytes) {
  const OutPort& out = firing.program->outputs[port];
  for (const OutEdge& edge : out.edges) {
    if (edge.takes(firing.activation(), out.index_of(element))) trace_write(firing, edge.edge, bytes);
  }
}

void Firings::trace_write(const ActiveFiring& firing, std::uint32_t edge, std::uint64_t bytes) {
  parts_.trace.add({TraceEvent::Kind::kWrite, firing.worker, firing.ended_ns, firing.ended_ns, firing.stage, edge,
                    firing.instance, firing.tag, bytes, 0});
}

// The kernel's run, and what it read; its inputs are still there.
void Firings::trace_firing(const ActiveFiring& firing) {
  std::uint64_t bytes = 0;
  for (std::uint32_t p = 0; p < firing.inputs.size(); ++p) {
    const InPort& port = firing.program->inputs[p];
    if (!port.gathers) bytes += port.shape.payload_bytes(firing.inputs[p]);
  }
  parts_.trace.add({TraceEvent::Kind::kFiring, firing.worker, firing.started_ns, firing.ended_ns, firing.stage, kNone,
                    firing.instance, firing.tag, bytes, firing.cycles});
}

}  // namespace woa
