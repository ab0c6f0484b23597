// Stages that are on several components at once, in a cost table. The stages and edges of a table without copies are
// the graph's; one with copies has them as the plan has: a stage for each copy, in a row, and for each edge one to each
// copy of its reader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/certificate/cost_table.h"
#include "compiler/check/graph.h"
#include "compiler/options.h"
#include "runtime/base/status.h"

namespace woa {

// Components, each above the one before.
using ComponentSet = std::vector<std::uint32_t>;

// Whether copies of a stage compute the same as the stage does, and the plan can be shown to be live: its kernel keeps
// no state and makes no system calls, it has one output (of several, a copy might have no reader for one), and it is no
// part of the control flow: it lies in no loop or scatter, chooses no branch, starts no scatter and gathers none. Nor
// is it pinned, nor has it replicas or neighbours that do.
bool is_copyable(const Graph& graph, std::uint32_t stage);

// From which copy of a stage a reader takes its tokens: the one from which one of a KiB is there first under the call
// model; of several its own component's, then the first.
class NearestCopy {
 public:
  // Borrows the table.
  NearestCopy(const CostTable& table, std::string model);
  // A component of `writers`, of which there is one.
  [[nodiscard]] std::uint32_t of(const ComponentSet& writers, std::uint32_t reader) const;

 private:
  std::vector<std::uint64_t> time_;  // by component written from x components + component written to
  std::size_t components_;
};

struct Placed {
  CostTable table;                       // with copies
  std::vector<std::uint32_t> placement;  // component by stage of it
};
// `places`: by stage of `originals`, which has no copies.
Placed with_copies(const CostTable& originals, const NearestCopy& nearest, const std::vector<ComponentSet>& places);
// `places` without copies that nobody reads from.
std::vector<ComponentSet> without_idle(const CostTable& originals, const NearestCopy& nearest,
                                       std::vector<ComponentSet> places);

struct Originals {
  CostTable table;                                         // without copies
  std::vector<std::uint32_t> stage_of = {}, edge_of = {};  // by stage and edge of the one with them
};
// The components of each stage's copies; `placement`: by stage of the table with them.
std::vector<ComponentSet> places_of(const Originals& originals, const std::vector<std::uint32_t>& placement);
// kInvalid: copies that are not alike, of a stage that has none, or with other edges than the stage; the message says
// which.
Result<Originals> without_copies(const CostTable& table);

}  // namespace woa
