// What placements of a graph cost: the numbers that one was chosen by, as its certificate keeps them. Whole numbers, so
// that whoever checks the certificate computes the same.
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
// Tokens, their bytes and firings of an instance are counted in millionths: they are means of the inputs that were
// profiled, and replicas have shares of them.
inline constexpr std::uint64_t kPerMillion = 1'000'000;

// A controller that has waited for so long sleeps: IdleOptions::spin_ns.
inline constexpr std::int64_t kAwake_ps = 20'000'000;

struct ComponentCosts {
  std::string controller;                          // [0] is `host`
  std::uint32_t lanes = 1;                         // firings at once
  std::map<std::string, std::uint64_t> resources;  // what it has, by name
  std::string cores;                               // group of processor cores that it shares; empty: none
  std::optional<std::uint64_t> price = std::nullopt, power_mw = std::nullopt;  // absent: not known; the host's: none
  bool operator==(const ComponentCosts&) const = default;
};

struct LinkCosts {
  std::uint64_t latency_ps = 0;  // one way, of a packet without payload
  std::uint64_t ps_per_kib = 0;  // of 1024 bytes of payload
  bool direct = true;            // false: by way of the host
  bool assumed = false;          // nobody said or measured it
  bool operator==(const LinkCosts&) const = default;
};

struct StageCosts {
  std::vector<std::int64_t> time_ps;                            // of a firing, by component; or kNowhere_ps
  std::uint64_t firings = kPerMillion;                          // of an instance, in millionths
  std::vector<std::map<std::string, std::uint64_t>> resources;  // what it takes, by component; empty: nothing anywhere
  bool serial = false;                                          // one firing at a time, however many lanes
  std::string core = {};   // of an fpga that it runs on, which its stages share; empty: none
  bool copyable = false;   // it may be on several components at once, each copy with the readers next to it
  std::uint32_t copy = 0;  // of a stage that is: copies stand in a row, numbered from 0
  bool operator==(const StageCosts&) const = default;
};

struct EdgeCosts {
  std::uint32_t from = 0, to = 0;      // stages
  std::uint64_t tokens = kPerMillion;  // of an instance, in millionths
  std::uint64_t bytes = 0;             // of payload of an instance, in millionths
  bool count = false;                  // of a scatter's elements their number alone (EdgePlan::count)
  // Of them, those that were held for firings of which none came: a caller who passes on the arguments of a call never
  // passes these on.
  std::uint64_t unread = 0, unread_bytes = 0;
  bool operator==(const EdgeCosts&) const = default;
};

struct CostTable {
  std::vector<ComponentCosts> components;      // those that a placement may use
  std::map<std::string, std::uint64_t> cores;  // groups of processor cores, and how many each has
  std::vector<LinkCosts> links;                // by component written from x components + component written to
  std::vector<StageCosts> stages;              // as in the plan; source and sink are on the host
  std::vector<EdgeCosts> edges;                // as in the plan
  // What a message takes more if whoever gets it sleeps (runtime/transport/idle.h). In predictions of one instance
  // alone: of many, the next keeps the others awake.
  std::uint64_t wake_ps = 0;
  bool operator==(const CostTable&) const = default;
};

}  // namespace woa
