// Copies: stages that are on several components at once, in a cost table. A table without copies has the stages and
// edges of the graph. One with copies has those of the plan: a stage for each copy, in a row, and each edge once for
// each copy of its reader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/certificate/cost_table.h"
#include "compiler/check/graph.h"
#include "compiler/options.h"
#include "runtime/base/status.h"

namespace woa {

// Components, in ascending order.
using ComponentSet = std::vector<std::uint32_t>;

// True if copies of a stage compute what the stage does, and the plan stays provably live. The kernel keeps no state
// and makes no system calls. The stage has one output (of several, a copy might have no reader for one) and takes no
// part in control flow: it lies in no loop or scatter, chooses no branch, starts no scatter and gathers none. It has no
// pin and no replicas, and its neighbours have no replicas.
bool is_copyable(const Graph& graph, std::uint32_t stage);

// The copy of a stage from which a reader takes its tokens: the one whose token of a KiB arrives first under the call
// model. Among equals the one on the reader's own component is taken, then the first.
class NearestCopy {
 public:
  // Does not keep the table.
  NearestCopy(const CostTable& table, std::string model);
  // The nearest component of `writers`, which is not empty.
  [[nodiscard]] std::uint32_t of(const ComponentSet& writers, std::uint32_t reader) const;

 private:
  std::vector<std::uint64_t> time_;  // by component written from x components + component written to
  std::size_t components_;
};

struct Placed {
  CostTable table;                       // with copies
  std::vector<std::uint32_t> placement;  // by stage of `table`: its component
};
// Writes copies out. `places`: by stage of `originals`, which has no copies.
Placed with_copies(const CostTable& originals, const NearestCopy& nearest, const std::vector<ComponentSet>& places);
// Returns `places` without copies that no stage reads from.
std::vector<ComponentSet> without_idle(const CostTable& originals, const NearestCopy& nearest,
                                       std::vector<ComponentSet> places);

struct Originals {
  CostTable table;                                         // without copies
  std::vector<std::uint32_t> stage_of = {}, edge_of = {};  // by stage and edge of the table with copies
};
// By original stage: the components of its copies. `placement`: by stage of the table with copies.
std::vector<ComponentSet> places_of(const Originals& originals, const std::vector<std::uint32_t>& placement);
// Joins copies. kInvalid: copies that differ, of a stage that may have none, or with other edges than the stage; the
// message says which.
Result<Originals> without_copies(const CostTable& table);

}  // namespace woa
