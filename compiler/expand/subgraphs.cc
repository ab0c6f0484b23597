#include "compiler/expand/subgraphs.h"

#include <algorithm>
#include <utility>

namespace woa {
namespace {

constexpr std::size_t kMaxCycleShown = 16;
constexpr std::uint64_t kManyStages = 1ULL << 40;  // sizes saturate here

}  // namespace

BodyIndex::BodyIndex(const GraphBody& body, const std::vector<ParamDecl>* declared) {
  for (const GraphInput& input : body.inputs) inputs.emplace(input.name, &input);
  for (const StageDecl& stage : body.stages) stages.emplace(stage.name, &stage);
  for (const PortUse& output : body.outputs) outputs.emplace(output.name, &output);
  if (declared == nullptr) return;
  for (const ParamDecl& param : *declared) params.emplace(param.name, &param);
}

Subgraphs::Subgraphs(GraphFile& file, Report& report) : file_(file) {
  add_names(report);
  NotFound unknown;
  drop_unknown(file_, unknown);
  for (SubgraphDecl& graph : file_.graphs) drop_unknown(graph, unknown);
  if (file_.all_named) report_graphs(unknown, report);
  measure(report);
  const auto refused = [this](const StageDecl& stage) {
    return !stage.graph.empty() && !measured_[by_name_.at(stage.graph)];
  };
  const auto drop_refused = [&](GraphBody& body) {
    for (StageDecl& stage : body.stages) {
      if (refused(stage)) stage.graph.clear();
    }
  };
  drop_refused(file_);
  for (SubgraphDecl& graph : file_.graphs) drop_refused(graph);
  for (const SubgraphDecl& graph : file_.graphs) index_.emplace(&graph, BodyIndex(graph, &graph.params));
}

const SubgraphDecl* Subgraphs::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() || !measured_[found->second] ? nullptr : &file_.graphs[found->second];
}

void Subgraphs::add_names(Report& report) {
  for (std::size_t g = 0; g < file_.graphs.size(); ++g) {
    const SubgraphDecl& graph = file_.graphs[g];
    const auto [first, added] = by_name_.emplace(graph.name, g);
    if (added) continue;
    report.error(problem::kGraphTwice, graph.place, cat("there is a sub-graph ", quote(graph.name), " already"),
                 "rename one of them: a graph and the files that it includes share their names",
                 {{file_.graphs[first->second].place, "the other one"}});
  }
}

void Subgraphs::drop_unknown(GraphBody& body, NotFound& unknown) const {
  for (StageDecl& stage : body.stages) {
    if (stage.graph.empty() || by_name_.contains(stage.graph)) continue;
    unknown[stage.graph].push_back(stage.kernel_place);
    stage.graph.clear();
  }
}

// Reports each name once: the misspelling may be in the sub-graph's declaration.
void Subgraphs::report_graphs(const NotFound& unknown, Report& report) const {
  for (const auto& [name, places] : unknown)
    report_unknown(report, problem::kUnknownGraph, places[0], cat("there is no sub-graph ", quote(name)), name,
                   file_.graphs, "sub-graphs", other_uses(places));
}

void Subgraphs::each_use(std::size_t graph, const auto& visit) {
  for (const StageDecl& stage : file_.graphs[graph].stages) {
    if (!stage.graph.empty()) visit(stage, by_name_.at(stage.graph));
  }
}

// Measures sub-graphs after those that they use. One that is never reached uses itself, or one that does.
void Subgraphs::measure(Report& report) {
  const std::size_t count = file_.graphs.size();
  std::vector<std::vector<std::size_t>> users(count);
  std::vector<std::size_t> open(count), depth(count, 1), ready;
  sizes_.assign(count, 0);
  measured_.assign(count, false);
  for (std::size_t g = 0; g < count; ++g) {
    each_use(g, [&](const StageDecl&, std::size_t used) {
      users[used].push_back(g);
      ++open[g];
    });
    if (open[g] == 0) ready.push_back(g);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::size_t g = ready[i];
    std::uint64_t size = 1 + file_.graphs[g].stages.size();
    each_use(g, [&](const StageDecl& stage, std::size_t used) {
      size = std::min(kManyStages, size + sizes_[used]);
      depth[g] = std::max(depth[g], depth[used] + 1);
      if (depth[used] != kMaxSubgraphDepth || depth[g] != kMaxSubgraphDepth + 1) return;
      report.error(problem::kTooManyStages, stage.kernel_place,
                   cat("sub-graphs are nested deeper than ", kMaxSubgraphDepth, " levels here"),
                   "let a sub-graph use the inner ones directly");
    });
    sizes_[g] = size;
    measured_[g] = depth[g] <= kMaxSubgraphDepth;
    for (const std::size_t user : users[g]) {
      if (--open[user] == 0) ready.push_back(user);
    }
  }
  std::vector<bool> known(count);
  for (const std::size_t g : ready) known[g] = true;
  report_cycles(std::move(known), report);
}

// Each sub-graph that is not `known` uses another such one: following them leads into a cycle.
void Subgraphs::report_cycles(std::vector<bool> known, Report& report) {
  constexpr std::size_t kNotOnPath = ~std::size_t{0};
  std::vector<std::size_t> at(known.size(), kNotOnPath);  // place on the path
  for (std::size_t start = 0; start < known.size(); ++start) {
    std::vector<std::size_t> path;
    std::vector<const StageDecl*> uses;
    for (std::size_t g = start; !known[g];) {
      known[g] = true;
      at[g] = path.size();
      path.push_back(g);
      const StageDecl* use = nullptr;
      std::size_t next = g;
      each_use(g, [&](const StageDecl& stage, std::size_t used) {
        const bool comes_round = at[used] != kNotOnPath;
        if (measured_[used] || (use != nullptr && !comes_round) || (known[used] && !comes_round)) return;
        use = &stage;
        next = used;
      });
      if (use == nullptr) break;  // leads to a cycle that is reported
      uses.push_back(use);
      if (at[next] == kNotOnPath) {
        g = next;
        continue;
      }
      report_cycle({uses.begin() + static_cast<std::ptrdiff_t>(at[next]), uses.end()}, report);
      break;
    }
    for (const std::size_t g : path) at[g] = kNotOnPath;
  }
}

void Subgraphs::report_cycle(const std::vector<const StageDecl*>& uses, Report& report) const {
  std::string cycle = quote(uses.back()->graph);
  std::vector<Note> notes;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i < kMaxCycleShown) cycle += " -> " + quote(uses[i]->graph);
    if (i > 0 && i < kMaxCycleShown) notes.push_back({uses[i]->kernel_place, "and here"});
  }
  if (uses.size() > kMaxCycleShown) cycle += cat(" and ", uses.size() - kMaxCycleShown, " more");
  report.error(problem::kGraphCycle, uses[0]->kernel_place,
               cat("sub-graph ", quote(uses.back()->graph), " uses itself: ", cycle),
               "sub-graphs cannot be recursive: write a loop, `{from: WRITER, loop: {max: N}}`", std::move(notes));
}

}  // namespace woa
