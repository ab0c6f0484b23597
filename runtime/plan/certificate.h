// Why a plan's stages are where they are, in a form that anybody can check (`woa verify`): the costs that the placement
// was chosen by, what it comes to under them, and a proof that none comes to less (compiler/assign/proof.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/cost_table.h"

namespace woa {

// `latency`: the serial time of one instance, its communication included. `throughput`: the time between two instances
// of many in flight: the largest load of a controller, of a group of processor cores, or of a link.
struct PlacementGoal {
  std::string model = "woa";          // call model that the placement is for (architecture.md, section 7)
  std::string objective = "latency";  // or "throughput"
  std::optional<std::uint64_t> most_latency_ps = std::nullopt;  // bounds on what is not the objective
  std::optional<std::uint64_t> most_period_ps = std::nullopt;
  // Of the controllers that some stage is on together; price in the unit of the machine file.
  std::optional<std::uint64_t> most_price = std::nullopt, most_power_mw = std::nullopt;
  std::uint32_t copies = 1;  // components that a stage which is copyable may be on at once, at most
  bool operator==(const PlacementGoal&) const = default;
};

// One case of a proof: what holds where stages are as the fixings say, by prices.
struct ProofLeaf {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixings;  // stage, component
  std::int64_t scale = 1, sum = 0;
  std::vector<std::int64_t> rows;      // prices of rows
  std::vector<std::int64_t> from, to;  // prices of edges' ends: by edge of the problem x components + component
  // Bit by component: those that nobody is on, where price or power are bounded (compiler/assign/affordable.h).
  std::uint64_t closed = 0;
  bool operator==(const ProofLeaf&) const = default;
};

struct Certificate {
  PlacementGoal goal;
  CostTable costs;
  std::string costs_hash;                // tells tables apart (compiler/place/cost_table.h)
  std::vector<std::uint32_t> placement;  // component of `costs` by stage
  std::string status;                    // "proved", "claimed", "gap" or "heuristic" (docs/placement.md)
  std::string method;                    // what found the placement
  std::int64_t value_ps = 0;             // what it comes to
  std::int64_t bound_ps = 0;             // no placement comes to less: so the leaves show; 0 without any
  std::vector<ProofLeaf> leaves;
  bool operator==(const Certificate&) const = default;
};

}  // namespace woa
