// Link measurements of `woa calibrate`: between every two kinds of controller that are here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/links.h"

namespace woa::tools {

struct MeasuredLink {
  std::string one, other;  // kinds, or `host`; both directions
  measure::LinkTime time;
};

struct MeasuredController {
  std::string kind;  // or `host`, which fires no kernels
  double firing_ns = 0, message_ns = 0;
};

struct LinksCalibration {
  std::string transport;
  std::string host_state;  // HostProbe::state()
  std::vector<MeasuredLink> links;
  std::vector<MeasuredController> controllers;
  double wake_ns = 0;  // extra time of a message whose receiver sleeps
};

// Processor cores, and the kinds whose controllers run on them: cpu, and devices that are simulated.
struct CoresCalibration {
  std::uint32_t count = 1;
  std::vector<std::string> kinds;
};
CoresCalibration calibrate_cores(const BackendRegistry& backends);

// Launches that calibrate_links() takes.
std::uint64_t links_launches(const BackendRegistry& backends, const measure::LinkOptions& chosen);
// Measures over options.transport. A cpu's link is measured between two cpus. A link of another kind is dearer by as
// much as a round trip through it is than one through a cpu, kernels excluded. A firing of another kind is what each
// further stage in a row there adds to a round trip; messages are the work of threads of the host, whatever the kind.
// Errors as measure::calibrate_link().
Result<LinksCalibration> calibrate_links(const RunOptions& options, const measure::LinkOptions& chosen);

}  // namespace woa::tools
