#include "compiler/expand/expand.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/expand/names.h"
#include "compiler/expand/param_values.h"
#include "compiler/expand/subgraphs.h"

namespace woa {
namespace {

constexpr std::size_t kMaxExpandedBytes = 256U << 20;  // about the memory of the flat stages and their references

// A body that is being expanded: the graph itself, or one use of a sub-graph.
struct Scope {
  const GraphBody& body;
  const BodyIndex& names;
  const SubgraphUse* use = nullptr;  // null: the graph itself
  const Scope* parent = nullptr;
  std::string prefix = {};  // of names in the flat graph
  ParamValues params = {};
  const StageDecl* pinned = nullptr;    // the innermost use around that has an `on`
  std::uint32_t pinned_place = 0;       // its Place::use
  const StageDecl* repeated = nullptr;  // the innermost use around that has `replicas`
  std::uint32_t repeated_place = 0;
  std::vector<NeedUse> needs = {};                               // of the uses around
  std::unordered_map<std::string_view, const PortUse*> in = {};  // of the use, by name

  [[nodiscard]] std::uint32_t place_use() const { return use == nullptr ? 0 : use->place; }
};

class Expander {
 public:
  Expander(GraphFile& file, const Subgraphs& subgraphs, std::map<std::string, std::string>& command_line,
           Report& report)
      : file_(file), subgraphs_(subgraphs), names_(file, nullptr), report_(report) {
    if (command_line.empty()) return;
    command_line_place_ = {report_.add_source(std::string(kCommandLine), ""), 0, 0, 1};
    for (const auto& [target, value] : command_line) {
      const std::size_t dot = target.find('.');
      if (dot != std::string::npos)
        given_[target.substr(0, dot)].emplace(std::string_view(target).substr(dot + 1), value);
    }
    command_line_ = &command_line;
  }

  bool run() {
    expand(Scope{file_, names_});
    for (const std::string& target : taken_) command_line_->erase(target);
    if (full_) return false;
    for (PortUse& output : file_.outputs) output.writers = resolve_all(Scope{file_, names_}, output.writers, "sink");
    file_.stages = std::move(stages_);
    file_.mentions = std::move(mentions_);
    return !full_;
  }

 private:
  void expand(const Scope& scope) {
    for (const WriterRef& ref : scope.body.mentions) mention(scope, ref);
    for (const StageDecl& stage : scope.body.stages) {
      if (full_) return;
      if (stage.graph.empty()) {
        add_stage(scope, stage);
      } else {
        expand_use(scope, stage, *subgraphs_.find(stage.graph));
      }
    }
  }

  void expand_use(const Scope& outer, const StageDecl& stage, const SubgraphDecl& graph) {
    const std::string name = outer.prefix + stage.name;
    SubgraphUse use{stage, graph, name, outer.place_use(), 0};
    spend(2 * (sizeof(SubgraphUse) + name.size()));
    use.place = report_.add_use(name, seen_through(stage.kernel_place, outer.place_use()));
    Scope scope{graph, subgraphs_.index(graph), &use, &outer, name + "/"};
    const ParamValues::Given given = take_given(use);
    scope.params = ParamValues(use, outer.params, given, command_line_place_, report_);
    const bool pins = !stage.on.empty();
    scope.pinned = pins ? &stage : outer.pinned;
    scope.pinned_place = pins ? outer.place_use() : outer.pinned_place;
    scope.repeated = stage.replicas ? &stage : outer.repeated;
    scope.repeated_place = stage.replicas ? outer.place_use() : outer.repeated_place;
    scope.needs = needs_of(outer, stage);
    for (const PortUse& port : stage.in) {
      scope.in.emplace(port.name, &port);
      for (const WriterRef& ref : port.writers) mention(outer, ref);  // the use reads it, even if nothing inside does
    }
    for (const PortUse& output : graph.outputs) {
      for (const WriterRef& ref : output.writers) mention(scope, ref);
    }
    expand(scope);
  }

  // The values that the command line gives to the parameters of a use.
  ParamValues::Given take_given(SubgraphUse& use) {
    ParamValues::Given known;
    const SubgraphDecl& graph = use.graph;
    const auto given = given_.find(use.name);
    if (given == given_.end()) return known;
    for (const auto& [param, value] : given->second) {
      if (subgraphs_.index(graph).params.contains(param)) {
        known.emplace(param, value);
      } else {
        report_unknown(
            report_, problem::kUnknownParam, command_line_place_,
            cat("sub-graph ", quote(graph.name), " of stage ", quote(use.name), " has no parameter ", quote(param)),
            param, graph.params, "parameters");
        use.misspelt = true;
      }
      taken_.push_back(cat(use.name, ".", param));
    }
    return known;
  }

  static std::vector<NeedUse> needs_of(const Scope& scope, const StageDecl& stage) {
    std::vector<NeedUse> needs = scope.needs;
    for (const NeedUse& need : stage.needs) needs.push_back({need.name, seen_through(need.place, scope.place_use())});
    return needs;
  }

  void add_stage(const Scope& scope, const StageDecl& decl) {
    const std::uint32_t use = scope.place_use();
    StageDecl stage = decl;
    stage.name = scope.prefix + decl.name;
    stage.place = seen_through(decl.place, use);
    stage.kernel_place = seen_through(decl.kernel_place, use);
    stage.on_place = seen_through(decl.on_place, use);
    if (decl.on.empty() && scope.pinned != nullptr) {
      stage.on = scope.pinned->on;
      stage.on_place = seen_through(scope.pinned->on_place, scope.pinned_place);
    }
    stage.replicas_place = seen_through(decl.replicas_place, use);
    if (!decl.replicas && scope.repeated != nullptr) {
      stage.replicas = scope.repeated->replicas;
      stage.replicas_place = seen_through(scope.repeated->replicas_place, scope.repeated_place);
    }
    stage.needs = needs_of(scope, decl);
    stage.isolation_place = seen_through(decl.isolation_place, use);
    for (PortBound& bound : stage.max) bound.place = seen_through(bound.place, use);
    for (PortUse& port : stage.in) {
      port.place = seen_through(port.place, use);
      port.writers = resolve_all(scope, port.writers, decl.name);
    }
    for (ParamUse& param : stage.params) {
      param = scope.params.settled(param, use);
      spend(sizeof(ParamUse) + param.name.size() + param.value.value_or("").size());
    }
    spend(sizeof(StageDecl) + stage.name.size());
    stages_.push_back(std::move(stage));
  }

  std::vector<WriterRef> resolve_all(const Scope& scope, const std::vector<WriterRef>& refs,
                                     const std::string& reader) {
    std::vector<WriterRef> flat;
    for (const WriterRef& ref : refs) resolve(scope, ref, reader, flat);
    return flat;
  }

  void mention(const Scope& scope, const WriterRef& ref) {
    WriterRef plain{ref.place, ref.stage, ref.port, false, {}};
    plain.lost = ref.lost;
    resolve(scope, plain, {}, mentions_);
  }

  // Appends the stage outputs that `ref`, which `reader` of that scope reads, stands for.
  void resolve(const Scope& scope, const WriterRef& ref, const std::string& reader, std::vector<WriterRef>& flat) {
    if (full_) return;
    const std::size_t first = flat.size();
    const StageDecl* stage = ref.lost || ref.stage.empty() ? nullptr : scope.names.stages.at(ref.stage);
    if (ref.lost) {
      add_lost(seen_through(ref.place, scope.place_use()), flat);
    } else if (stage != nullptr && !stage->graph.empty()) {
      resolve_output(*subgraphs_.find(stage->graph), scope.prefix + ref.stage + "/", ref.port, flat);
    } else if (stage == nullptr && scope.use != nullptr) {
      return resolve_input(scope, ref, reader, flat);
    } else {
      flat.push_back({{}, ref.stage.empty() ? std::string() : scope.prefix + ref.stage, ref.port, false, {}});
      spend(sizeof(WriterRef) + flat.back().stage.size());
    }
    for (std::size_t i = first; i < flat.size(); ++i) {
      flat[i].place = seen_through(ref.place, scope.place_use());
      flat[i].hold = ref.hold;
      flat[i].unclear = ref.unclear;
      if (!ref.lane.empty()) flat[i].lane = ref.lane;
      if (ref.loop) flat[i].loop = settled(scope, *ref.loop, reader);
    }
  }

  // Appends the writers of a sub-graph's output; `prefix` is that of the sub-graph's stages.
  void resolve_output(const SubgraphDecl& graph, const std::string& prefix, const std::string& port,
                      std::vector<WriterRef>& flat) {
    const BodyIndex& names = subgraphs_.index(graph);
    const PortUse& output = *names.outputs.at(port);
    if (!output.complete) {
      add_lost(output.place, flat);
      flat.back().mentioned = true;
    }
    for (const WriterRef& ref : output.writers) {
      if (full_) return;
      const std::size_t first = flat.size();
      const StageDecl* stage = ref.lost ? nullptr : names.stages.at(ref.stage);
      if (stage != nullptr && !stage->graph.empty()) {
        resolve_output(*subgraphs_.find(stage->graph), prefix + ref.stage + "/", ref.port, flat);
      } else {
        flat.push_back({ref.place, prefix + ref.stage, ref.port, false, {}});
        flat.back().lost = ref.lost;
        flat.back().mentioned = true;  // by the use
        spend(sizeof(WriterRef) + flat.back().stage.size());
      }
      for (std::size_t i = first; i < flat.size() && !ref.lane.empty(); ++i) flat[i].lane = ref.lane;
    }
  }

  // Appends the writers of an input of the sub-graph around: those that its use names, marked also as `ref` says.
  void resolve_input(const Scope& scope, const WriterRef& ref, const std::string& reader,
                     std::vector<WriterRef>& flat) {
    const std::size_t first = flat.size();
    const Place place = seen_through(ref.place, scope.place_use());
    const auto port = scope.in.find(ref.port);
    if (port != scope.in.end()) {
      for (const WriterRef& writer : port->second->writers) resolve(*scope.parent, writer, scope.use->stage.name, flat);
    }
    const bool complete = port != scope.in.end() && port->second->complete;
    if (!complete || flat.size() == first) add_lost(place, flat);  // not given, or not readable: reported
    for (std::size_t i = first; i < flat.size(); ++i) {
      WriterRef& writer = flat[i];
      writer.hold = writer.hold || ref.hold;
      if (writer.lane.empty()) writer.lane = ref.lane;
      if (ref.loop && writer.loop) {
        report_.error(problem::kBadLoopEdge, seen_through(ref.loop->place, scope.place_use()),
                      cat("a writer of input ", quote(ref.port), " already starts the next turn of a loop"),
                      "an edge belongs to one loop: remove one of the two `loop`",
                      {{writer.loop->place, "the other one"}});
        writer.loop->broken = true;
      } else if (ref.loop) {
        writer.loop = settled(scope, *ref.loop, reader);
      }
      const GraphInput* input = scope.names.inputs.at(ref.port);
      writer.passed.push_back({input, scope.prefix.substr(0, scope.prefix.size() - 1) + "." + ref.port, place});
      spend(sizeof(PassedInput) + scope.prefix.size());
    }
  }

  // Stands for a writer that could not be read or found.
  static WriterRef lost_at(const Place& place) {
    WriterRef ref{place, {}, {}, false, {}};
    ref.lost = true;
    return ref;
  }
  // Lost writers take memory, too: outputs of sub-graphs may name them by the thousand.
  void add_lost(const Place& place, std::vector<WriterRef>& flat) {
    flat.push_back(lost_at(place));
    spend(sizeof(WriterRef));
  }

  LoopMark settled(const Scope& scope, LoopMark loop, const std::string& reader) {
    loop.place = seen_through(loop.place, scope.place_use());
    loop.max_place = seen_through(loop.max_place, scope.place_use());
    loop.name = scope.prefix + (loop.name.empty() ? reader : loop.name);
    scope.params.settle(loop, report_);
    return loop;
  }

  void spend(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= kMaxExpandedBytes || full_) return;
    full_ = true;
    report_.error(problem::kTooManyStages, {file_.source, 0, 0, 1},
                  "the graph takes more than 256 MiB when its sub-graphs are put in the place of their uses",
                  "use sub-graphs in fewer places, or merge fewer writers in them");
  }

  GraphFile& file_;
  const Subgraphs& subgraphs_;
  const BodyIndex names_;
  Report& report_;
  std::map<std::string, std::string>* command_line_ = nullptr;
  std::map<std::string, ParamValues::Given> given_;  // by stage
  std::vector<std::string> taken_;
  Place command_line_place_;
  std::vector<StageDecl> stages_;
  std::vector<WriterRef> mentions_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

// True if the flat graph has few enough stages; else reports the use that stands for the most.
bool check_size(const GraphFile& file, const Subgraphs& subgraphs, std::uint64_t max_stages, Report& report) {
  std::uint64_t stages = file.stages.size(), most = 0;
  const StageDecl* largest = nullptr;
  for (const StageDecl& stage : file.stages) {
    if (stage.graph.empty()) continue;
    const std::uint64_t size = subgraphs.size(*subgraphs.find(stage.graph));
    stages += size;
    if (size <= most) continue;
    most = size;
    largest = &stage;
  }
  if (largest == nullptr || stages <= max_stages) return true;
  report.error(problem::kTooManyStages, largest->kernel_place,
               cat("with its sub-graphs this graph has over ", max_stages, " stages, sub-graph ", quote(largest->graph),
                   " alone ", most > max_stages ? "more than that" : cat(most)),
               "use sub-graphs in fewer places: each use has stages of its own");
  return false;
}

}  // namespace

bool expand(GraphFile& file, KernelCatalog& kernels, std::map<std::string, std::string>& params,
            std::uint64_t max_stages, Report& report) {
  const Subgraphs subgraphs(file, report);
  check_names(file, subgraphs, kernels, report);
  const bool flat = std::all_of(file.stages.begin(), file.stages.end(), [](const auto& s) { return s.graph.empty(); });
  if (flat) return true;
  if (!check_size(file, subgraphs, max_stages, report)) return false;
  return Expander(file, subgraphs, params, report).run();
}

}  // namespace woa
