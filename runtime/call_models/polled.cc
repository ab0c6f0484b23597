// rpc-polled: calls as in rpc-hub, but results stay with their writers until the caller, who polls, asks for them
// (docs/adr/0033-signals-make-calls-return.md).
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "runtime/call_models/rewrites.h"

namespace woa::call_models {
namespace {

Status refuse_polled(const StagePlan& stage, const std::string& why) {
  return {Code::kUnsupported, "stage '" + stage.name + "' " + why + "; rpc-polled cannot ask for its results"};
}

bool scatters(const OutputPortPlan& port) { return port.many != 0; }

// An answer to a poll says that a firing is done, which way its one choice went, or how many elements it scattered.
Status check_stage(const StagePlan& stage) {
  std::set<std::int32_t> groups;
  for (const OutputPortPlan& port : stage.outputs)
    if (port.one_of >= 0) groups.insert(port.one_of);
  if (groups.size() > 1) return refuse_polled(stage, "makes several choices at once");
  if (!groups.empty() && std::ranges::any_of(stage.outputs, scatters))
    return refuse_polled(stage, "chooses and scatters at once");
  return {};
}

// Does `edge` lead to a further replica of the stage that `last` leads to? Edges of one output, in the plan's order.
bool to_next_replica(const EdgePlan& last, const EdgePlan& edge) {
  const ReplicaChoice &one = last.choice, &next = edge.choice;
  return last.to_port == edge.to_port && one.replicas == next.replicas && one.shift == next.shift &&
         one.bits == next.bits && one.replica < next.replica;
}

Status check_polled(const Plan& plan) {
  for (const StagePlan& stage : plan.stages)
    if (stage.controller != kHostController) WOA_RETURN_IF_ERROR(check_stage(stage));
  return {};
}

class Polling {
 public:
  Polling(const Plan& plan, std::uint32_t tag_bit) : plan_(plan), tag_bit_(tag_bit), polled_(to_hub(plan, &callers_)) {}

  Plan rewrite() {
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].controller == kHostController) continue;
      add_poll(s);
      keep_results(s);
      if (std::ranges::any_of(plan_.stages[s].outputs, scatters)) {
        add_counts(s);
      } else {
        add_answers(s);
      }
    }
    return std::move(polled_);
  }

 private:
  struct Kept {
    std::size_t edge;     // of the plan; of elements the first
    std::uint32_t relay;  // where its tokens wait
  };
  using Edges = std::vector<std::size_t>;  // of the plan, that one request or one count is for

  std::uint32_t add(StagePlan relay) {
    polled_.stages.push_back(std::move(relay));
    return static_cast<std::uint32_t>(polled_.stages.size() - 1);
  }
  [[nodiscard]] InputPortPlan signal(const char* name) const { return signal_input(name, tag_bit_); }
  // For signals from an output: they carry the number of its elements.
  [[nodiscard]] InputPortPlan signal(const char* name, const OutputPortPlan& from) const {
    InputPortPlan input = signal(name);
    if (!scatters(from)) return input;
    input.gather = from.many;
    input.index_shift = from.index_shift, input.index_bits = from.index_bits;
    return input;
  }

  // The poll leaves with the call. The answer does not need it once the firing is done, so nobody waits for it.
  void add_poll(std::uint32_t s) {
    const StagePlan& stage = plan_.stages[s];
    const std::uint32_t port = consumed_input(stage);
    const OutputPortPlan called = polled_.stages[callers_[s]].outputs[port];
    const std::uint32_t poll = add(make_relay(stage.name + ".poll", stage.controller, {signal("poll", called)}));
    const auto call = std::ranges::find_if(polled_.edges, [&](const EdgePlan& edge) {
      return edge.from_stage == callers_[s] && edge.from_port == port && edge.count == scatters(called);
    });
    polled_.edges.push_back(signal_from(callers_[s], port, poll, 0, *call));
  }

  // Keeps a stage's results in relays beside it.
  void keep_results(std::uint32_t s) {
    const auto& outputs = plan_.stages[s].outputs;
    kept_.clear();
    for (std::uint32_t port = 0; port < outputs.size(); ++port) {
      for (const Edges& edges : by_reader(s, port, false)) {
        if (scatters(outputs[port])) {
          keep_elements(edges);
        } else {
          for (const std::size_t e : edges) keep_result(e);
        }
      }
    }
  }
  // The edges of tokens, or of counts, from an output: those to the replicas of a stage together.
  [[nodiscard]] std::vector<Edges> by_reader(std::uint32_t s, std::uint32_t port, bool counts) const {
    std::vector<Edges> readers;
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      const EdgePlan& edge = plan_.edges[e];
      if (edge.from_stage != s || edge.from_port != port || edge.count != counts) continue;
      if (readers.empty() || !to_next_replica(plan_.edges[readers.back().back()], edge)) readers.emplace_back();
      readers.back().push_back(e);
    }
    return readers;
  }
  [[nodiscard]] std::string name_of_result(const EdgePlan& edge) const {
    const StagePlan& stage = plan_.stages[edge.from_stage];
    return stage.name + "." + stage.outputs[edge.from_port].name + ".result" + std::to_string(kept_.size());
  }

  void keep_result(std::size_t e) {
    EdgePlan& edge = polled_.edges[e];
    const StagePlan& stage = plan_.stages[edge.from_stage];
    const OutputPortPlan& port = stage.outputs[edge.from_port];
    const auto first = std::ranges::find_if(stage.outputs, scatters);
    InputPortPlan ask = first == stage.outputs.end() ? signal("ask") : signal("ask", *first);
    const std::uint32_t relay =
        add(make_relay(name_of_result(edge), stage.controller, {input_for(port, port.name), std::move(ask)}));
    EdgePlan fetched = edge_from(relay, 0, edge.to_stage, edge.to_port);
    fetched.min_blocks = edge.min_blocks;
    fetched.blocks = edge.blocks;
    fetched.inline_bytes = edge.inline_bytes;
    fetched.lane = edge.lane;
    edge.to_stage = relay;
    edge.to_port = 0;
    polled_.edges.push_back(std::move(fetched));
    kept_.push_back({e, relay});
  }

  // The request is the count that the relay waits for: it passes all elements on when they and their number are there.
  void keep_elements(const Edges& edges) {
    const EdgePlan first = plan_.edges[edges.front()];
    const StagePlan& stage = plan_.stages[first.from_stage];
    const OutputPortPlan& port = stage.outputs[first.from_port];
    InputPortPlan elements = input_for(port, port.name);
    elements.gather = port.many;
    elements.index_shift = port.index_shift, elements.index_bits = port.index_bits;
    const std::uint32_t relay = add(make_relay(name_of_result(first), stage.controller, {std::move(elements)}));
    EdgePlan written = first;
    written.to_stage = relay, written.to_port = 0;
    written.choice = {};
    written.min_blocks = written.blocks = 0;
    for (const std::size_t e : edges) {
      EdgePlan& edge = polled_.edges[e];
      written.min_blocks += edge.min_blocks;
      written.blocks += edge.blocks;
      edge.from_stage = relay, edge.from_port = 0;
      edge.keep = ~std::uint64_t{0}, edge.step = 0, edge.loop = -1;
    }
    polled_.edges.push_back(std::move(written));
    kept_.push_back({edges.front(), relay});
  }

  // The number of a port's elements goes to the host once for each stage that gathers them, as in rpc-hub. The first
  // one answers the poll, and makes a relay on the host tell who gathers, and ask for the elements. So each request
  // has their number, and fetches them all. The stage's other results are asked for with the first port's.
  void add_counts(std::uint32_t s) {
    const auto& outputs = plan_.stages[s].outputs;
    const auto first = static_cast<std::uint32_t>(std::ranges::find_if(outputs, scatters) - outputs.begin());
    for (std::uint32_t port = first; port < outputs.size(); ++port)
      if (scatters(outputs[port])) add_count(s, port, port == first);
  }
  void add_count(std::uint32_t s, std::uint32_t port, bool first) {
    const StagePlan& stage = plan_.stages[s];
    const OutputPortPlan& output = stage.outputs[port];
    const std::uint32_t asker =
        add(make_relay(stage.name + "." + output.name + ".ask", kHostController, {signal("done", output)}));
    EdgePlan room;
    room.min_blocks = room.blocks = 0;
    const std::vector<Edges> gathers = by_reader(s, port, true);
    for (const std::size_t e : gathers.front()) {
      EdgePlan& edge = polled_.edges[e];
      room.min_blocks = std::max(room.min_blocks, edge.min_blocks);
      room.blocks = std::max(room.blocks, edge.blocks * edge.choice.replicas);
      edge.from_stage = asker, edge.from_port = 0;
    }
    for (const Kept& kept : kept_) {
      const EdgePlan& edge = plan_.edges[kept.edge];
      const bool elements = scatters(stage.outputs[edge.from_port]);
      if (elements ? edge.from_port != port : !first) continue;
      EdgePlan ask = signal_from(asker, 0, kept.relay, elements ? 0 : 1, elements ? room : edge);
      ask.keep = edge.keep, ask.step = edge.step, ask.loop = edge.loop;
      if (!elements) ask.choice = edge.choice;
      polled_.edges.push_back(std::move(ask));
    }
    polled_.edges.push_back(signal_from(s, port, asker, 0, room));
  }

  // Each port of a choice answers for itself and for the ports that are always written; without a choice the first port
  // answers for all.
  void add_answers(std::uint32_t s) {
    const auto& outputs = plan_.stages[s].outputs;
    const auto chosen = [](const OutputPortPlan& port) { return port.one_of >= 0; };
    const bool chooses = std::ranges::any_of(outputs, chosen);
    for (std::uint32_t port = 0; port < outputs.size(); ++port)
      if (chooses ? chosen(outputs[port]) : port == 0) add_answer(s, port);
  }
  void add_answer(std::uint32_t s, std::uint32_t port) {
    const StagePlan& stage = plan_.stages[s];
    const std::uint32_t asker =
        add(make_relay(stage.name + "." + stage.outputs[port].name + ".ask", kHostController, {signal("done")}));
    EdgePlan room;
    room.min_blocks = room.blocks = 0;
    for (const Kept& kept : kept_) {
      const EdgePlan& edge = plan_.edges[kept.edge];
      if (edge.from_port != port && stage.outputs[edge.from_port].one_of >= 0) continue;
      room.min_blocks = std::max(room.min_blocks, edge.min_blocks);
      room.blocks = std::max(room.blocks, edge.blocks * edge.choice.replicas);
      EdgePlan ask = signal_from(asker, 0, kept.relay, 1, edge);
      ask.keep = edge.keep, ask.step = edge.step, ask.loop = edge.loop;
      ask.choice = edge.choice;
      polled_.edges.push_back(std::move(ask));
    }
    polled_.edges.push_back(signal_from(s, port, asker, 0, room));
  }

  const Plan& plan_;
  std::uint32_t tag_bit_;
  std::vector<std::uint32_t> callers_;  // by stage
  Plan polled_;
  std::vector<Kept> kept_;  // of the current stage
};

}  // namespace

Result<Plan> to_polled(const Plan& plan) {
  WOA_RETURN_IF_ERROR(check_polled(plan));
  const auto bit = free_tag_bit(plan);
  if (!bit.ok()) return bit.status();
  return Polling(plan, *bit).rewrite();
}

}  // namespace woa::call_models
