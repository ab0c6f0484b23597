#include "compiler/check/profile_fit.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/base/fnv_hash.h"

namespace woa {
namespace {

constexpr const char* kAgain = "measure again: `woa profile GRAPH --in NAME=FILE ... -o FILE`";

std::string port_of(const Graph& graph, std::uint32_t stage, const std::string& port) {
  return cat(graph.stages[stage].name, ".", port);
}

// The first difference between the two, if names show one.
std::string difference(const Profile& profile, const Graph& graph) {
  for (std::uint32_t s = kSinkStage + 1; s < graph.stages.size(); ++s) {
    if (!profile.stages.contains(graph.stages[s].name)) return cat(": it has no stage ", quote(graph.stages[s].name));
  }
  for (const auto& [name, stage] : profile.stages) {
    if (std::ranges::find(graph.stages, name, &GraphStage::name) == graph.stages.end())
      return cat(": its stage ", quote(name), " is not there any more");
  }
  return ": kernels, parameters or edges have changed since";
}

void check_stages(const Profile& profile, const Graph& graph, Report& report) {
  std::set<std::string> names;
  for (std::uint32_t s = kSinkStage + 1; s < graph.stages.size(); ++s) {
    names.insert(graph.stages[s].name);
    if (profile.stages.contains(graph.stages[s].name)) continue;
    report.error(problem::kProfileGap, profile.stages_place,
                 cat("the profile has no stage ", quote(graph.stages[s].name)), kAgain);
  }
  for (const auto& [name, stage] : profile.stages) {
    if (names.contains(name)) continue;
    report.error(problem::kProfileGap, stage.place, cat("the graph has no stage ", quote(name)),
                 suggest(name, {names.begin(), names.end()}, "stages"));
  }
}

// Only a port that holds may leave tokens unread.
void check_unread(const EdgeProfile& edge, const std::string& reader, bool held, Report& report) {
  if (held || edge.unread == 0) return;
  report.error(problem::kProfileGap, edge.place,
               cat("tokens are `unread` at ", quote(reader), ", which holds none and reads all that come"), kAgain);
}

void check_edges(const Profile& profile, const Graph& graph, Report& report) {
  std::map<std::pair<std::string, std::string>, bool> known;  // by ends: whether the reader holds
  for (const GraphEdge& edge : graph.edges) {
    const auto& input = graph.stages[edge.to_stage].inputs[edge.to_port];
    const std::pair ends{port_of(graph, edge.from_stage, graph.stages[edge.from_stage].outputs[edge.from_port].name),
                         port_of(graph, edge.to_stage, input.name)};
    known[ends] = input.hold;
    if (profile.edges.contains(ends)) continue;
    report.error(problem::kProfileGap, profile.edges_place,
                 cat("the profile has no edge from ", quote(ends.first), " to ", quote(ends.second)), kAgain);
  }
  for (const auto& [ends, edge] : profile.edges) {
    if (const auto at = known.find(ends); at != known.end()) {
      check_unread(edge, ends.second, at->second, report);
      continue;
    }
    report.error(problem::kProfileGap, edge.place,
                 cat("the graph has no edge from ", quote(ends.first), " to ", quote(ends.second)), kAgain);
  }
}

}  // namespace

bool check_profile(const Profile& profile, const Graph& graph, const std::string& name, const std::string& hash,
                   Report& report) {
  const std::size_t errors = report.errors();
  if (profile.graph_hash != hash) {
    const std::string which = profile.graph == name
                                  ? cat("an earlier or another ", quote(name), difference(profile, graph))
                                  : cat("the graph ", quote(profile.graph), ", not of ", quote(name));
    report.error(problem::kForeignProfile, profile.hash_place, cat("this is the profile of ", which), kAgain);
    return false;
  }
  check_stages(profile, graph, report);
  check_edges(profile, graph, report);
  return report.errors() == errors;
}

std::string graph_hash(const Graph& graph, const std::string& name) {
  FnvHash hash;
  hash.add(name);
  for (const GraphStage& stage : graph.stages) {
    hash.add(stage.name);
    hash.add(stage.kernel == nullptr ? std::string_view() : std::string_view(stage.kernel->name));
    hash.add(stage.params.size());
    for (const ParamPlan& param : stage.params) {
      hash.add(param.name);
      if (param.type != ParamType::kFile && param.secret_env.empty()) hash.add(param.value);
    }
  }
  hash.add(graph.edges.size());
  for (const GraphEdge& edge : graph.edges) {
    hash.add(graph.writer_name(edge));
    hash.add(graph.reader_name(edge));
    hash.add(edge.hold ? "hold" : "");
    hash.add(edge.loop < 0 ? std::string_view()
                           : std::string_view(graph.loops[static_cast<std::size_t>(edge.loop)].name));
  }
  for (const GraphLoop& loop : graph.loops) {
    hash.add(loop.name);
    hash.add(loop.max);
  }
  return hash.text();
}

}  // namespace woa
