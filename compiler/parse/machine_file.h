// A machine file (docs/machine.md): the controllers that there are, and what was measured of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/report.h"
#include "runtime/plan/plan.h"

namespace woa {

// A controller's name, taken apart: `cpu:1`, or a kind alone.
struct ControllerName {
  ControllerKind kind = ControllerKind::kCpu;
  std::optional<std::uint32_t> number;
};
// Nothing if `text` is neither KIND nor KIND:N with N up to 1023. `host` has no number.
std::optional<ControllerName> parse_controller(std::string_view text);

struct Machine {
  std::vector<ControllerPlan> controllers;  // in the order of the file
  bool open = false;                        // any controller that a graph names exists
  std::optional<Calibration> calibration = std::nullopt;
};

// Without a machine file: cpu:0, cpu:1, gpu:0, fpga:0, and whatever else a graph names. Whether there is such a device
// shows when the plan is run.
Machine default_machine();
// One more controller with the defaults of its kind.
ControllerPlan default_controller(ControllerKind kind, std::uint32_t number);

// Nothing, after a report, if the source is not a machine file.
std::optional<Machine> read_machine(std::uint32_t source, Report& report);

}  // namespace woa
