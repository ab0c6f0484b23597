#include "compiler/expand/names.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace woa {
namespace {

// Names of ports and parameters that a sub-graph does not declare, in all its uses. Each is reported once, with the
// other places that use it: the misspelling may be in the declaration.
class NotDeclared {
 public:
  enum class Kind : std::uint8_t { kInput, kOutput, kParam };

  // Keeps `code` and `text` of the first place.
  void add(Kind kind, const SubgraphDecl& graph, const std::string& name, std::string_view code, const Place& place,
           std::string text) {
    if (!graph.all_declared) return;  // most likely one of those that could not be read
    Uses& uses = missing_[{kind, &graph, name}];
    if (uses.places.empty()) uses.code = code, uses.text = std::move(text);
    uses.places.push_back(place);
  }

  void report(Report& report) const {
    for (const auto& [what, uses] : missing_) {
      const auto& [kind, graph, name] = what;
      const auto say = [&, &uses = uses, &name = name](const auto& declared, std::string_view plural) {
        report_unknown(report, uses.code, uses.places[0], uses.text, name, declared, plural, other_uses(uses.places));
      };
      switch (kind) {
        case Kind::kInput: say(graph->inputs, "inputs"); break;
        case Kind::kOutput: say(graph->outputs, "outputs"); break;
        case Kind::kParam: say(graph->params, "parameters"); break;
      }
    }
  }

 private:
  struct Uses {
    std::string_view code;  // one of problems.h
    std::string text;
    std::vector<Place> places;
  };
  std::map<std::tuple<Kind, const SubgraphDecl*, std::string>, Uses> missing_;
};

class NameChecker {
 public:
  // `graph`: the sub-graph that `body` belongs to, or null.
  NameChecker(GraphBody& body, const SubgraphDecl* graph, const Subgraphs& subgraphs, KernelCatalog& kernels,
              NotDeclared& not_declared, Report& report)
      : body_(body),
        graph_(graph),
        subgraphs_(subgraphs),
        kernels_(kernels),
        not_declared_(not_declared),
        names_(body, graph == nullptr ? nullptr : &graph->params),
        report_(report) {}

  void run() {
    for (StageDecl& stage : body_.stages) check_stage(stage);
    for (PortUse& output : body_.outputs) check_output(output);
    report_missing(inputs_not_found_, "graph input", body_.inputs);
    report_missing(stages_not_found_, "stage", body_.stages);
    if (body_.complete && !lost_reader_) check_read();
  }

 private:
  using NotFound = std::map<std::string, std::vector<Place>>;  // by name: where such writers are read

  [[nodiscard]] const SubgraphDecl* used_by(const StageDecl& stage) const {
    return stage.graph.empty() ? nullptr : subgraphs_.find(stage.graph);
  }

  void check_stage(StageDecl& stage) {
    const SubgraphDecl* used = used_by(stage);
    if (used != nullptr) check_inputs(stage, *used);
    for (PortUse& port : stage.in) {
      for (WriterRef& ref : port.writers) check_writer(ref);
    }
    for (ParamUse& param : stage.params) check_param_ref(param);
    if (used != nullptr) check_params(stage, *used);
  }

  // The reference may have meant any output.
  void lose(WriterRef& ref) { ref.lost = lost_reader_ = true; }

  void check_writer(WriterRef& ref) {
    if (ref.loop && !ref.loop->max_param.empty() && !has_param(ref.loop->max_param, ref.loop->max_place)) {
      ref.loop->max_param.clear();
      ref.loop->broken = true;
    }
    if (ref.stage.empty()) return check_input_ref(ref);
    const auto found = names_.stages.find(ref.stage);
    if (found == names_.stages.end()) return report_no_stage(ref);
    const SubgraphDecl* used = used_by(*found->second);
    if (used == nullptr) return;  // resolve() checks the ports of kernels
    if (subgraphs_.index(*used).outputs.contains(ref.port)) {
      read_.insert(ref.stage + "." + ref.port);
      return;
    }
    not_declared_.add(
        NotDeclared::Kind::kOutput, *used, ref.port, problem::kUnknownOutput, ref.port_place(),
        cat("sub-graph ", quote(used->name), " of stage ", quote(ref.stage), " has no output ", quote(ref.port)));
    lose(ref);
  }

  void check_input_ref(WriterRef& ref) {
    if (names_.inputs.contains(ref.port)) {
      read_.insert(ref.port);
      return;
    }
    lose(ref);
    if (const auto stage = names_.stages.find(ref.port); stage != names_.stages.end()) {
      report_.error(
          problem::kUnknownWriter, ref.place, cat("there is no ", input_word(), " ", quote(ref.port), in_graph()),
          cat(quote(ref.port), " is a stage, of which an output is named: ", quote_list(outputs_of(*stage->second))));
    } else if (graph_ != nullptr) {
      not_declared_.add(NotDeclared::Kind::kInput, *graph_, ref.port, problem::kUnknownWriter, ref.place,
                        cat("there is no ", input_word(), " ", quote(ref.port), in_graph()));
    } else if (!body_.inputs.empty()) {  // else the lack of inputs is reported
      inputs_not_found_[ref.port].push_back(ref.place);
    }
  }

  // "stage.port" of each output; "stage.PORT" if they are unknown.
  std::vector<std::string> outputs_of(const StageDecl& stage) {
    std::vector<std::string> outputs;
    const auto add = [&](const auto& ports) {
      for (const auto& port : ports) outputs.push_back(cat(stage.name, ".", port.name));
    };
    if (const SubgraphDecl* used = used_by(stage)) {
      add(used->outputs);
    } else if (!stage.kernel.empty()) {
      const KernelCatalog::Found* found = kernels_.find(stage.kernel, stage.kernel_place);
      if (found != nullptr && found->kernel) add(found->kernel->outputs);
    }
    if (outputs.empty()) outputs.push_back(stage.name + ".PORT");
    return outputs;
  }

  void report_no_stage(WriterRef& ref) {
    lose(ref);
    const std::string& input = ref.stage == "source" ? ref.port : ref.stage;
    if (names_.inputs.contains(input)) {
      report_.error(problem::kUnknownWriter, ref.place, cat("there is no stage ", quote(ref.stage), in_graph()),
                    cat(quote(input), " is ", graph_ == nullptr ? "a " : "an ", input_word(),
                        ", which is named by itself: write ", quote(input)));
    } else if (!body_.stages.empty() || body_.complete) {  // else they could not be read, which is reported
      stages_not_found_[ref.stage].push_back(ref.stage_place());
    }
  }

  // Reports each name once, with the other places that use it: the misspelling may be in the declaration.
  template <class Items>
  void report_missing(const NotFound& missing, std::string_view what, const Items& items) {
    for (const auto& [name, places] : missing)
      report_unknown(report_, problem::kUnknownWriter, places[0],
                     cat("there is no ", what, " ", quote(name), in_graph()), name, items, cat(what, "s"),
                     other_uses(places));
  }

  [[nodiscard]] std::string_view input_word() const { return graph_ == nullptr ? "graph input" : "input"; }
  [[nodiscard]] std::string in_graph() const {
    return graph_ == nullptr ? std::string() : cat(" in sub-graph ", quote(graph_->name));
  }

  void check_inputs(StageDecl& stage, const SubgraphDecl& used) {
    std::unordered_set<std::string_view> given;
    std::vector<PortUse> known;
    bool unknown = false;
    for (PortUse& port : stage.in) {
      if (const auto input = subgraphs_.index(used).inputs.find(port.name);
          input != subgraphs_.index(used).inputs.end()) {
        given.insert(input->first);
        known.push_back(std::move(port));
        continue;
      }
      not_declared_.add(
          NotDeclared::Kind::kInput, used, port.name, problem::kUnknownInput, port.place,
          cat("sub-graph ", quote(used.name), " of stage ", quote(stage.name), " has no input ", quote(port.name)));
      unknown = true;
      for (WriterRef& ref : port.writers) check_writer(ref);
      std::move(port.writers.begin(), port.writers.end(), std::back_inserter(body_.mentions));
    }
    stage.in = std::move(known);
    if (unknown || !stage.in_complete) return;  // most likely one of these, misspelt
    for (const GraphInput& input : used.inputs) {
      if (given.contains(input.name)) continue;
      report_.error(problem::kMissingInput, stage.place,
                    cat("stage ", quote(stage.name), " has no writer for input ", quote(input.name), " of sub-graph ",
                        quote(used.name)),
                    cat("add `", input.name, ": STAGE.PORT` to its `in`"), {{input.place, "the input"}});
    }
  }

  bool has_param(const std::string& name, const Place& place) {
    if (names_.params.contains(name)) return true;
    if (graph_ == nullptr) {
      report_.error(problem::kUnknownParam, place, cat("there is no parameter ", quote(name), " here"),
                    "`{param: NAME}` stands for a parameter of the sub-graph around it: write the value itself");
    } else {
      not_declared_.add(NotDeclared::Kind::kParam, *graph_, name, problem::kUnknownParam, place,
                        cat("sub-graph ", quote(graph_->name), " has no parameter ", quote(name)));
    }
    return false;
  }

  void check_param_ref(ParamUse& param) {
    if (param.param.empty() || has_param(param.param, param.place)) return;
    param.param.clear();
  }

  void check_params(StageDecl& stage, const SubgraphDecl& used) {
    const BodyIndex& names = subgraphs_.index(used);
    std::erase_if(stage.params, [&](const ParamUse& param) {
      if (names.params.contains(param.name)) return false;
      not_declared_.add(NotDeclared::Kind::kParam, used, param.name, problem::kUnknownParam, param.name_place,
                        cat("sub-graph ", quote(used.name), " of stage ", quote(stage.name), " has no parameter ",
                            quote(param.name)));
      stage.params_complete = false;  // the unknown name may have meant any
      return true;
    });
    for (ParamUse& param : stage.params) {
      const ParamDecl& decl = *names.params.at(param.name);
      if (!param.value || !decl.complete) continue;
      const auto fault = check_param(decl, *param.value);
      if (!fault) continue;
      report_.error(fault->code, param.place, fault->text, accepted_form(decl, decl.name + ": "));
      param.value.reset();
    }
  }

  void check_output(PortUse& output) {
    for (WriterRef& ref : output.writers) {
      check_writer(ref);
      if (graph_ == nullptr || ref.lost) continue;  // resolve() checks the sink's
      if (ref.stage.empty()) {
        report_.error(problem::kPassedThrough, ref.place,
                      cat("output ", quote(output.name), " of sub-graph ", quote(graph_->name), " is its input ",
                          quote(ref.port), " itself"),
                      "an output is written by a stage: let its readers read what the input reads");
        lose(ref);
      }
      if (std::exchange(ref.hold, false)) {
        report_.error(problem::kBadHold, ref.place, "an output of a sub-graph cannot be held",
                      "mark the input that reads it `hold: true`");
      }
      if (ref.loop) {
        report_.error(problem::kBadLoopEdge, ref.loop->place, "an output cannot start the next turn of a loop",
                      "mark the input that reads it");
        ref.loop.reset();
      }
    }
  }

  void check_read() {
    for (const GraphInput& input : body_.inputs) {
      if (graph_ == nullptr || read_.contains(input.name)) continue;
      report_.error(problem::kUnreadGraphInput, input.place,
                    cat("nothing reads input ", quote(input.name), " of sub-graph ", quote(graph_->name)),
                    "remove it, or name it as a writer of some stage");
    }
    for (const StageDecl& stage : body_.stages) {
      const SubgraphDecl* used = used_by(stage);
      if (used == nullptr) continue;
      for (const PortUse& output : used->outputs) {
        if (read_.contains(stage.name + "." + output.name)) continue;
        report_.error(problem::kUnreadOutput, stage.place,
                      cat("nothing reads output ", quote(output.name), " of stage ", quote(stage.name), in_graph()),
                      cat("read `", stage.name, ".", output.name, "` in a stage, or list it under `outputs`"),
                      {{output.place, cat("the output of sub-graph ", quote(used->name))}});
      }
    }
  }

  GraphBody& body_;
  const SubgraphDecl* graph_;
  const Subgraphs& subgraphs_;
  KernelCatalog& kernels_;
  NotDeclared& not_declared_;
  const BodyIndex names_;
  Report& report_;
  std::unordered_set<std::string> read_;  // inputs, and "stage.output" of uses
  NotFound inputs_not_found_, stages_not_found_;
  bool lost_reader_ = false;  // some reference may have meant any output
};

}  // namespace

void check_names(GraphFile& file, const Subgraphs& subgraphs, KernelCatalog& kernels, Report& report) {
  NotDeclared not_declared;
  NameChecker(file, nullptr, subgraphs, kernels, not_declared, report).run();
  for (SubgraphDecl& graph : file.graphs) NameChecker(graph, &graph, subgraphs, kernels, not_declared, report).run();
  not_declared.report(report);
}

}  // namespace woa
