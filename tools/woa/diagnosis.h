// The checks of `woa doctor`: what is here, what is missing or in the way, and what to do about it.
#pragma once

#include <string>
#include <vector>

namespace woa::tools {

enum class Health {
  kGood,
  kAbsent,  // something optional is not here
  kFault,   // runs will fail, or find less than there is
};

struct Finding {
  std::string subject;  // "libfabric"
  Health health = Health::kGood;
  std::string found;
  std::string advice;      // the remedy; empty for kGood
  std::string asked = {};  // what a run on an FPGA asks for; of diagnose_fpga() alone
};

// Looks at kernels, devices, libraries, shared memory, limits, ports, environment and machine file. Libraries that may
// abort or hang are asked in a child process. Blocks for seconds, or 20 s for each try of a library that hangs. Leaves
// nothing behind. Call it before this process has threads.
std::vector<Finding> diagnose();
// Looks at the things that a run on a card needs, in the order in which it needs them. As diagnose(), which names the
// device alone.
std::vector<Finding> diagnose_fpga();

}  // namespace woa::tools
