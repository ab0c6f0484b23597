#include "compiler/check/types.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "compiler/parse/port_type.h"

namespace woa {
namespace {

// Writes a size as a file does: "64MiB".
std::string size_text(std::uint64_t bytes) {
  for (const auto& [unit, shift] : {std::pair("GiB", 30U), std::pair("MiB", 20U), std::pair("KiB", 10U)})
    if (bytes != 0 && bytes % (1ULL << shift) == 0) return cat(bytes >> shift, unit);
  return cat(bytes);
}

class TypeSettler {
 public:
  TypeSettler(Graph& graph, Report& report) : graph_(graph), report_(report) {
    std::uint32_t ports = 0;
    for (const GraphStage& stage : graph_.stages) {
      first_.push_back(ports);
      ports += static_cast<std::uint32_t>(stage.inputs.size() + stage.outputs.size());
    }
    root_.resize(ports);
    std::iota(root_.begin(), root_.end(), 0U);
    fixed_.resize(ports);
  }

  void run() {
    type_sink();
    each_port([this](std::uint32_t id, const std::string& name, PortType& type) { note_fixed(id, name, type); });
    for (const GraphEdge& edge : graph_.edges) {
      join(edge);
      check_absent(edge);
    }
    each_port([this](std::uint32_t id, const std::string& name, PortType& type) { apply_fixed(id, name, type); });
    for (const GraphEdge& edge : graph_.edges) check_bound(edge);
    bound_inputs();
  }

 private:
  struct Fixed {
    std::uint32_t size = 0;
    std::string by;  // the port that fixes it
    Place place;     // of its stage, or where the stage names it
  };
  using FixedDims = std::array<Fixed, kMaxRank>;

  void each_port(const auto& visit) {
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      GraphStage& stage = graph_.stages[s];
      for (std::uint32_t p = 0; p < stage.inputs.size(); ++p)
        visit(input(s, p), graph_.input_name(s, p), stage.inputs[p].type);
      for (std::uint32_t p = 0; p < stage.outputs.size(); ++p)
        visit(output(s, p), graph_.output_name(s, p), stage.outputs[p].type);
    }
  }
  [[nodiscard]] std::uint32_t input(std::uint32_t s, std::uint32_t p) const { return first_[s] + p; }
  [[nodiscard]] std::uint32_t output(std::uint32_t s, std::uint32_t p) const {
    return first_[s] + static_cast<std::uint32_t>(graph_.stages[s].inputs.size()) + p;
  }
  std::uint32_t find(std::uint32_t port) {
    while (root_[port] != port) port = root_[port] = root_[root_[port]];
    return port;
  }

  void type_sink() {
    GraphStage& sink = graph_.stages[kSinkStage];
    for (std::uint32_t p = 0; p < sink.inputs.size(); ++p) {
      if (sink.in[p].empty()) continue;
      const GraphEdge& first = graph_.edges[sink.in[p][0]];
      sink.inputs[p].type = graph_.stages[first.from_stage].outputs[first.from_port].type;
      for (Dimension& dim : sink.inputs[p].type.dims) {
        if (dim.size != 0) dim = {"d", 0, 0};  // the writer's end says that it is fixed
        dim.max = 0;
      }
      sink.inputs[p].type.max_bytes = 0;
    }
  }

  void note_fixed(std::uint32_t id, const std::string& name, const PortType& type) {
    for (std::size_t d = 0; d < type.dims.size(); ++d) {
      if (type.dims[d].size != 0) fixed_[id][d] = {type.dims[d].size, name, place_of(id)};
    }
  }

  void mismatch(const GraphEdge& edge, const std::string& why, std::vector<Note> notes = {}) {
    const PortType& from = graph_.stages[edge.from_stage].outputs[edge.from_port].type;
    const PortType& to = graph_.stages[edge.to_stage].inputs[edge.to_port].type;
    report_.error(problem::kTypeMismatch, edge.place,
                  cat(quote(graph_.writer_name(edge)), " (", to_string(from), ") does not fit ",
                      quote(graph_.reader_name(edge)), " (", to_string(to), "): ", why),
                  "connect ports of one element and rank, or put a stage between them that converts", std::move(notes));
  }

  // Notes on the places that fix a dimension, except the ends of the edge.
  [[nodiscard]] std::vector<Note> elsewhere(const GraphEdge& edge, std::initializer_list<Fixed> fixed) const {
    std::vector<Note> notes;
    for (const Fixed& f : fixed) {
      if (f.by == graph_.writer_name(edge) || f.by == graph_.reader_name(edge)) continue;
      notes.push_back({f.place, cat(quote(f.by), " makes it ", f.size)});
    }
    return notes;
  }

  // Why the types do not fit; empty if they do, or if one of them could not be read.
  static std::string difference(const PortType& from, const PortType& to) {
    if (from.element.empty() || to.element.empty()) return {};
    if (from.element != to.element) return "the elements differ";
    if (from.dims.size() != to.dims.size()) return "the numbers of dimensions differ";
    for (std::size_t d = 0; d < from.dims.size(); ++d) {
      const std::uint32_t x = from.dims[d].size, y = to.dims[d].size;
      if (x != 0 && y != 0 && x != y) return cat("dimension ", d + 1, " is ", x, " and ", y);
    }
    return {};
  }

  // True if both ends fit the types of the sub-graph inputs between them; else reports.
  bool check_passed(const GraphEdge& edge, const PortType& from, const PortType& to) {
    bool fits = true;
    for (const PassedInput& passed : edge.passed) {
      if (!passed.input->type) continue;
      const PortType& type = *passed.input->type;
      const std::string input = cat("input ", quote(passed.name), " (", to_string(type), ")");
      const std::string why = difference(from, type), inner = difference(type, to);
      fits = fits && why.empty() && inner.empty();
      if (!why.empty()) {
        report_.error(problem::kTypeMismatch, edge.place,
                      cat(quote(graph_.writer_name(edge)), " (", to_string(from), ") does not fit ", input, ": ", why),
                      "give the sub-graph what it declares", {{passed.input->place, "the input"}});
      } else if (!inner.empty()) {
        report_.error(problem::kTypeMismatch, passed.read,
                      cat(input, " does not fit ", quote(graph_.reader_name(edge)), " (", to_string(to), "): ", inner),
                      "declare the input with the type of its readers", {{passed.input->place, "the input"}});
      }
    }
    return fits;
  }

  void join(const GraphEdge& edge) {
    const PortType& from = graph_.stages[edge.from_stage].outputs[edge.from_port].type;
    const PortType& to = graph_.stages[edge.to_stage].inputs[edge.to_port].type;
    if (from.element.empty() || to.element.empty()) return;  // could not be read, reported
    if (!check_passed(edge, from, to)) return;
    if (from.element != to.element) return mismatch(edge, "the elements differ");
    if (from.dims.size() != to.dims.size()) return mismatch(edge, "the numbers of dimensions differ");
    const std::uint32_t a = find(output(edge.from_stage, edge.from_port)), b = find(input(edge.to_stage, edge.to_port));
    if (a == b) return;
    for (std::size_t d = 0; d < from.dims.size(); ++d) {
      const Fixed &x = fixed_[a][d], &y = fixed_[b][d];
      if (x.size == 0 || y.size == 0 || x.size == y.size) continue;
      return mismatch(
          edge, cat("dimension ", d + 1, " is ", x.size, " at ", quote(x.by), " and ", y.size, " at ", quote(y.by)),
          elsewhere(edge, {x, y}));
    }
    root_[b] = a;
    for (std::size_t d = 0; d < from.dims.size(); ++d) {
      if (fixed_[a][d].size == 0) fixed_[a][d] = std::move(fixed_[b][d]);
    }
  }

  void check_absent(const GraphEdge& edge) {
    if (!graph_.stages[edge.from_stage].outputs[edge.from_port].optional) return;
    InputPortPlan& to = graph_.stages[edge.to_stage].inputs[edge.to_port];
    if (edge.to_stage == kSinkStage) to.optional = true;
    if (to.optional || to.gather != 0) return;
    report_.error(problem::kMayBeAbsent, edge.place,
                  cat(quote(graph_.writer_name(edge)), " is optional and may send an absent token, but ",
                      quote(graph_.reader_name(edge)), " needs a value"),
                  "let a stage with an `optional` input (such as kernel `or_else`) read it, or a graph output");
  }

  void apply_fixed(std::uint32_t id, const std::string& name, PortType& type) {
    const FixedDims& fixed = fixed_[find(id)];
    bool settled = !type.dims.empty();
    std::uint64_t bytes = element_bytes(type.element);
    for (std::size_t d = 0; d < type.dims.size(); ++d) {
      Dimension& dim = type.dims[d];
      if (fixed[d].size == 0) {
        settled = false;
        continue;
      }
      if (dim.max != 0 && fixed[d].size > dim.max) {
        report_.error(problem::kTypeMismatch, place_of(id),
                      cat("dimension ", d + 1, " of ", quote(name), " is at most ", dim.max, ", but ", fixed[d].size,
                          " at ", quote(fixed[d].by)),
                      "connect ports whose extents agree",
                      {{fixed[d].place, cat(quote(fixed[d].by), " makes it ", fixed[d].size)}});
      }
      dim.size = fixed[d].size;  // the name stays: a launch may refer to it
      bytes = bytes > kMaxPortBytes / dim.size ? kMaxPortBytes + 1 : bytes * dim.size;
    }
    if (!settled) return;
    if ((type.max_bytes != 0 && bytes > type.max_bytes) || bytes > kMaxPortBytes) {
      report_.error(problem::kTypeMismatch, place_of(id),
                    cat(quote(name), " is ", to_string(type), " here, which has ", bytes, " bytes, but its bound is ",
                        type.max_bytes),
                    "raise `max` of the port, or use smaller dimensions");
    }
    type.max_bytes = bytes;
  }

  [[nodiscard]] Place place_of(std::uint32_t id) const {
    const auto next = std::upper_bound(first_.begin(), first_.end(), id);
    const auto s = static_cast<std::size_t>(next - first_.begin()) - 1;
    const GraphStage& stage = graph_.stages[s];
    const std::size_t port = id - first_[s];
    const std::size_t inputs = stage.inputs.size();
    return port < inputs ? stage.input_places[port] : stage.output_places[port - inputs];
  }

  // The place where the graph itself bounds what an edge carries: at a graph input, or in a stage's `max`. A kernel's
  // own bound does not count: it is the most that the kernel may need, not what will come.
  [[nodiscard]] std::optional<Place> bounded_at(const GraphEdge& edge) const {
    const GraphStage& stage = graph_.stages[edge.from_stage];
    if (edge.from_stage == kSourceStage) return stage.output_places[edge.from_port];
    for (const PortBound& bound : stage.decl->max)
      if (bound.name == stage.outputs[edge.from_port].name) return bound.place;
    return std::nullopt;
  }

  // "data: 1GiB, even: 1GiB": the reader's port, and outputs with the same bound, which most likely pass the token on.
  [[nodiscard]] std::string raised(const GraphStage& reader, const InputPortPlan& port, std::uint64_t bytes) const {
    std::string text = cat(port.name, ": ", size_text(bytes));
    for (const OutputPortPlan& output : reader.outputs) {
      if (output.name == port.name || output.type.element != port.type.element) continue;
      if (output.type.max_bytes == port.type.max_bytes) text += cat(", ", output.name, ": ", size_text(bytes));
    }
    return text;
  }

  void check_bound(const GraphEdge& edge) {
    const std::uint64_t bytes = graph_.stages[edge.from_stage].outputs[edge.from_port].type.max_bytes;
    const GraphStage& reader = graph_.stages[edge.to_stage];
    const InputPortPlan& port = reader.inputs[edge.to_port];
    const std::optional<Place> at = bounded_at(edge);
    if (port.type.max_bytes == 0 || bytes <= port.type.max_bytes || !at) return;
    report_.error(problem::kBoundExceeded, edge.place,
                  cat(quote(graph_.writer_name(edge)), " may bring ", size_text(bytes), ", but ",
                      quote(graph_.reader_name(edge)), " takes ", size_text(port.type.max_bytes), " at most"),
                  cat("set `max: {", raised(reader, port, bytes), "}` at stage ", quote(reader.name),
                      ", or lower `max` of ", quote(graph_.writer_name(edge))),
                  {{*at, cat("the bound of ", quote(graph_.writer_name(edge)))}});
  }

  void bound_inputs() {
    for (GraphStage& stage : graph_.stages) {
      for (std::size_t p = 0; p < stage.inputs.size(); ++p) {
        PortType& type = stage.inputs[p].type;
        if (type.max_bytes != 0) continue;
        for (const std::uint32_t e : stage.in[p]) {
          const GraphEdge& edge = graph_.edges[e];
          type.max_bytes =
              std::max(type.max_bytes, graph_.stages[edge.from_stage].outputs[edge.from_port].type.max_bytes);
        }
      }
    }
  }

  Graph& graph_;
  Report& report_;
  std::vector<std::uint32_t> first_;  // number of a stage's first port: its inputs, then its outputs
  std::vector<std::uint32_t> root_;   // union-find over ports
  std::vector<FixedDims> fixed_;      // by root
};

}  // namespace

void settle_types(Graph& graph, Report& report) { TypeSettler(graph, report).run(); }

}  // namespace woa
