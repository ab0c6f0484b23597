#include "compiler/check/resolve.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace woa {
namespace {

template <class Items>
std::optional<std::uint32_t> find_name(const Items& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found == items.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - items.begin());
}

class Resolver {
 public:
  Resolver(const GraphFile& file, KernelCatalog& kernels, Report& report)
      : file_(file), kernels_(kernels), report_(report) {}

  Graph run() {
    add_ends();
    for (const StageDecl& decl : file_.stages) add_stage(decl);
    for (const WriterRef& ref : file_.mentions) mark_read(ref);
    std::uint32_t stage = kSinkStage;
    for (const StageDecl& decl : file_.stages) connect_stage(decl, ++stage);
    connect_outputs();
    add_implicit_outputs();
    check_use();
    graph_.whole = file_.complete && std::all_of(graph_.stages.begin(), graph_.stages.end(), [](const GraphStage& s) {
                     const bool known = s.kernel != nullptr || s.decl == nullptr;
                     return known && std::find(s.broken.begin(), s.broken.end(), true) == s.broken.end();
                   });
    return std::move(graph_);
  }

 private:
  void add_ends() {
    GraphStage source, sink;
    source.name = "source";
    sink.name = "sink";
    for (const GraphInput& input : file_.inputs) {
      inputs_.emplace(input.name, static_cast<std::uint32_t>(source.outputs.size()));
      source.outputs.push_back({input.name, input.type.value_or(PortType{}), -1});
      source.output_places.push_back(input.place);
    }
    source.out.resize(source.outputs.size());
    if (file_.inputs.empty() && file_.complete) {
      report_.error(problem::kNoGraphInput, {}, "the graph has no inputs, so nothing would start it",
                    "add `inputs: {NAME: {type: bytes, max: 1MiB}}`");
    }
    graph_.stages.push_back(std::move(source));
    graph_.stages.push_back(std::move(sink));
  }

  void add_stage(const StageDecl& decl) {
    GraphStage stage;
    stage.name = decl.name;
    stage.place = decl.place;
    stage.decl = &decl;
    stage.replicas = decl.replicas.value_or(1);
    if (!decl.kernel.empty()) {
      const KernelCatalog::Found* found = kernels_.find(decl.kernel, decl.kernel_place);
      if (found != nullptr && !found->unavailable.empty()) {
        report_.error(problem::kKernelUnavailable, decl.kernel_place,
                      cat("kernel ", quote(decl.kernel), " is not available: ", found->unavailable),
                      "do what the reason says, or use another kernel");
      }
      if (found != nullptr && found->kernel) {
        stage.kernel = &*found->kernel;
        stage.kernel_file = found->file;
        stage.program_kernel = found->program_kernel;
        stage.keeps_state = found->kernel->stateful == Stateful::kInstance;
        stage.inputs = found->kernel->inputs;
        stage.outputs = found->kernel->outputs;
        bound_ports(stage);
      }
    }
    stage.in.resize(stage.inputs.size());
    stage.out.resize(stage.outputs.size());
    stage.broken.resize(stage.inputs.size());
    stage.input_places.resize(stage.inputs.size(), decl.place);
    stage.output_places.resize(stage.outputs.size(), decl.place);
    by_name_.emplace(decl.name, static_cast<std::uint32_t>(graph_.stages.size()));
    graph_.stages.push_back(std::move(stage));
  }

  // Replaces bounds of the kernel's ports by those that the stage sets.
  void bound_ports(GraphStage& stage) {
    for (const PortBound& bound : stage.decl->max) {
      const auto input = find_name(stage.inputs, bound.name);
      const auto output = stage.kernel->outputs_are_implicit ? std::nullopt : find_name(stage.outputs, bound.name);
      if (input) set_bound(stage.inputs[*input].type, bound);
      if (output) set_bound(stage.outputs[*output].type, bound);
      if (!input && !output) report_no_port(stage, bound);
    }
  }

  void set_bound(PortType& type, const PortBound& bound) {
    if (type.dims.empty() || type.variable_dims() != 0) {
      type.max_bytes = bound.bytes;
      return;
    }
    report_.error(
        problem::kBadBound, bound.place,
        cat("port ", quote(bound.name), " has a fixed size: ", to_string(type), ", ", type.max_bytes, " bytes"),
        "remove it from `max`");
  }

  void report_no_port(const GraphStage& stage, const PortBound& bound) {
    std::vector<PortBound> ports;
    for (const InputPortPlan& port : stage.inputs) ports.push_back({port.name, {}});
    for (const OutputPortPlan& port : stage.outputs)
      if (!stage.kernel->outputs_are_implicit && !find_name(stage.inputs, port.name)) ports.push_back({port.name, {}});
    report_unknown(report_, problem::kBadBound, bound.place,
                   cat("kernel ", quote(stage.kernel->name), " has no port ", quote(bound.name)), bound.name, ports,
                   "ports");
  }

  // The output that a reference names: nothing if it is lost, if the kernel has no such port (reported) or if the
  // kernel is unknown.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> find_writer(const WriterRef& ref) {
    if (ref.lost) {
      lost_reader_ = true;
      return std::nullopt;
    }
    if (ref.stage.empty()) return std::pair{kSourceStage, inputs_.at(ref.port)};
    const auto found = by_name_.find(ref.stage);
    const GraphStage& stage = graph_.stages[found->second];
    if (stage.kernel == nullptr) return std::nullopt;
    if (const auto port = find_name(stage.outputs, ref.port)) return std::pair{found->second, *port};
    if (!ref.mentioned) {
      report_unknown(
          report_, problem::kUnknownOutput, ref.port_place(),
          cat("kernel ", quote(stage.kernel->name), " of stage ", quote(ref.stage), " has no output ", quote(ref.port)),
          ref.port, stage.outputs, "outputs");
    }
    lost_reader_ = true;
    return std::nullopt;
  }

  std::int32_t find_loop(const LoopMark& mark, const std::string& target) {
    const std::string& name = mark.name.empty() ? target : mark.name;
    const auto [entry, added] = loops_.emplace(name, static_cast<std::int32_t>(graph_.loops.size()));
    if (added) graph_.loops.push_back({.name = name, .place = mark.place, .stages = {}, .children = {}});
    GraphLoop& loop = graph_.loops[static_cast<std::size_t>(entry->second)];
    loop.broken = loop.broken || mark.broken;
    if (mark.max && loop.max != 0 && *mark.max != loop.max) {
      report_.error(problem::kLoopMax, mark.place,
                    cat("loop ", quote(name), " has `max` ", *mark.max, " here and ", loop.max, " before"),
                    "edges of one name are one loop with one bound; name the loops apart, or give the bound once",
                    {{max_places_.at(entry->second), "the other bound"}});
    } else if (mark.max) {
      loop.max = *mark.max;
      max_places_.emplace(entry->second, mark.place);
    }
    return entry->second;
  }

  // One writer of an input port.
  void connect(std::uint32_t to, std::uint32_t port, const WriterRef& ref) {
    const auto writer = find_writer(ref);
    if (!writer) {
      graph_.stages[to].broken[port] = true;
      return;
    }
    const auto [first, added] = seen_.emplace(std::tuple(writer->first, writer->second, to, port), ref.place);
    if (!added) {
      report_.error(problem::kEdgeTwice, ref.place,
                    cat(quote(graph_.output_name(writer->first, writer->second)), " writes this port already"),
                    "remove one of them", {{first->second, "the other one"}});
      return;
    }
    if (ref.unclear) {
      graph_.stages[to].broken[port] = true;
      read_.insert(*writer);
      return;
    }
    GraphEdge edge{writer->first, writer->second, to,        port, ref.place, ref.hold, -1, -1, 1, 1,
                   false,         ref.lane,       ref.passed};
    if (ref.loop && to == kSinkStage) {
      report_.error(problem::kBadLoopEdge, ref.loop->place, "a graph output cannot start the next turn of a loop",
                    "remove `loop`");
    } else if (ref.loop && ref.hold) {
      report_.error(problem::kBadHold, ref.place, "an edge cannot be held and start the next turn of a loop",
                    "a held input keeps one token for all turns: remove `hold` or `loop`");
      graph_.stages[to].broken[port] = true;
      read_.insert(*writer);
      return;
    } else if (ref.loop) {
      edge.loop = find_loop(*ref.loop, graph_.stages[to].name);
    }
    const auto id = static_cast<std::uint32_t>(graph_.edges.size());
    graph_.edges.push_back(edge);
    graph_.stages[to].in[port].push_back(id);
    graph_.stages[writer->first].out[writer->second].push_back(id);
  }

  void connect_stage(const StageDecl& decl, std::uint32_t number) {
    for (const PortUse& use : decl.in) {
      GraphStage& stage = graph_.stages[number];
      const auto port = find_name(stage.inputs, use.name);
      if (!port) {
        if (stage.kernel == nullptr) {
          for (const WriterRef& ref : use.writers) mark_read(ref);
          continue;
        }
        report_unknown(report_, problem::kUnknownInput, use.place,
                       cat("kernel ", quote(stage.kernel->name), " has no input ", quote(use.name)), use.name,
                       stage.inputs, "inputs");
        for (const WriterRef& ref : use.writers) mark_read(ref);
        unknown_input_.insert(number);
        continue;
      }
      stage.input_places[*port] = use.place;
      if (!use.complete || use.writers.empty()) stage.broken[*port] = true;
      for (const WriterRef& ref : use.writers) connect(number, *port, ref);
      check_hold(number, *port);
    }
  }

  // A port of something unknown still reads its writers: they must not be reported as unread.
  void mark_read(const WriterRef& ref) {
    if (const auto writer = find_writer(ref)) read_.insert(*writer);
  }

  void check_hold(std::uint32_t number, std::uint32_t port) {
    GraphStage& stage = graph_.stages[number];
    std::size_t held = 0;
    for (const std::uint32_t e : stage.in[port]) held += graph_.edges[e].hold ? 1U : 0U;
    if (held == 0) return;
    stage.inputs[port].hold = true;
    if (held == stage.in[port].size()) return;
    report_.error(problem::kBadHold, stage.input_places[port],
                  cat("input ", quote(stage.inputs[port].name), " has writers with and without `hold: true`"),
                  "a port is held or not: mark all of its writers, or none");
    stage.broken[port] = true;
  }

  std::uint32_t add_sink_port(std::string name, const Place& place) {
    GraphStage& sink = graph_.stages[kSinkStage];
    sink.inputs.push_back({std::move(name), {}, false, 0});
    sink.in.emplace_back();
    sink.broken.push_back(false);
    sink.input_places.push_back(place);
    return static_cast<std::uint32_t>(sink.inputs.size() - 1);
  }

  void connect_outputs() {
    for (const PortUse& use : file_.outputs) {
      const std::uint32_t port = add_sink_port(use.name, use.place);
      for (const WriterRef& ref : use.writers) {
        if (ref.hold) {
          report_.error(problem::kBadHold, ref.place, "a graph output cannot be held", "remove `hold`");
        }
        WriterRef plain = ref;
        plain.hold = false;
        connect(kSinkStage, port, plain);
      }
      if (!use.complete || use.writers.empty()) graph_.stages[kSinkStage].broken[port] = true;
    }
  }

  // A stage without outputs tells the sink that it is done.
  void add_implicit_outputs() {
    for (std::uint32_t s = kSinkStage + 1; s < graph_.stages.size(); ++s) {
      const GraphStage& stage = graph_.stages[s];
      const bool silent = stage.kernel != nullptr && stage.kernel->outputs_are_implicit;
      if (!silent || !stage.out[0].empty() || read_.contains({s, 0})) continue;
      const std::uint32_t port = add_sink_port(stage.name + ".done", stage.place);
      connect(kSinkStage, port, {graph_.stages[s].place, graph_.stages[s].name, "done", false, {}});
    }
  }

  void check_use() {
    if (graph_.stages[kSinkStage].inputs.empty() && file_.complete) {
      report_.error(problem::kNoGraphOutput, {}, "the graph has no outputs", "add `outputs: {NAME: STAGE.PORT}`");
    }
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      check_inputs(s);
      check_outputs(s);
    }
    for (const GraphLoop& loop : graph_.loops) {
      if (loop.max != 0 || loop.broken) continue;
      report_.error(problem::kBadLoopEdge, loop.place, cat("loop ", quote(loop.name), " has no `max`"),
                    "write `loop: {max: N}`: the turn after the N-th is an error, and memory is set aside for N");
    }
  }

  void check_inputs(std::uint32_t s) {
    const GraphStage& stage = graph_.stages[s];
    if (s <= kSinkStage || stage.kernel == nullptr) return;
    bool open = false;
    for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
      open = open || !stage.inputs[p].hold;
      if (!stage.in[p].empty() || stage.broken[p]) continue;
      graph_.stages[s].broken[p] = true;
      if (unknown_input_.contains(s) || !stage.decl->in_complete) continue;  // most likely this one, misspelt
      report_.error(problem::kMissingInput, stage.place,
                    cat("stage ", quote(stage.name), " has no writer for input ", quote(stage.inputs[p].name), " (",
                        to_string(stage.inputs[p].type), ") of kernel ", quote(stage.kernel->name)),
                    cat("add `", stage.inputs[p].name, ": STAGE.PORT` to its `in`"));
    }
    if (open) return;
    report_.error(problem::kOnlyHeld, stage.place,
                  cat("all inputs of stage ", quote(stage.name), " are held, so nothing makes it fire"),
                  "remove `hold: true` from the input that comes once per firing");
  }

  void check_outputs(std::uint32_t s) {
    if (!file_.complete || lost_reader_ || graph_.stages[kSinkStage].inputs.empty()) return;
    const GraphStage& stage = graph_.stages[s];
    for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
      if (!stage.out[p].empty() || read_.contains({s, p})) continue;
      const std::string& name = stage.outputs[p].name;
      if (s == kSourceStage) {
        report_.error(problem::kUnreadGraphInput, file_.inputs[p].place, cat("nothing reads graph input ", quote(name)),
                      "remove it, or name it as a writer of some stage");
        continue;
      }
      report_.error(
          problem::kUnreadOutput, stage.place,
          cat("nothing reads output ", quote(name), " of stage ", quote(stage.name)),
          cat("read `", stage.name, ".", name, "` in a stage, or list it under `outputs`", discard(stage, p)));
    }
  }

  // The fix that discards a branch: like its alternatives, it must reach the sink.
  static std::string discard(const GraphStage& stage, std::uint32_t port) {
    const std::int32_t group = stage.outputs[port].one_of;
    const auto other = std::ranges::find_if(stage.outputs, [&](const OutputPortPlan& each) {
      return each.one_of == group && each.name != stage.outputs[port].name;
    });
    if (group < 0 || other == stage.outputs.end()) return {};
    return cat("; to discard this branch, end it at the output that the others end at: `outputs: {NAME: [", stage.name,
               ".", other->name, ", ", stage.name, ".", stage.outputs[port].name, "]}`");
  }

  const GraphFile& file_;
  KernelCatalog& kernels_;
  Report& report_;
  Graph graph_;
  std::unordered_map<std::string, std::uint32_t> inputs_;   // of the graph
  std::unordered_map<std::string, std::uint32_t> by_name_;  // stages
  std::map<std::string, std::int32_t> loops_;
  std::map<std::int32_t, Place> max_places_;  // by loop: where its `max` was given first
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Place> seen_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> read_;  // outputs that something broken reads
  std::set<std::uint32_t> unknown_input_;                   // stages that name an input which does not exist
  bool lost_reader_ = false;                                // some reference may have meant any output
};

}  // namespace

Graph resolve(const GraphFile& file, KernelCatalog& kernels, Report& report) {
  return Resolver(file, kernels, report).run();
}

}  // namespace woa
