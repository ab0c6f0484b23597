// The explanation of a plan's edges: the way of their payloads, the reason, and the cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/transfer_method.h"
#include "runtime/plan/plan.h"

namespace woa::tools {

// A device at one end of an edge that does not reach the blocks itself: its back-end copies payloads to it or from it,
// whatever the method.
struct Staging {
  std::string controller, backend;
  bool to_device = false;  // else from it
  std::string text;        // a sentence
};

struct EdgeExplanation {
  std::string from, to;   // STAGE.PORT
  std::string transport;  // "local" inside one controller
  std::string lane;       // empty: the lane without a name
  std::string publishes;  // who makes its packets visible: "host", "queue", "worker"; empty: no packet crosses
  std::vector<MethodRange> methods;
  std::uint64_t payload_bytes = 0;  // size of the largest payload
  // The next four are 0, 0, true and false if it stays on a card.
  std::uint32_t live = 0;  // blocks that one instance needs so that nothing deadlocks
  std::uint32_t used = 0;  // blocks of the edge, `live` of them reserved for the oldest instance
  bool least = false;      // one block less than `live` certainly deadlocks the plan
  bool claimed = false;    // the plan holds no proof that `live` is enough
  std::uint64_t block_bytes = 0;
  std::uint64_t memory_bytes = 0;  // blocks that the writer allocates for it; 0 if it passes others' blocks on
  std::uint64_t ring_bytes = 0;    // its slots in the header ring
  std::string why;                 // a sentence
  std::vector<Staging> staged;
};

// By edge. `transport`: between controllers. `plan` has passed validate(), `layout` is the plan's.
std::vector<EdgeExplanation> explain_edges(const Plan& plan, const Layout& layout, std::string_view transport);

// How a controller would wait for work in a run on this host alone (runtime/node/waiting.h).
struct WaitExplanation {
  std::string controller;
  bool spins = false;  // before it yields, then sleeps
  std::string why;     // part of a sentence
};

// Sentences about replicas that gain nothing, since they share a cpu controller of several workers.
std::vector<std::string> explain_replicas(const Plan& plan);

// By controller, the host first. `processors`: those that controllers are pinned to, as in RunOptions.
std::vector<WaitExplanation> explain_waits(const Plan& plan, const std::vector<Processors>& processors);

// "inline to 64 B, then in place".
std::string methods_text(const std::vector<MethodRange>& methods);

}  // namespace woa::tools
