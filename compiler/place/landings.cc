#include "compiler/place/landings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/place/legs.h"
#include "runtime/plan/call_models.h"

namespace woa {
namespace {

// By controller: channels that bring an output there, as where they come from and their lane.
using Landings = std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::string>>>;

class LandingFinder {
 public:
  explicit LandingFinder(const Plan& plan) : plan_(plan), callers_(plan.stages.size()) {
    for (const EdgePlan& edge : plan.edges)
      if (is_call(edge.to_port, edge.loop, edge.count) && !callers_[edge.to_stage])
        callers_[edge.to_stage] = edge.from_stage;
  }

  // The controller that an output of the stage would come to by two ways; nothing: there is none.
  [[nodiscard]] std::optional<std::uint32_t> twice(std::uint32_t stage) const {
    std::map<std::uint32_t, Landings> all;  // by port
    for (const EdgePlan& edge : plan_.edges) {
      if (edge.from_stage != stage || edge.count) continue;
      if (edge.to_stage == kSinkStage) add_returns(stage, all[edge.from_port]);
      if (edge.to_stage != kSinkStage) add(at(stage), at(edge.to_stage), edge.lane, all[edge.from_port]);
    }
    for (const auto& [port, landings] : all)
      for (const auto& [controller, channels] : landings)
        if (channels.size() > 1) return controller;
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t at(std::uint32_t stage) const { return plan_.stages[stage].controller; }
  static void add(std::uint32_t from, std::uint32_t to, const std::string& lane, Landings& landings) {
    if (from != to) landings[to].emplace(from, lane);
  }
  void add_returns(std::uint32_t stage, Landings& landings) const {
    for (std::size_t passed = 0; passed < callers_.size() && callers_[stage]; ++passed) {
      const std::uint32_t caller = *callers_[stage];
      add(at(stage), at(caller), "return", landings);
      stage = caller;
    }
  }

  const Plan& plan_;
  Callers callers_;
};

}  // namespace

void warn_of_second_landings(const Plan& plan, std::string_view model, const Graph& graph, Report& report) {
  if (!call_model(model).nested) return;
  const LandingFinder finder(plan);
  for (std::uint32_t s = kSinkStage + 1; s < plan.stages.size(); ++s) {
    const std::optional<std::uint32_t> twice = finder.twice(s);
    if (!twice) continue;
    const std::string& name = plan.stages[s].name;
    const std::string& controller = plan.controllers[*twice].name;
    const auto stage = std::ranges::find(graph.stages, name, &GraphStage::name);
    report.warning(problem::kLandsTwice, stage == graph.stages.end() ? Place() : stage->place,
                   cat("an output of stage ", quote(name), " would come to ", quote(controller),
                       " by two ways under rpc-nested, so the plan runs over shm, but not over libfabric"),
                   cat("pin the stages that its returns pass so that they leave ", quote(controller),
                       " once, or run the plan over shm"));
  }
}

}  // namespace woa
