// A graph with its names resolved, which the passes of `check` and `place` read and fill in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/graph_file.h"
#include "compiler/parse/kernel_file.h"
#include "compiler/parse/profile.h"
#include "runtime/plan/plan.h"

namespace woa {

struct GraphStage {
  std::string name;
  Place place;
  const StageDecl* decl = nullptr;        // null: source and sink
  const KernelDecl* kernel = nullptr;     // null: source, sink, or no such kernel was found
  const StageProfile* profile = nullptr;  // null: there is none
  std::string kernel_file;                // absolute, for a kernel of the user
  std::uint32_t program_kernel = 0;       // of StagePlan
  std::vector<InputPortPlan> inputs;
  std::vector<OutputPortPlan> outputs;
  std::vector<ParamPlan> params;
  std::uint32_t controller = 0;  // index into Graph::controllers
  bool keeps_state = false;      // per instance: one replica then runs all firings of an instance
  std::uint32_t replicas = 1;
  std::vector<std::uint32_t> replica_controllers;  // controller of each replica; empty without replicas
  std::vector<std::uint32_t> copy_controllers;     // controller of each copy, on several at once; empty without copies
  std::vector<std::vector<std::uint32_t>> in;      // edges by input port
  std::vector<std::vector<std::uint32_t>> out;     // edges by output port
  std::vector<Place> input_places;                 // of the keys of `in`, or of the stage where one is missing
  std::vector<Place> output_places;                // of the graph's inputs (source), or of the stage
  std::vector<bool> broken;                        // by input port: a writer is missing, do not judge this port further
  std::int32_t loop = -1;                          // innermost loop or scatter that it lies in
  std::vector<std::int32_t> starts;                // by output port: the scatter that it starts, or -1
  std::vector<std::int32_t> ends;                  // by input port: the scatter that it gathers, or -1
};

struct GraphEdge {
  std::uint32_t from_stage = 0, from_port = 0, to_stage = 0, to_port = 0;
  Place place;
  bool hold = false;
  std::int32_t loop = -1;     // the loop whose next turn it takes
  std::int32_t context = -1;  // innermost loop with both ends in one turn (a loop edge: its loop); -1: none
  std::uint32_t min_blocks = 1, blocks = 1;
  bool count = false;     // carries the element count of the scatter that the output starts (EdgePlan)
  std::string lane = {};  // of the channel that carries it between controllers
  std::vector<PassedInput> passed = {};
  bool renewed = false;  // held, and free once a later turn's token has come (InputPortPlan)
};

// A loop or a scatter. An element of a scatter corresponds to a turn of a loop, except that elements do not follow each
// other. So one forest says how both are nested, and each has a counter in the tag.
struct GraphLoop {
  std::string name;
  Place place;
  std::uint32_t max = 0;  // 0: given by none of its edges
  bool broken = false;    // one of them could not be read
  std::int32_t parent = -1;
  std::uint32_t depth = 0;             // 0: not inside another
  bool found = false;                  // its body is known
  std::vector<std::uint32_t> stages;   // of its body, those of inner loops too
  std::vector<std::int32_t> children;  // loops directly inside
  std::uint32_t shift = 0, bits = 0;
  bool scatter = false;               // then `max` bounds the number of elements
  std::uint32_t stage = 0, port = 0;  // of a scatter: the output that starts it
  std::vector<std::pair<std::uint32_t, std::uint32_t>> gathers =
      {};  // of a scatter: the input ports that end it, by stage and port
};

struct Graph {
  std::vector<GraphStage> stages;  // [0] source, [1] sink, then in the order of the file
  std::vector<GraphEdge> edges;
  std::vector<GraphLoop> loops;
  std::vector<ControllerPlan> controllers;
  bool whole = true;  // every edge of the file is here; else some could not be read or judged, as reported

  // Removes the marked edges, which a reported problem keeps from being judged. `marked` is by edge. The ports that
  // they lead to become broken, and the graph is no longer whole.
  void cut(const std::vector<bool>& marked);

  // "stage.port", or the graph input's or output's name.
  [[nodiscard]] std::string output_name(std::uint32_t stage, std::uint32_t port) const;
  [[nodiscard]] std::string input_name(std::uint32_t stage, std::uint32_t port) const;
  [[nodiscard]] std::string writer_name(const GraphEdge& edge) const {
    return output_name(edge.from_stage, edge.from_port);
  }
  [[nodiscard]] std::string reader_name(const GraphEdge& edge) const { return input_name(edge.to_stage, edge.to_port); }
  // Number of loops around: 0 for context -1.
  [[nodiscard]] std::uint32_t depth(std::int32_t context) const {
    return context < 0 ? 0 : loops[static_cast<std::size_t>(context)].depth + 1;
  }
  [[nodiscard]] std::int32_t parent(std::int32_t loop) const { return loops[static_cast<std::size_t>(loop)].parent; }
  // The loop that contains both and lies innermost, or -1.
  [[nodiscard]] std::int32_t common(std::int32_t a, std::int32_t b) const;
  // The innermost scatter around, or -1.
  [[nodiscard]] std::int32_t scatter_around(std::int32_t context) const;
  // True if `outer` is `inner` or contains it; -1 contains all.
  [[nodiscard]] bool contains(std::int32_t outer, std::int32_t inner) const { return common(outer, inner) == outer; }
};

}  // namespace woa
