// A graph of few stages as numbers: the writers of each port, and the kind of each stage.
#pragma once

#include <string>
#include <vector>

#include "tests/integration/semantics/kernel_folder.h"

namespace woa::test {

// A stage's kernel, described by its ports: inputs i0, i1, ... and outputs o0, o1, ...; each firing writes one of
// several outputs.
struct SmallStage {
  int inputs = 1, outputs = 1;
  bool leaves_out = false;  // its output is optional
  bool may_lack = false;    // its inputs are optional
  bool scatters = false;    // its output starts a scatter of at most two elements
  bool gathers = false;     // its input ends a scatter
  // True for a kernel of a cpu only: elsewhere kernels see and write one token of each port (docs/kernels.md).
  [[nodiscard]] bool one_kind() const noexcept { return outputs > 1 || leaves_out || may_lack || scatters || gathers; }
};

inline constexpr int kSource = -1;  // which writes the graph's only input

struct SmallEdge {
  int from = kSource, out = 0;  // stage, and output
  int to = 0, in = 0;           // stage, and input; or the number of stages, and the graph's output
  int loop = -1;
  bool hold = false;
};

struct SmallGraph {
  std::vector<SmallStage> stages;
  std::vector<SmallEdge> edges;
  int outputs = 1;    // of the graph
  int max_turns = 1;  // of every loop

  [[nodiscard]] int sink() const noexcept { return static_cast<int>(stages.size()); }
  // The graph file: stages s0, s1, ..., one input x, outputs y0, y1, ...
  [[nodiscard]] std::string text() const;
};

// Descriptions of all kernels that these graphs use, with a variant for a cpu and, where it may have one, for a gpu.
void describe_small_kernels(KernelFolder& folder);

}  // namespace woa::test
