// The costs by which a graph is placed, as the certificate keeps them. Whole numbers, so that every checker of the
// certificate computes the same.
//
// Cost of a token from one component to another: latency + payload x time per byte (the model of Spacey et al.,
// "Write-only architecture", JPDC 72(12), 2012, with a latency for each pair).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace woa {

inline constexpr std::uint32_t kHostComponent = 0;
inline constexpr std::int64_t kNowhere_ps = -1;  // a stage may not run on that component
// Tokens, bytes and firings of an instance are counted in millionths: they are means of the profiled inputs, and
// replicas have shares of them.
inline constexpr std::uint64_t kPerMillion = 1'000'000;

// A controller that has waited this long sleeps (runtime/transport/idle.h): one that has a core for itself has spun
// before (IdleOptions::spin_ns), one of more controllers than cores has only yielded (IdleOptions::yields).
inline constexpr std::int64_t kAwake_ps = 20'000'000, kAwakeCrowded_ps = 8'000'000;

struct ComponentCosts {
  std::string controller;                          // [0] is `host`
  std::uint32_t workers = 1;                       // firings at once
  std::map<std::string, std::uint64_t> resources;  // what it has for stages, by name
  std::string cores;                               // group of processor cores that it shares; empty: none
  std::optional<std::uint64_t> price = std::nullopt, power_mw = std::nullopt;  // absent: not known, or the host's
  // For which a message occupies its sender, and its receiver. A part of the links' latencies, so it counts in loads
  // alone.
  std::uint64_t message_ps = 0;
  bool operator==(const ComponentCosts&) const = default;
};

struct LinkCosts {
  std::uint64_t latency_ps = 0;  // one way, of a packet without payload
  std::uint64_t ps_per_kib = 0;  // of 1024 bytes of payload
  bool direct = true;            // false: by way of the host
  bool assumed = false;          // neither written down nor measured
  bool operator==(const LinkCosts&) const = default;
};

struct StageCosts {
  // The time of a firing, by component: its kernel, and what the controller adds to it; or kNowhere_ps.
  std::vector<std::int64_t> time_ps;
  std::uint64_t firings = kPerMillion;                          // of an instance, in millionths
  std::vector<std::map<std::string, std::uint64_t>> resources;  // what it takes, by component; empty: nothing anywhere
  bool serial = false;                                          // one firing at a time, however many workers
  std::string core = {};   // kernel core on an fpga, which all its stages share; empty: none
  bool copyable = false;   // may be on several components at once; a copy serves the readers next to it
  std::uint32_t copy = 0;  // number of the copy: copies of a stage stand in a row, from 0
  std::vector<std::uint32_t> modelled = {};  // components, ascending, where its time is modelled
  bool operator==(const StageCosts&) const = default;
};

struct EdgeCosts {
  std::uint32_t from = 0, to = 0;      // stages
  std::uint64_t tokens = kPerMillion;  // of an instance, in millionths
  std::uint64_t bytes = 0;             // of payload of an instance, in millionths
  bool count = false;                  // carries only the number of a scatter's elements (EdgePlan::count)
  // Part of `tokens` and `bytes`: held tokens that no firing reads. A caller that passes on a call's arguments keeps
  // these.
  std::uint64_t unread = 0, unread_bytes = 0;
  // How often a caller asks for what it gets by this edge, in millionths: once for all elements of a scatter. Absent:
  // once for each token.
  std::optional<std::uint64_t> requests = std::nullopt;
  bool calls = false;  // the first input of its reader, whose return under rpc-nested goes to the edge's writer
  bool operator==(const EdgeCosts&) const = default;
};

struct CostTable {
  std::vector<ComponentCosts> components;      // those that a placement may use
  std::map<std::string, std::uint64_t> cores;  // groups of processor cores, and how many each has
  std::vector<LinkCosts> links;                // by component written from x components + component written to
  std::vector<StageCosts> stages;              // as in the plan; source and sink are on the host
  std::vector<EdgeCosts> edges;                // as in the plan
  // Extra time of a message whose receiver sleeps (runtime/transport/idle.h). Counts only in predictions of one
  // instance alone: with several in flight, the next keeps receivers awake.
  std::uint64_t wake_ps = 0;
  bool operator==(const CostTable&) const = default;
};

// True if the stage's time on the component is modelled.
bool is_modelled(const StageCosts& stage, std::uint32_t component);
// True if some stage may run on more than one component.
bool has_choice(const CostTable& table);

}  // namespace woa
