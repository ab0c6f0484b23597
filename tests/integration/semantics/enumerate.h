// Every small graph of a kind, one after the other.
#pragma once

#include <functional>

#include "tests/integration/semantics/small_graph.h"

namespace woa::test {

// The graphs to enumerate. A *shape* says which stages write to which: s0 to s(n-1), each written by an earlier one or
// the graph's input, each read by a later one or the graph's end, all connected without these; and edges back, to the
// writer itself or an earlier stage. No shape comes twice, however its stages are numbered. A shape has a graph for
// every way to group a stage's writers into ports, its readers into outputs (each firing writes one of these, and all
// its readers get it), and those that write to the end into the graph's outputs.
struct Enumeration {
  int stages = 1;
  int most_writers = 6, most_readers = 6;  // of a stage, edges back included
  int edges_back = 0;                      // exactly; a graph for every way to group them into loops
  bool holds = false;                      // and for every choice of at least one port that holds
  bool optional = false;  // and for every choice of outputs that may be left out and stages whose inputs may be absent
  bool scatters = false;  // and for every choice of stages that scatter and gather; one at least scatters
};

using Visit = std::function<void(const SmallGraph&)>;
// Calls `visit` for each; returns how many shapes there are.
int enumerate(const Enumeration& what, const Visit& visit);

}  // namespace woa::test
