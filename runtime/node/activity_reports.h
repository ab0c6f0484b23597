// Reports from a node on another host, which shares no memory with the run's host: sent when a kernel runs for long, so
// that the error of a missed deadline can name the stage that missed it.
#pragma once

#include <cstdint>
#include <thread>

#include "runtime/controller/activity.h"
#include "runtime/node/control_socket.h"

namespace woa {
namespace control {
struct Running;
}

// The node's side: checks from a thread of its own, as long as it lives.
class ActivityReports {
 public:
  // Sends nothing if the plan has no deadline. All arguments outlive it, and meanwhile nobody else sends.
  ActivityReports(ControlSocket& socket, const Plan& plan, std::uint32_t controller, Activity activity);

 private:
  std::jthread thread_;
};

// The host's side: writes a node's report into its controller's slots. kDataLoss: no stage of the plan, or more kernels
// than the controller runs at once.
Status take_report(const control::Running& report, const Plan& plan, Activity slots);

}  // namespace woa
