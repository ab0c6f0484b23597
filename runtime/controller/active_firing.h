// A firing and the controller's own books about it. Private to the controller.
#pragma once

#include <vector>

#include "runtime/controller/controller.h"

namespace woa {

// A kernel that takes no longer is timed now and then: looking at the clock takes about as long.
inline constexpr std::uint64_t kShortKernel_ns = 1'000;

struct Controller::ActiveFiring : Firing {
  bool running = false;           // between start and completion
  std::vector<Token> tokens;      // by input port: what it reads; a held one has no edge, being not consumed
  std::vector<Token> elements;    // of the inputs that gather, in order
  InlineStore inline_payloads;    // a place for each token, then one for each element
  std::vector<PortClaim> claims;  // by output port, of a scatter's one for each element
  std::vector<FiringInput> element_inputs;
  std::vector<FiringOutput> element_outputs;
  ActivitySlot* activity = nullptr;  // its slot, for whoever must know what ran when this process is gone
  ActivitySlot unread;               // where nobody does
  std::uint32_t stands_for = 1;      // firings of its stage, if it is timed
};

}  // namespace woa
