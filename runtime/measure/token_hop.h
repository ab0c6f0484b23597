// A token from controller to controller, by one transfer method or by another.
#pragma once

#include <cstdint>

#include "runtime/node/run.h"

namespace woa::measure {

struct TokenHop {
  std::uint64_t bytes = 0;         // of the payload, at least 8
  std::uint32_t inline_bytes = 0;  // limit of the edges: 0 puts every payload into a block, `bytes` all behind headers
  std::uint64_t hops = 0;
  bool within = false;        // both ends on one controller: nothing is sent
  std::uint32_t at_once = 1;  // tokens on their way: with some, both controllers are busy all the time
};

// Nanoseconds for each hop of all tokens: the kernel `ping` reads a payload and writes one as large, which the next
// controller reads; tokens go to and fro between two controllers, pinned to processors 0 and 1. The run lives for this
// call alone: its processes (or threads, where options.node_command is empty) and its memory are new. kExhausted: the
// blocks would take more than half of the available memory. Otherwise as Run::start().
Result<double> token_hop_ns(const RunOptions& options, const TokenHop& hop);

}  // namespace woa::measure
