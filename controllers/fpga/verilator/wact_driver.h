// Drives one packet node, on the caller's thread: writes its tables and runs firings on it, clock by clock.
#pragma once

#include <optional>
#include <span>

#include "controllers/fpga/verilator/wact_model.h"
#include "controllers/fpga/wact_packets.h"
#include "controllers/fpga/wact_tables.h"
#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/plan/plan.h"

namespace woa {

class WactDriver {
 public:
  explicit WactDriver(WactModel& model) noexcept : model_(model) {}  // outlives the driver
  WactDriver(const WactDriver&) = delete;
  WactDriver& operator=(const WactDriver&) = delete;

  // Fills the stage and route tables. Call once. `plan` outlives the driver. Errors are those of WactTables::make.
  Status load(const Plan& plan, std::span<const LoadedStage> stages);

  // Runs one firing on the node and fills in all answers but the times, as WactFiring::finish has it. Returns when the
  // node is idle again. A firing without others joined to it has the cycles from its first beat to the node's idleness.
  // kInternal: the model is broken.
  void run(Firing& firing) noexcept;

 private:
  WactModel& model_;
  std::optional<WactTables> tables_;
  std::optional<WactFiring> way_;  // of the firing that runs
};

}  // namespace woa
