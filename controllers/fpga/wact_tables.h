// The packet node's stage and route tables, made from a plan: the same words for a model's registers and for the
// `tables` command of a card. generated/wact_interface.h has the meaning of each word.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/port_shape.h"
#include "runtime/plan/plan.h"

namespace woa {

// A node as it was built.
struct NodeLimits {
  std::uint32_t stages = 0, routes = 0, channels = 0;
  std::vector<std::string> cores;  // by the node's numbers; empty: that core is not built in
  std::uint32_t places = 0;        // of the match table; 0: the node takes stages of one input alone
  bool operator==(const NodeLimits&) const = default;
};
// From the node's registers: `limits` is kRegLimits, `core_names` has the words from kRegCoreName on, 4 a core, and
// `matches` is kRegMatches.
NodeLimits node_limits(std::uint32_t limits, std::span<const std::uint32_t> core_names, std::uint32_t matches = 0);
// Words of `core_names` that go with `limits`.
std::uint32_t core_name_words(std::uint32_t limits) noexcept;

// A stage that the host fires. If it begins a chain, the node passes its output by stream from stage to stage, and the
// last one's packets leave.
struct StageRoutes {
  std::uint32_t stage = 0;             // in the plan; the first of its chain
  std::vector<std::uint32_t> chain;    // its stages in order, `stage` included; one alone: no chain
  std::vector<std::uint32_t> entries;  // of the stage table, one for each of `chain`
  std::uint32_t first = 0;             // in the route table
  std::vector<std::uint32_t> edges;    // of the last stage, in order of the route table
  std::vector<PortShape> in;           // the first stage's inputs: one or two
  PortShape out;                       // the last one's output
};

// A value; the plan outlives it. Reading it from any thread.
class WactTables {
 public:
  // The tables of one node, which all of `stages` run on. Sequence counters are per node: a channel is another
  // controller's lane, and no other node may send on it. kUnsupported: a stage that the node cannot run (no rtl
  // variant, a core that the node lacks, other than one or two inputs and one output, a relay), a chain that the node
  // cannot run, or more stages and routes than its tables hold. The message names the stage and what to do.
  static Result<WactTables> make(const Plan& plan, std::span<const LoadedStage> stages, const NodeLimits& limits);

  // Both tables from entry 0 on, 16 words an entry.
  [[nodiscard]] std::span<const std::uint32_t> stage_words() const noexcept { return stage_words_; }
  [[nodiscard]] std::span<const std::uint32_t> route_words() const noexcept { return route_words_; }
  [[nodiscard]] std::span<const StageRoutes> all() const noexcept { return fired_; }
  // The most routes of a firing, and stages of a chain.
  [[nodiscard]] std::size_t most_routes() const noexcept;
  [[nodiscard]] std::size_t most_stages() const noexcept;
  // Null: the stage is not this node's, or stands behind another in a chain.
  [[nodiscard]] const StageRoutes* find(std::uint32_t stage) const noexcept;

 private:
  Status add_stage(const Plan& plan, const LoadedStage& loaded, const NodeLimits& limits);
  Status add_second_input(const StagePlan& stage, std::uint32_t entry, const NodeLimits& limits);
  Status join_stages(const Plan& plan);
  Status check_link(const Plan& plan, const StageRoutes& head, std::uint32_t entry) const;
  void add_route(const Plan& plan, const EdgePlan& edge);

  std::vector<std::uint32_t> stage_words_, route_words_;
  std::vector<StageRoutes> fired_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> channels_;  // counter by controller and lane
};

}  // namespace woa
