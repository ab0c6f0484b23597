#include "compiler/expand/names.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace woa {
namespace {

class NameChecker {
 public:
  // `graph`: the sub-graph whose body it is, or null.
  NameChecker(GraphBody& body, const SubgraphDecl* graph, const Subgraphs& subgraphs, Report& report)
      : body_(body),
        graph_(graph),
        subgraphs_(subgraphs),
        names_(body, graph == nullptr ? nullptr : &graph->params),
        report_(report) {}

  void run() {
    for (StageDecl& stage : body_.stages) check_stage(stage);
    for (PortUse& output : body_.outputs) check_output(output);
    if (body_.complete && !lost_reader_) check_read();
  }

 private:
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

  void lose(WriterRef& ref, std::string meant) {
    ref.lost = true;
    ref.meant = std::move(meant);
    lost_reader_ = lost_reader_ || ref.meant.empty();
    if (!ref.meant.empty()) assumed_read_.insert(ref.meant);
  }

  void check_writer(WriterRef& ref) {
    if (ref.loop && !ref.loop->max_param.empty() && !has_param(ref.loop->max_param, ref.loop->max_place)) {
      ref.loop->max_param.clear();
      ref.loop->broken = true;
    }
    if (ref.stage.empty()) return check_input_ref(ref);
    const auto found = names_.stages.find(ref.stage);
    if (found == names_.stages.end()) {
      lose(ref,
           report_unknown(report_, problem::kUnknownWriter, ref.place,
                          cat("there is no stage ", quote(ref.stage), in_graph()), ref.stage, body_.stages, "stages"));
      return;
    }
    const SubgraphDecl* used = used_by(*found->second);
    if (used == nullptr) return;  // resolve knows the ports of kernels
    if (subgraphs_.index(*used).outputs.contains(ref.port)) {
      read_.insert(ref.stage + "." + ref.port);
      return;
    }
    report_unknown(
        report_, problem::kUnknownOutput, ref.place,
        cat("sub-graph ", quote(used->name), " of stage ", quote(ref.stage), " has no output ", quote(ref.port)),
        ref.port, used->outputs, "outputs");
    lose(ref, ref.stage);
  }

  void check_input_ref(WriterRef& ref) {
    if (names_.inputs.contains(ref.port)) {
      read_.insert(ref.port);
      return;
    }
    if (graph_ != nullptr && !body_.complete && body_.inputs.empty()) return lose(ref, "source");  // could not be read
    const std::string text =
        cat("there is no ", graph_ == nullptr ? "graph input " : "input ", quote(ref.port), in_graph());
    if (names_.stages.contains(ref.port)) {
      report_.error(problem::kUnknownWriter, ref.place, text,
                    cat(quote(ref.port), " is a stage: write `", ref.port, ".PORT`"));
      lose(ref, ref.port);
    } else {
      report_unknown(report_, problem::kUnknownWriter, ref.place, text, ref.port, body_.inputs,
                     graph_ == nullptr ? "graph inputs" : "inputs");
      lose(ref, "source");
    }
  }

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
      report_unknown(
          report_, problem::kUnknownInput, port.place,
          cat("sub-graph ", quote(used.name), " of stage ", quote(stage.name), " has no input ", quote(port.name)),
          port.name, used.inputs, "inputs");
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
      report_unknown(report_, problem::kUnknownParam, place,
                     cat("sub-graph ", quote(graph_->name), " has no parameter ", quote(name)), name, graph_->params,
                     "parameters");
    }
    return false;
  }

  void check_param_ref(ParamUse& param) {
    if (param.param.empty() || has_param(param.param, param.place)) return;
    param.param.clear();
    param.broken = true;
  }

  void check_params(StageDecl& stage, const SubgraphDecl& used) {
    const BodyIndex& names = subgraphs_.index(used);
    std::erase_if(stage.params, [&](const ParamUse& param) {
      if (names.params.contains(param.name)) return false;
      report_unknown(
          report_, problem::kUnknownParam, param.name_place,
          cat("sub-graph ", quote(used.name), " of stage ", quote(stage.name), " has no parameter ", quote(param.name)),
          param.name, used.params, "parameters");
      return true;
    });
    for (ParamUse& param : stage.params) {
      if (param.broken || !param.param.empty()) continue;
      const auto fault = check_param(*names.params.at(param.name), param.value);
      if (!fault) continue;
      report_.error(fault->code, param.place, fault->text, "give such a value");
      param.broken = true;
    }
  }

  void check_output(PortUse& output) {
    for (WriterRef& ref : output.writers) {
      check_writer(ref);
      if (graph_ == nullptr || ref.lost) continue;  // resolve checks the sink's
      if (ref.stage.empty()) {
        report_.error(problem::kPassedThrough, ref.place,
                      cat("output ", quote(output.name), " of sub-graph ", quote(graph_->name), " is its input ",
                          quote(ref.port), " itself"),
                      "an output is written by a stage: let its readers read what the input reads");
        lose(ref, "source");
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
      if (graph_ == nullptr || read_.contains(input.name) || assumed_read_.contains("source")) continue;
      report_.error(problem::kUnreadGraphInput, input.place,
                    cat("nothing reads input ", quote(input.name), " of sub-graph ", quote(graph_->name)),
                    "remove it, or name it as a writer of some stage");
    }
    for (const StageDecl& stage : body_.stages) {
      const SubgraphDecl* used = used_by(stage);
      if (used == nullptr || assumed_read_.contains(stage.name)) continue;
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
  const BodyIndex names_;
  Report& report_;
  std::unordered_set<std::string> read_;          // inputs, and "stage.output" of uses
  std::unordered_set<std::string> assumed_read_;  // stages of which some output was meant; `source`: some input
  bool lost_reader_ = false;                      // some reference may have meant any stage
};

}  // namespace

void check_names(GraphFile& file, const Subgraphs& subgraphs, Report& report) {
  NameChecker(file, nullptr, subgraphs, report).run();
  for (SubgraphDecl& graph : file.graphs) NameChecker(graph, &graph, subgraphs, report).run();
}

}  // namespace woa
