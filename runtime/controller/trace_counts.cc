#include "runtime/controller/trace_counts.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace woa {
namespace {

class Counter {
 public:
  Counter(const Plan& plan, std::uint64_t first) : plan_(plan), first_(first), tokens_(plan.edges.size()) {}

  void find_reads(std::span<const TraceEvent> trace) {
    for (const TraceEvent& event : trace) {
      if (event.kind != TraceEvent::Kind::kFiring) continue;
      const auto& inputs = plan_.stages[event.stage].inputs;
      for (std::uint32_t p = 0; p < inputs.size(); ++p)
        if (inputs[p].hold) reads_.emplace(event.stage, p, event.instance, event.tag & inputs[p].hold_mask);
    }
  }

  void add_tokens(std::span<const TraceEvent> trace) {
    for (const TraceEvent& event : trace)
      if (event.kind == TraceEvent::Kind::kWrite && event.instance >= first_)
        tokens_[event.edge].push_back({event.bytes, is_read(event)});
  }

  std::vector<std::vector<TracedToken>> take() { return std::move(tokens_); }

 private:
  bool is_read(const TraceEvent& write) {
    const EdgePlan& edge = plan_.edges[write.edge];
    const InputPortPlan& input = plan_.stages[edge.to_stage].inputs[edge.to_port];
    if (!input.hold) return true;
    return reads_.contains({edge.to_stage, edge.to_port, write.instance, tag_of(write) & input.hold_mask});
  }

  // That the token was sent with. A firing writes the elements of a scatter in the order of their numbers.
  std::uint64_t tag_of(const TraceEvent& write) {
    const EdgePlan& edge = plan_.edges[write.edge];
    const OutputPortPlan& output = plan_.stages[edge.from_stage].outputs[edge.from_port];
    const std::uint64_t tag = (write.tag & edge.keep) + edge.step;
    if (output.many == 0) return tag;
    std::uint64_t& next = elements_[{write.edge, write.instance, write.tag}];
    const auto numbered = [&](std::uint64_t element) { return tag + (element << output.index_shift); };
    while (next < output.many && !edge.choice.takes(write.instance, numbered(next))) ++next;
    return numbered(next++);
  }

  const Plan& plan_;
  const std::uint64_t first_;
  std::vector<std::vector<TracedToken>> tokens_;  // by edge
  // Stage, port, instance and what its held token is found by.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>> reads_;
  // By edge, instance and tag of a firing: the element that it writes next.
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::uint64_t> elements_;
};

}  // namespace

std::vector<std::vector<TracedToken>> traced_tokens(const Plan& plan,
                                                    std::span<const std::span<const TraceEvent>> traces,
                                                    std::uint64_t first) {
  Counter counter(plan, first);
  for (const auto& trace : traces) counter.find_reads(trace);
  for (const auto& trace : traces) counter.add_tokens(trace);
  return counter.take();
}

}  // namespace woa
