// What a node on another host runs, for the run's host, which has no memory with it: sent when a kernel lasts, so that
// a missed deadline can be told with the stage that missed it.
#pragma once

#include <cstdint>
#include <thread>

#include "runtime/controller/activity.h"
#include "runtime/node/control_socket.h"

namespace woa {
namespace control {
class Running;
}

// The node's side: looks from a thread of its own, as long as it lives.
class ActivityReports {
 public:
  // Nothing is sent where the plan has no deadline. All that is given outlives it, and meanwhile nobody else sends.
  ActivityReports(ControlSocket& socket, const Plan& plan, std::uint32_t controller, Activity activity);

 private:
  std::jthread thread_;
};

// The host's side: writes what the node said into its controller's slots. kDataLoss: no stage of the plan, or more
// kernels than the controller runs at once.
Status take_report(const control::Running& report, const Plan& plan, Activity slots);

}  // namespace woa
